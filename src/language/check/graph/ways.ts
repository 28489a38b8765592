/**
 * The paths through the instructions of some states. Loops inside a state (FOR EACH, a polling WAIT, attempts of a
 * step) have their own limits, so their paths lead to the instruction after the loop. Only GOTO can form a cycle.
 */
import { successors } from '../../../machine/control-flow.js';
import type { Instruction } from '../../../machine/machine.js';
import type { LoweredState } from '../lower/lowered-state.js';

export interface StateWay {
  readonly from: number;
  readonly to: number;
}

/** An instruction of one of the states. Its number is its index in `Ways.nodes`. */
interface WayNode {
  readonly state: number;
  readonly pc: number;
  readonly instruction: Instruction;
}

export interface Ways {
  readonly nodes: readonly WayNode[];
  /** Edges, by the node that they leave. */
  readonly out: readonly (readonly StateWay[])[];
}

/** Whether the instruction waits for time or for a person. */
function waits(i: Instruction): boolean {
  if (i.op === 'sleep' || i.op === 'wait-start' || i.op === 'signal' || i.op === 'ask') return true;
  return (i.op === 'fork' || i.op === 'fork-each') && i.wait !== null;
}

/** Instructions that only compute. They can fail, but repeating them would fail again. */
const PURE: ReadonlySet<Instruction['op']> = new Set([
  ...(['set', 'track', 'increment', 'emit', 'jump', 'unless', 'goto', 'goto-dynamic', 'return', 'fell-off'] as const),
  ...(['each', 'next', 'sample'] as const),
]);

/** The paths inside `states`, without those that wait. `error` is the state that handles failures. */
export function waysThrough(states: readonly LoweredState[], inside: readonly number[], error: number): Ways {
  const first = new Map<number, number>();
  const nodes: WayNode[] = [];
  for (const state of inside) {
    first.set(state, nodes.length);
    (states[state] as LoweredState).state.code.forEach((instruction, pc) => {
      nodes.push({ state, pc, instruction });
    });
  }
  const out = nodes.map(({ state, pc, instruction }, from): StateWay[] => {
    if (waits(instruction)) return [];
    const { code } = (states[state] as LoweredState).state;
    const base = first.get(state) as number;
    const to = new Set<number>();
    for (const next of successors(code, pc)) {
      const forward = next > pc ? next : afterLoop(code, next, pc);
      if (forward < code.length) to.add(base + forward);
    }
    if (instruction.op === 'goto') add(to, first.get(instruction.state));
    if (!PURE.has(instruction.op)) add(to, whereFailuresGo(states[state] as LoweredState, pc, base, first.get(error)));
    return [...to].map((target) => ({ from, to: target }));
  });
  return { nodes, out };
}

function add(to: Set<number>, node: number | undefined): void {
  if (node !== undefined) to.add(node);
}

/** The pc at which execution continues after the loop with its head at `head`. */
function afterLoop(code: readonly Instruction[], head: number, end: number): number {
  const i = code[head];
  return i?.op === 'next' && i.exit > end ? i.exit : end + 1;
}

/** The handler of a failure at `pc`, or the first instruction of ERROR. */
function whereFailuresGo(
  { state }: LoweredState,
  pc: number,
  base: number,
  error: number | undefined,
): number | undefined {
  const handler = state.handlers.find(({ from, to }) => from <= pc && pc < to);
  if (handler !== undefined) return base + handler.pc;
  return state.name === 'ERROR' ? undefined : error;
}
