/**
 * A plan as Mermaid and as DOT: calls in the order of the plan, and an arrow for every path that carries a result from
 * one call to another. Inputs and gates are nodes, too. Each form escapes its own syntax, because labels can contain
 * anything.
 */
import { WriteOrder } from '../../interpreter/plan/scheduler/write-order.js';
import { type Plan, type PlanPath, pathsOf } from '../../machine/plan.js';
import { printPath } from '../../prelude/reference.js';
import { cut, pictureControls } from '../drawing/visible-text.js';
import { nameOf } from './plan-cases.js';

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
