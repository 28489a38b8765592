/** Where a ROLLBACK of a machine goes: the UNDOs that can be registered when a run comes to it. */
import { controlFlow, reaching } from '../../machine/control-flow.js';
import type { Instruction, Machine, State } from '../../machine/machine.js';
import { oneLine } from '../drawing/visible-text.js';

/** The UNDOs of one state that a ROLLBACK can perform. */
export interface UndoneState {
  readonly state: number;
  /** As written, newest first. */
  readonly texts: readonly string[];
}

interface Position {
  readonly state: number;
  readonly pc: number;
  readonly node: number;
}

/** For each ROLLBACK, by state and position, what it can undo. A ROLLBACK between an UNDO and another leaves nothing for that. */
export function undoneBy(machine: Machine): (state: number, pc: number) => readonly UndoneState[] {
  const { states, error } = machine;
  const flow = controlFlow(states, error ?? -1);
  const positionsOf = (op: Instruction['op']): Position[] =>
    states.flatMap(({ code }, state) =>
      code.flatMap((one, pc) => (one.op === op ? [{ state, pc, node: (flow.starts[state] as number) + pc }] : [])),
    );
  const undos = positionsOf('undo');
  const rollbacks = undos.length === 0 ? [] : positionsOf('rollback');
  const nodes = new Set(rollbacks.map(({ node }) => node));
  const found = new Map(
    rollbacks.map((rollback) => {
      const reaches = reaching(flow, [rollback.node], (node) => nodes.has(node));
      const [from, to] = branchAround(states[rollback.state] as State, rollback.pc);
      const isSeen = ({ state, pc }: Position): boolean =>
        (from === 0 && to === Number.POSITIVE_INFINITY) || (state === rollback.state && from <= pc && pc < to);
      return [
        rollback.node,
        byState(
          undos.filter((undo) => reaches[undo.node] && isSeen(undo)),
          states,
        ),
      ] as const;
    }),
  );
  return (state, pc) => found.get((flow.starts[state] as number) + pc) ?? [];
}

function byState(undos: readonly Position[], states: readonly State[]): UndoneState[] {
  const texts = new Map<number, string[]>();
  for (const { state, pc } of undos) {
    const instruction = (states[state] as State).code[pc] as Instruction;
    if (instruction.op !== 'undo' || !('text' in instruction.by)) continue;
    texts.set(state, [oneLine(instruction.by.text), ...(texts.get(state) ?? [])]);
  }
  return [...texts].map(([state, list]) => ({ state, texts: [...new Set(list)] }));
}

/** The code of the innermost branch of a PARALLEL around an instruction: a ROLLBACK there undoes only what it did. */
function branchAround({ code }: State, pc: number): readonly [from: number, to: number] {
  let around: readonly [number, number] = [0, Number.POSITIVE_INFINITY];
  code.forEach((one, at) => {
    if (one.op !== 'fork' && one.op !== 'fork-each') return;
    if (pc <= at || pc >= one.join) return;
    const begins = one.op === 'fork' ? one.branches.map((branch) => branch.pc) : [one.body];
    const from = begins.findLast((begin) => begin <= pc) ?? at;
    around = [from, begins.find((begin) => begin > pc) ?? one.join];
  });
  return around;
}
