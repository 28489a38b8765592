/**
 * The CALLs and PLANs of a state as nodes for pictures, next to its steps, in the order of the text. Members that run
 * in parallel share a box. Each call names its output path, because later states and conditions read it.
 */
import type { ForkInstruction, Instruction, Machine, State } from '../../machine/machine.js';
import { printPath } from '../../prelude/reference.js';
import { stepPositions } from './step-positions.js';
import { type DrawnStep, stepTree } from './step-tree.js';

type PlanCode = Extract<Instruction, { op: 'plan' }>;

interface PositionedStep {
  readonly pc: number;
  readonly node: DrawnStep;
}

/** The maximum number of nodes in one picture. */
const MOST = 60;

/** The steps and calls of a state, in order, without its commands. */
export function workTree(state: State, machine: Machine): DrawnStep[] {
  const steps = stepTree(state, machine);
  if (!state.code.some(({ op }) => op === 'plan')) return steps;
  const positions = steps.length === 0 ? [] : stepPositions(state);
  const positioned: PositionedStep[] = steps.map((node) => ({
    pc: positions.findIndex(({ path }) => path === node.path),
    node,
  }));
  const calls = callsIn(state, machine, 0, state.code.length);
  const nodes = [...positioned, ...calls].sort((a, b) => a.pc - b.pc).map(({ node: one }) => one);
  if (nodes.length <= MOST) return nodes;
  const rest = node(`call ${state.name} more`, 'step', [`and ${nodes.length - MOST} more`], []);
  return [...nodes.slice(0, MOST), rest];
}

function callsIn(state: State, machine: Machine, from: number, to: number): PositionedStep[] {
  const found: PositionedStep[] = [];
  const seen = new Set<string>();
  for (let pc = from; pc < to; pc++) {
    const instruction = state.code[pc] as Instruction;
    if (instruction.op === 'plan' && instruction.main !== true) {
      // A pattern that is used again makes the same call again.
      const lines = callLines(instruction, state, machine);
      const key = JSON.stringify([lines, instruction.origin]);
      if (!seen.has(key)) found.push({ pc, node: node(`call ${state.name} ${pc}`, 'step', lines, []) });
      seen.add(key);
    } else if (instruction.op === 'fork' || instruction.op === 'fork-each') {
      const inside = membersOf(state, machine, instruction);
      const [only] = inside;
      if (instruction.op === 'fork' && inside.length === 1 && only !== undefined) found.push({ pc, node: only });
      else if (only !== undefined)
        found.push({ pc, node: node(`call ${state.name} ${pc}`, 'branches', [boxOf(instruction)], inside) });
      pc = instruction.join - 1;
    }
  }
  return found;
}

function boxOf({ op }: ForkInstruction): string {
  return op === 'fork' ? 'in parallel' : 'each in parallel';
}

/**
 * One node for each member that calls something. All members of a FOR EACH do the same, so one node represents them.
 */
function membersOf(state: State, machine: Machine, fork: ForkInstruction): DrawnStep[] {
  if (fork.op === 'fork-each')
    return sequence(callsIn(state, machine, fork.body, fork.join), `${state.name} ${fork.body}`);
  return fork.branches.flatMap(({ pc }, at) =>
    sequence(callsIn(state, machine, pc, fork.branches[at + 1]?.pc ?? fork.join), `${state.name} ${pc}`),
  );
}

/** Several calls of one member get their own box, in order. */
function sequence(calls: readonly PositionedStep[], at: string): DrawnStep[] {
  const nodes = calls.map(({ node: one }) => one);
  return nodes.length < 2
    ? nodes
    : [{ ...node(`call member ${at}`, 'branches', ['in order'], nodes), parallel: false }];
}

function node(path: string, kind: DrawnStep['kind'], lines: readonly string[], inside: DrawnStep[]): DrawnStep {
  return { kind, path, lines, retry: [], parallel: kind === 'branches', inside };
}

/** `CALL verify` with its output path. */
export function callLines({ plan: name, text, call, bind }: PlanCode, state: State, machine: Machine): string[] {
  const [one] = call === undefined ? [] : (machine.plans?.[name]?.calls ?? []);
  const title =
    one === undefined ? name.replace(/ \(\d+\)$/, '') : `${/^PLAN\b/.test(text) ? 'PLAN' : 'CALL'} ${one.tool}`;
  const arms = (one?.arms ?? []).map((paths) => paths.map((path) => `†${printPath(path)}`).join(' && '));
  const bound = bind === undefined ? [] : [state.locals[bind.slot] ?? ''];
  const results = arms.length === 0 ? bound : [arms.join(' || ')];
  return [title, ...results.map((result) => `→ ${result}`)];
}
