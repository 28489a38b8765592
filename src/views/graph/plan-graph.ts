/**
 * A plan as Mermaid and as DOT: calls in the order of the plan, and an arrow for every path that carries a result from
 * one call to another. Inputs and gates are nodes, too. Each form escapes its own syntax, because labels can contain
 * anything.
 */
import { WriteOrder } from '../../interpreter/plan/scheduler/write-order.js';
import type { Simulation } from '../../interpreter/plan/simulate-plan.js';
import type { Span } from '../../language/source/diagnostic.js';
import { type Plan, type PlanCall, type PlanPath, pathsOf } from '../../machine/plan.js';
import { printPath } from '../../prelude/reference.js';
import { cut, escapeControls, oneLine, pictureControls, visibleLine } from '../drawing/visible-text.js';

const LONGEST_LABEL = 120;

interface PlanGraphNode {
  readonly id: string;
  readonly label: string;
  readonly kind: 'call' | 'input' | 'gate';
}

interface Arrow {
  readonly from: string;
  readonly to: string;
  readonly label: string;
}

interface PlanGraph {
  readonly nodes: readonly PlanGraphNode[];
  readonly arrows: readonly Arrow[];
}

export function planGraph(plan: Plan): PlanGraph {
  const order = new WriteOrder(plan.calls, plan.order, plan.given);
  const nodes = plan.calls.map((call): PlanGraphNode => {
    const instance = call.instance === null ? '' : ` @ ${call.instance}`;
    return { id: `c${call.index}`, label: `${call.index + 1}. ${nameOf(call)}${instance}`, kind: 'call' };
  });
  const sources = new Map<string, PlanGraphNode>();
  const arrows = new Map<string, Arrow>();
  const draw = (from: string, to: string, path: PlanPath): void => {
    const label = printPath(path);
    arrows.set(`${from} ${to} ${label}`, { from, to, label });
  };
  for (const call of plan.calls) {
    const to = `c${call.index}`;
    const drawRead = (path: PlanPath, isApproval: boolean): void => {
      const ranks = new Set(order.listsOf(path).flatMap((list) => list.ranks));
      for (const rank of ranks) if (rank < call.rank) draw(`c${plan.order[rank]}`, to, path);
      const kind = isApproval ? 'gate' : isInput(path) ? 'input' : null;
      if (kind === null) return;
      const label = printPath(path);
      const node = sources.get(label) ?? { id: `s${sources.size}`, label, kind };
      sources.set(label, node);
      draw(node.id, to, path);
    };
    // Sorted, because the order of the parameters in the document has no meaning.
    const reads = new Map<string, { readonly path: PlanPath; readonly gate: boolean }>();
    for (const part of call.inline === null ? [call.parameters] : [call.parameters, call.inline])
      pathsOf(part, ({ path, gate }) => reads.set(printPath(path), { path, gate }));
    for (const [, { path, gate }] of [...reads].sort(([a], [b]) => (a < b ? -1 : 1))) drawRead(path, gate);
  }
  return { nodes: [...nodes, ...sources.values()], arrows: [...arrows.values()] };
}

function isInput(path: PlanPath): boolean {
  return path[0] === 'input' || (path[0] === 'instance' && path[2] === 'input');
}

export function planMermaid({ nodes, arrows }: PlanGraph): string {
  const shapes = { call: ['[', ']'], input: ['([', '])'], gate: ['{{', '}}'] } as const;
  const lines = nodes.map(({ id, label, kind }) => `${id}${shapes[kind][0]}"${mermaidText(label)}"${shapes[kind][1]}`);
  // The path of an input names itself, so its arrow needs no label.
  for (const { from, to, label } of arrows)
    lines.push(from.startsWith('s') ? `${from} --> ${to}` : `${from} -->|"${mermaidText(label)}"| ${to}`);
  return `flowchart TD\n${lines.map((line) => `    ${line}\n`).join('')}`;
}

export function planDot({ nodes, arrows }: PlanGraph): string {
  const shapes = { call: 'box', input: 'ellipse', gate: 'hexagon' };
  const lines = nodes.map(({ id, label, kind }) => `${id} [label=${dotText(label)}, shape=${shapes[kind]}];`);
  for (const { from, to, label } of arrows)
    lines.push(from.startsWith('s') ? `${from} -> ${to};` : `${from} -> ${to} [label=${dotText(label)}];`);
  return `digraph plan {\n${lines.map((line) => `    ${line}\n`).join('')}}\n`;
}

function mermaidText(text: string): string {
  return cut(pictureControls(text), LONGEST_LABEL).replace(/[#"<>&]/g, (sign) => `#${sign.charCodeAt(0)};`);
}

function dotText(text: string): string {
  return `"${cut(pictureControls(text), LONGEST_LABEL).replace(/[\\"]/g, '\\$&')}"`;
}

/**
 * The possible outcomes of a plan, as text and as JSON. Calls are named by their tools and their positions in the plan.
 */
export function planCasesJson(plan: Plan, { cases, never, truncated }: Simulation): object {
  const names = (indexes: readonly number[]) => indexes.map((index) => nameOf(plan.calls[index]));
  return {
    cases: cases.map(({ arms, runs, skipped }) => ({ arms, runs: names(runs), skipped: names(skipped) })),
    never: never.map((index) => ({ index, tool: nameOf(plan.calls[index]) })),
    truncated,
  };
}

export function planCasesText(plan: Plan, { cases, never, truncated }: Simulation): string {
  const names = (indexes: readonly number[]) =>
    indexes.length === 0 ? 'nothing' : indexes.map((index) => titleOf(plan.calls[index])).join(', ');
  const out = cases.map(({ arms, runs, skipped }, at) => {
    const choices = Object.entries(arms).map(([index, arm]) => {
      const call = plan.calls[Number(index)];
      const paths = (call?.arms[arm] ?? []).map((path) => `†${printPath(path)}`);
      return `  ${titleOf(call)} → ${paths.join(' && ')}\n`;
    });
    return `case ${at + 1}\n${choices.join('')}  runs: ${names(runs)}\n  skipped: ${names(skipped)}\n`;
  });
  if (truncated) out.push(`there are more cases: only the first ${cases.length} were tried\n`);
  else out.push(`never runs: ${names(never)}\n`);
  return escapeControls(out.join('\n'));
}

function nameOf(call: PlanCall | undefined): string {
  return visibleLine(call?.tool ?? call?.delegate ?? '_output');
}

function titleOf(call: PlanCall | undefined): string {
  return `${nameOf(call)} (call ${(call?.source ?? 0) + 1}${call?.instance == null ? '' : ` in ${oneLine(call.instance)}`})`;
}

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

/** The location of a diagnostic in a plan: the call, and the path from it to the value. */
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
