/** The location of a diagnostic in a plan: the call, and the path from it to the value. */
import type { Span } from '../../language/source/diagnostic.js';

/** JSON with source locations: the members that are needed here. */
interface SpannedJson {
  readonly kind: string;
  readonly span: Span;
  readonly items?: readonly SpannedJson[];
  readonly members?: readonly { readonly key: string; readonly keySpan: Span; readonly value: SpannedJson }[];
}

interface PlanLocation {
  /** The index of the call, from 0; null outside of calls. */
  readonly call: number | null;
  /**
   * Members and indexes, relative to the call or the document: `items[0].name`. Null for the whole call or document.
   */
  readonly path: string | null;
}

export function locationInPlan(
  root: SpannedJson,
  calls: readonly { readonly node: { readonly span: Span } }[],
  span: Span,
): PlanLocation {
  if (span.file !== root.span.file) return { call: null, path: null };
  const call = calls.findIndex(({ node }) => holds(node.span, span));
  const from = call < 0 ? root : ((calls[call] as { node: SpannedJson }).node as SpannedJson);
  const path = wayTo(from, span);
  return { call: call < 0 ? null : call, path: path === '' ? null : path };
}

function wayTo(from: SpannedJson, span: Span): string {
  let path = '';
  for (let at: SpannedJson | undefined = from; at !== undefined; ) {
    let next: SpannedJson | undefined;
    at.items?.forEach((item, index) => {
      if (!holds(item.span, span)) return;
      path += `[${index}]`;
      next = item;
    });
    for (const { key, keySpan, value } of at.members ?? []) {
      if (!holds(keySpan, span) && !holds(value.span, span)) continue;
      path += path === '' ? key : `.${key}`;
      next = holds(value.span, span) ? value : undefined;
    }
    at = next;
  }
  return path;
}

function holds(outer: Span, inner: Span): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}
