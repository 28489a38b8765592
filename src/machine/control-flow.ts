/**
 * The control flow of a Machine: the possible successors of an instruction in its state, and its predecessors in a run.
 */
import type { Instruction, State } from './machine.js';

/**
 * The instructions at which execution can continue in the same activation. Handlers are left out, because any
 * instruction can fail.
 */
export function successors(code: readonly Instruction[], pc: number): number[] {
  const i = code[pc] as Instruction;
  switch (i.op) {
    case 'jump':
      return [i.to];
    case 'unless':
      return [pc + 1, i.to];
    case 'goto':
    case 'goto-dynamic':
    case 'return':
    case 'fail':
    case 'fell-off':
    case 'branch-end':
      return [];
    case 'wait-turn':
      return [i.again, i.exit];
    case 'next':
      return [pc + 1, i.exit];
    case 'fork':
    case 'fork-each':
      return [i.join];
    case 'step-agent':
      return i.to === undefined ? [pc + 1] : [pc + 1, i.to];
    case 'step-collect':
      return [pc + 1, i.otherwise];
    case 'step-verdict':
      return [pc + 1, i.done];
    case 'step-retry':
      return [i.again, ...(i.restarts ?? []).map(({ to }) => to)];
    default:
      return [pc + 1];
  }
}

/** The instructions of all states as nodes, in order, with the nodes that each can follow. */
export interface ControlFlow {
  /** The node of the first instruction of each state. */
  readonly starts: readonly number[];
  readonly before: readonly (readonly number[])[];
}

/**
 * Any instruction can fail, so its handlers and the state ERROR can follow it too. `error` is the index of that state,
 * or negative if there is none.
 */
export function controlFlow(states: readonly State[], error: number): ControlFlow {
  const starts: number[] = [];
  let length = 0;
  for (const { code } of states) {
    starts.push(length);
    length += code.length;
  }
  const before: number[][] = Array.from({ length }, () => []);
  // A GOTO to a state that a value decides leads through an extra node.
  const anywhere = before.push([]) - 1;
  for (const start of starts) before[start]?.push(anywhere);
  const failing = error < 0 ? null : (starts[error] as number);
  states.forEach((state, at) => {
    const base = starts[at] as number;
    const joins = joinsOf(state);
    state.code.forEach((i, pc) => {
      const next = i.op === 'branch-end' ? [joins[pc] ?? pc] : successors(state.code, pc);
      if (i.op === 'fork') next.push(...i.branches.map((branch) => branch.pc));
      if (i.op === 'fork-each') next.push(i.body);
      for (const handler of state.handlers) if (handler.from <= pc && pc < handler.to) next.push(handler.pc);
      for (const to of next) before[base + to]?.push(base + pc);
      if (i.op === 'goto') before[starts[i.state] ?? anywhere]?.push(base + pc);
      if (i.op === 'goto-dynamic') before[anywhere]?.push(base + pc);
      if (failing !== null) before[failing]?.push(base + pc);
    });
  });
  return { starts, before };
}

/** For each node, whether one of `targets` can follow it. A path ends at the first node for which `ends` is true. */
export function reaching(
  { before }: ControlFlow,
  targets: readonly number[],
  ends: (node: number) => boolean = () => false,
): readonly boolean[] {
  const reaches = new Array<boolean>(before.length).fill(false);
  const work = [...targets];
  while (work.length > 0) {
    for (const from of before[work.pop() as number] ?? []) {
      if (reaches[from]) continue;
      reaches[from] = true;
      if (!ends(from)) work.push(from);
    }
  }
  return reaches;
}

/** The code of the turn of a loop to which a ROLLBACK or KEEP goes back, without a mark all of the state. */
export function turnOf({ code }: State, mark: number | undefined): readonly [from: number, to: number] {
  const head = mark === undefined ? -1 : code.findIndex((one) => one.op === 'next' && one.mark === mark);
  const loop = code[head];
  return loop?.op === 'next' ? [head + 1, loop.exit] : [0, Number.POSITIVE_INFINITY];
}

/** The successor of the end of each branch: the join of its innermost fork. */
function joinsOf({ code }: State): readonly (number | undefined)[] {
  const open: number[] = [];
  return code.map((i, pc) => {
    while (open.length > 0 && (open.at(-1) as number) <= pc) open.pop();
    if (i.op === 'fork' || i.op === 'fork-each') open.push(i.join);
    return open.at(-1);
  });
}
