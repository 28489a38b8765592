/** The context that the readers of a workflow file share: diagnostics, access to keys, and signs of its dialect. */

import { nearest } from '../../prelude/nearest.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { workflowMessages as words } from '../../source/catalogue/workflow.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import type { Span } from '../../source/source-file.js';
import type { Name } from '../../syntax/expression.js';
import type { YamlMap, YamlMember, YamlNode, YamlScalar } from './yaml/yaml-nodes.js';

export type Dialect = 'current' | 'older';

/** A form that only one dialect has. */
export interface Sign {
  readonly dialect: Dialect;
  /** The form as written: `foreach`, `{task.`. */
  readonly text: string;
  readonly span: Span;
  /** A weak sign, which counts only if there is no other. */
  readonly weak?: true;
  /** Files with this form also use words of the current dialect, which then show nothing. */
  readonly oldest?: true;
}

export interface ReaderContext {
  readonly file: number;
  readonly diagnostics: Diagnostic[];
  readonly signs: Sign[];
  /** The offsets of the names of steps with `session: reuse`. */
  readonly reused: Set<number>;
}

/** The suggestion for a known foreign key. It may depend on the value of the key. */
export type Hints = Readonly<Record<string, string | ((value: YamlNode) => string)>>;

/** The members of a mapping by key. Each is taken once; keys that remain at the end are unknown. */
export class Members {
  private readonly left: Map<string, YamlMember>;

  constructor(
    readonly map: YamlMap,
    private readonly context: ReaderContext,
  ) {
    this.left = new Map(map.members.map((member) => [member.key.text, member]));
  }

  has(key: string): boolean {
    return this.left.has(key);
  }

  take(key: string): YamlMember | undefined {
    const member = this.left.get(key);
    this.left.delete(key);
    return member;
  }

  /** The first of several spellings of one key. */
  takeOne(...keys: readonly string[]): YamlMember | undefined {
    for (const key of keys) {
      const member = this.take(key);
      if (member !== undefined) return member;
    }
    return undefined;
  }

  /** The keys that were not taken, in the written order. */
  rest(): YamlMember[] {
    return [...this.left.values()];
  }

  /** Reports every key that was not taken as unknown. `hints` has suggestions for some of them. */
  reportUnknown(of: string, known: readonly string[], hints: Hints = {}): void {
    for (const { key, value } of this.left.values()) {
      const name = key.text;
      const hint = Object.hasOwn(hints, name) ? hints[name] : undefined;
      const help = hint === undefined ? {} : { help: typeof hint === 'string' ? hint : hint(value) };
      const near = nearest(name, known);
      this.context.diagnostics.push(words.unknownKey(key.span, { name, of, near, known, ...help }));
    }
  }
}

/** Reports a value that does not have the form that its key requires. */
export function wrongShape(context: ReaderContext, node: YamlNode, what: string, wanted: string, help?: string): void {
  const span = node.span.start === node.span.end ? node.span : firstLine(node);
  context.diagnostics.push(words.shape(span, { what, wanted, ...omitUndefined({ help }) }));
}

/** Marks only the first key of a mapping, because a whole mapping is too long. */
function firstLine(node: YamlNode): Span {
  if (node.kind === 'map' && node.flow === null && node.members[0] !== undefined) return node.members[0].key.span;
  if (node.kind === 'list' && node.items[0] !== undefined) return { ...node.span, end: node.span.start + 1 };
  return node.span;
}

export function isNothing(node: YamlNode): boolean {
  return node.kind === 'scalar' && node.value === null;
}

/** A scalar that is not empty; otherwise undefined, after reporting it. */
export function textOf(context: ReaderContext, { key, value }: YamlMember, wanted = 'a text'): YamlScalar | undefined {
  if (value.kind === 'scalar' && value.value !== null && value.located.text.trim() !== '') return value;
  if (value.kind === 'scalar') wrongShape(context, { ...value, span: key.span }, `\`${key.text}\``, wanted);
  else wrongShape(context, value, `\`${key.text}\``, wanted, 'put a text that begins with `{` or `[` in quotes');
  return undefined;
}

/** A name as written. */
export function nameOf(node: YamlScalar): Name {
  return { text: node.located.text.trim(), span: node.span };
}
