/** Which instructions of an edited program stand where they stood, and which of them are done. */
import { successors } from '../../machine/control-flow.js';
import type { Instruction, Machine, State } from '../../machine/machine.js';
import type { Outcome } from '../events/event.js';
import type { Alignment } from './alignment.js';
import type { PastExecution, PastExecutions } from './earlier-executions.js';
import { instructionKey } from './instruction-key.js';
import type { RunImage, ThreadImage } from './run-image.js';

/** An instruction that was executed, with what it has: an outcome on record, or what it has bound. */
export interface DoneInstruction extends Omit<PastExecution, 'effects' | 'left'> {
  readonly effect: string;
  readonly outcome: Outcome;
}

export interface CodeLocation {
  readonly state: number;
  readonly pc: number;
}

export interface Moving {
  readonly from: Machine;
  readonly to: Machine;
  /** The run in the program as it was, and in the edited one. */
  readonly image: RunImage;
  readonly rebased: RunImage;
  /** By their paths in the run as it was. Those in a block that begins anew have none. */
  readonly threads: ReadonlyMap<string, SurvivingThread>;
  /** Pairs the instructions of the two states of that name. */
  readonly align: (old: State, fresh: State) => Alignment;
  readonly finished: FinishedWork;
}

/** A thread that continues in the edited program, or has ended (null). `region`: its instructions; null: all. */
export interface SurvivingThread {
  readonly region: CodeRegion | null;
  readonly thread: ThreadImage | null;
}

/** What a run has done, and in which turns of loops its threads are. */
export interface FinishedWork {
  readonly all: readonly DoneInstruction[];
  /** What changes nothing when it is executed again, unless values have changed since; only of the state in which the run is. */
  readonly passed: readonly DoneInstruction[];
  readonly turnOf: PastExecutions['turnOf'];
}

/** An instruction that is done, and to which the run comes again. */
export interface Staying {
  readonly its: CodeLocation;
  /** Its text is another one. */
  readonly isChanged: boolean;
}

/**
 * The instructions that stand where they stood: old ones with a partner in the edited program (`partners`), and those partners
 * (`taken`). `stays`: by their old places, those that are done, and to which the run comes again. An instruction above
 * the line where the run resumes is done, so one that was moved from there is not where it stood. `unreached`: the partners
 * that were not executed, and to which the run comes.
 */
export function locationsOf(
  { from, to, image, rebased, align, finished }: Moving,
  takesOver: (state: string, pc: number) => boolean,
): { partners: Set<string>; taken: Set<string>; stays: Map<string, Staying>; unreached: CodeLocation[] } {
  const stays = new Map<string, Staying>();
  const unreached: CodeLocation[] = [];
  const entered = new Set(image.trail.last);
  const executed = new Set(
    [...finished.all, ...finished.passed].flatMap(({ state, pc, entry }) =>
      entry === image.transitions ? [`${state} ${pc}`] : [],
    ),
  );
  const partners = new Set<string>();
  const taken = new Set<string>();
  const changed: {
    readonly old: string;
    readonly fresh: string;
    readonly key: string;
    readonly again: CodeLocation | null;
  }[] = [];
  from.states.forEach((old, at) => {
    const index = to.states.findIndex(({ name }) => name === old.name);
    const fresh = to.states[index];
    if (fresh === undefined) return;
    const alignment = align(old, fresh);
    const isCurrent = old.name === image.state;
    old.code.forEach((one, pc) => {
      const other = alignment.of(pc);
      // What an earlier edit moved is done, and has not been reached since.
      if (other === null || takesOver(old.name, pc)) return;
      const its = instructionKey(one, old, pc);
      const wasDone = isCurrent && isPassed(image.main, old.code, pc, true);
      const isDone = isCurrent && isPassed(rebased.main, fresh.code, other, false);
      const location = { state: index, pc: other };
      if (its === null) {
        // A condition that was tested decides as it did, and a value that was bound stays.
        if (isCurrent && !isDone && alignment.isUnchanged(pc))
          stays.set(`${at} ${pc}`, { its: location, isChanged: false });
        return;
      }
      // In an arm that was not taken: its text is as good as new, so an equal line that was moved there is done.
      if (wasDone && !isDone && !executed.has(`${old.name} ${pc}`)) return;
      const has = instructionKey(fresh.code[other] as Instruction, fresh, other);
      const isSame = has?.key === its.key || (has !== null && has.name !== null && has.name === its.name);
      // What a loop did in earlier turns is below the line where the run is.
      const again = isCurrent && !isDone ? location : null;
      const [was, is] = [`${at} ${pc}`, `${index} ${other}`];
      if (!isSame) {
        if (wasDone) changed.push({ old: was, fresh: is, key: its.key, again });
        return;
      }
      if (again !== null) stays.set(was, { its: again, isChanged: has.key !== its.key });
      partners.add(was);
      taken.add(is);
      if (!isDone && !executed.has(`${old.name} ${pc}`) && (isCurrent || !entered.has(at))) unreached.push(location);
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
  for (const { old, fresh, key, again } of changed) {
    if (free.has(key)) continue;
    if (again !== null) stays.set(old, { its: again, isChanged: true });
    partners.add(old);
    taken.add(fresh);
  }
  return { partners, taken, stays, unreached };
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
export function excludes({ name, code }: State, one: CodeLocation, other: CodeLocation): boolean {
  if (one.state !== other.state || name === '') return false;
  const runsBoth = code.some(
    (fork, pc) =>
      fork.op === 'fork' &&
      [one.pc, other.pc].every((at) => at > pc && at < fork.join) &&
      branchAt(fork, one.pc) !== branchAt(fork, other.pc),
  );
  return !runsBoth && !leadsTo(code, one.pc, other.pc) && !leadsTo(code, other.pc, one.pc);
}

/** Where execution continues after the members of blocks in which an instruction is. */
function joinsAround(code: readonly Instruction[], at: number): number[] {
  return code.flatMap((one, pc) =>
    (one.op === 'fork' || one.op === 'fork-each') && pc < at && at < one.join ? [one.join] : [],
  );
}

function leadsTo(code: readonly Instruction[], from: number, to: number): boolean {
  const seen = new Set([from]);
  for (const at of seen) {
    const one = code[at];
    if (one === undefined) continue;
    const inner = one.op === 'fork' ? one.branches.map(({ pc }) => pc) : one.op === 'fork-each' ? [one.body] : [];
    const ended = one.op === 'branch-end' ? joinsAround(code, at) : [];
    for (const next of [...successors(code, at), ...inner, ...ended]) {
      if (next === to) return true;
      seen.add(next);
    }
  }
  return false;
}

/** Instructions that belong together, without the end. */
export interface CodeRegion {
  readonly from: number;
  readonly to: number;
}

/** The instructions of a member. */
export function regionOf(fork: Instruction | undefined, index: number): CodeRegion | null {
  if (fork?.op === 'fork-each') return { from: fork.body, to: fork.join };
  if (fork?.op !== 'fork') return null;
  const { branches, join } = fork;
  return { from: branches[index]?.pc ?? join, to: branches[index + 1]?.pc ?? join };
}
