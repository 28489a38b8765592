/** Which instructions of an edited program stand where they stood, and which of them are done. */
import { successors } from '../../machine/control-flow.js';
import type { Instruction, Machine, State } from '../../machine/machine.js';
import type { Outcome } from '../events/event.js';
import type { Alignment } from './alignment.js';
import type { Execution, Executions } from './executions.js';
import { instructionKey } from './instruction-key.js';
import type { RunImage, ThreadImage } from './run-image.js';

/** An instruction that was executed, with what it has: an outcome on record, or what it has bound. */
export interface Done extends Omit<Execution, 'effects' | 'left'> {
  readonly effect: string;
  readonly outcome: Outcome;
}

export interface Location {
  readonly state: number;
  readonly pc: number;
}

export interface Moving {
  readonly from: Machine;
  readonly to: Machine;
  /** The run in the program as it was, and in the edited one. */
  readonly image: RunImage;
  readonly rebased: RunImage;
  /** Pairs the instructions of the two states of that name. */
  readonly align: (old: State, fresh: State) => Alignment;
  readonly finished: Finished;
}

/** What a run has done, and in which turns of loops its threads are. */
export interface Finished {
  readonly all: readonly Done[];
  readonly turnOf: Executions['turnOf'];
}

/**
 * The effects that stand where they stood: old ones with a partner in the edited program (`partners`), and those partners
 * (`taken`). `stays`: those that are done, and that the run comes to again. An instruction above
 * the line where the run resumes is done, so one that was moved from there is not where it stood.
 */
export function locationsOf(
  { from, to, image, rebased, align }: Moving,
  takesOver: (state: string, pc: number) => boolean,
): { partners: Set<string>; taken: Set<string>; stays: Set<string> } {
  const stays = new Set<string>();
  const partners = new Set<string>();
  const taken = new Set<string>();
  const changed: { readonly old: string; readonly fresh: string; readonly key: string }[] = [];
  from.states.forEach((old, at) => {
    const index = to.states.findIndex(({ name }) => name === old.name);
    const fresh = to.states[index];
    if (fresh === undefined) return;
    const alignment = align(old, fresh);
    const isCurrent = old.name === image.state;
    old.code.forEach((one, pc) => {
      const other = alignment.of(pc);
      const its = instructionKey(one, old, pc);
      // What an earlier edit moved is done, and has not been reached since.
      if (other === null || its === null || takesOver(old.name, pc)) return;
      const has = instructionKey(fresh.code[other] as Instruction, fresh, other);
      const isSame = has?.key === its.key || (has !== null && has.name !== null && has.name === its.name);
      const wasDone = isCurrent && isPassed(image.main, old.code, pc, true);
      const isDone = isCurrent && isPassed(rebased.main, fresh.code, other, false);
      if (wasDone && !isDone) {
        stays.add(`${index} ${other}`);
        return;
      }
      if (!isSame) {
        if (wasDone) changed.push({ old: `${at} ${pc}`, fresh: `${index} ${other}`, key: its.key });
        return;
      }
      partners.add(`${at} ${pc}`);
      taken.add(`${index} ${other}`);
    });
  });
  // A changed line above the line where the run resumes stays done, unless its text is elsewhere now.
  const free = new Set<string>();
  to.states.forEach((state, at) => {
    state.code.forEach((one, pc) => {
      const its = instructionKey(one, state, pc);
      if (its !== null && !taken.has(`${at} ${pc}`)) free.add(its.key);
    });
  });
  for (const { old, fresh, key } of changed) {
    if (free.has(key)) continue;
    partners.add(old);
    taken.add(fresh);
  }
  return { partners, taken, stays };
}

/** Whether a thread is past an instruction: of the turns of a parallel loop, whether any is, or else all. */
export function isPassed({ pc, forks }: ThreadImage, code: readonly Instruction[], at: number, any: boolean): boolean {
  for (const fork of forks) {
    const one = code[fork.pc];
    if ((one?.op !== 'fork' && one?.op !== 'fork-each') || at <= fork.pc || at >= one.join) continue;
    const passed = fork.members.map(({ thread, status }) =>
      thread === null ? status !== 'waiting' : isPassed(thread, code, at, any),
    );
    if (one.op === 'fork') return passed[branchAt(one, at)] ?? false;
    return any ? passed.includes(true) : !passed.includes(false);
  }
  return at < pc;
}

function branchAt({ branches }: Extract<Instruction, { op: 'fork' }>, pc: number): number {
  return branches.findLastIndex((branch) => branch.pc <= pc);
}

/** Whether at most one of two instructions of a state is executed in a turn: they are in different arms. */
export function excludes({ name, code }: State, one: Location, other: Location): boolean {
  if (one.state !== other.state || name === '') return false;
  const runsBoth = code.some(
    (fork, pc) =>
      fork.op === 'fork' &&
      [one.pc, other.pc].every((at) => at > pc && at < fork.join) &&
      branchAt(fork, one.pc) !== branchAt(fork, other.pc),
  );
  return !runsBoth && !leadsTo(code, one.pc, other.pc) && !leadsTo(code, other.pc, one.pc);
}

function leadsTo(code: readonly Instruction[], from: number, to: number): boolean {
  const seen = new Set([from]);
  for (const at of seen) {
    const one = code[at];
    if (one === undefined) continue;
    const inner = one.op === 'fork' ? one.branches.map(({ pc }) => pc) : one.op === 'fork-each' ? [one.body] : [];
    for (const next of [...successors(code, at), ...inner]) {
      if (next === to) return true;
      seen.add(next);
    }
  }
  return false;
}
