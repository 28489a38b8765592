/**
 * Decides where a run stops: at breakpoints, after steps, at failures, on changes. The same object judges a run that is
 * executed and one that is executed again; what it counts belongs to one of them.
 */
import { handlerFor } from '../../interpreter/control/fail.js';
import type { RuntimeFailure } from '../../interpreter/failure.js';
import type { LinkedMachine } from '../../interpreter/run-state/linked-machine.js';
import type { Thread } from '../../interpreter/run-state/thread.js';
import { equal, type Value } from '../../interpreter/values/value.js';
import { type Failures, releasedLink, type Trap } from './debug-link.js';
import type { ActionEntry, DebugProgram } from './debug-program.js';

export type StopReason =
  | 'breakpoint'
  | 'function breakpoint'
  | 'data breakpoint'
  | 'exception'
  | 'step'
  | 'pause'
  | 'entry'
  | 'goto';

/** A place at which a run stopped. */
export interface Stop {
  readonly reason: StopReason;
  readonly thread: Thread;
  readonly pc: number;
  /** In how many patterns the action is that comes next. */
  readonly depth: number;
  /** The ids of the breakpoints that stopped it. */
  readonly hit: readonly number[];
  /** What a person should know, such as a condition that failed. */
  readonly text?: string;
  readonly failure?: RuntimeFailure;
  /** The key of the call of a plan that is next. */
  readonly call?: string;
}

/** A breakpoint on an action. */
export interface Breakpoint {
  readonly id: number;
  readonly kind: 'breakpoint' | 'function breakpoint';
  /** Entries at which it stops. */
  readonly entries: readonly ActionEntry[];
  /** The call of a plan before which it stops, by the lines where calls begin. */
  readonly planCall?: { readonly file: string; readonly line: number };
  /** Whether it holds here; a text: what went wrong. */
  readonly condition: ((thread: Thread, entry: ActionEntry) => boolean | { readonly problem: string }) | null;
  readonly isHit: ((count: number) => boolean) | null;
  /** What is logged instead of a stop. */
  readonly message: ((thread: Thread, entry: ActionEntry) => string) | null;
}

/** A value that is watched for changes. */
export interface DataBreakpoint {
  readonly id: number;
  readonly name: string;
  readonly read: (thread: Thread) => Value | undefined;
}

/** Failures at which the run stops. */
export interface FailureFilter {
  readonly id: string;
  readonly condition: string | null;
}

/** What all executions of a session stop at. */
export interface WantedStops {
  breakpoints: readonly Breakpoint[];
  data: readonly DataBreakpoint[];
  failures: readonly FailureFilter[];
  /** The output of log points. */
  readonly log: (text: string, where: ActionEntry['where']) => void;
}

/** How a run continues. */
export type Motion =
  | { readonly kind: 'run' }
  | { readonly kind: 'pause'; readonly reason: StopReason }
  | { readonly kind: 'next' | 'in' | 'out'; readonly from: ThreadPosition }
  | { readonly kind: 'instruction'; readonly from: ThreadPosition };

/** Where a thread is, to compare. */
export interface ThreadPosition {
  readonly path: string;
  readonly pc: number;
  readonly depth: number;
  /** Patterns and steps around it. */
  readonly nesting: number;
  readonly visit: number;
}

/** In how many steps a thread is. */
function openSteps({ frames }: Thread): number {
  return frames.filter(({ kind }) => kind === 'step').length;
}

export function positionOf(thread: Thread, pc: number, depth: number): ThreadPosition {
  const { path, run } = thread;
  return { path, pc, depth, nesting: depth + openSteps(thread), visit: run.statesTotal };
}

export class Watch {
  motion: Motion = { kind: 'run' };
  /** Where the run stands; null: it is executed. */
  stop: Stop | null = null;
  /** Stops before an instruction whatever else is wanted; undefined: not at this one. */
  special: ((thread: Thread, pc: number) => Omit<Stop, 'thread' | 'pc' | 'hit'> | undefined) | null = null;
  private passing: { readonly thread: Thread; readonly pc: number; readonly depth: number } | null = null;
  private readonly failures: Failures = new Map();
  private readonly hits = new Map<number, number>();
  private values: readonly (Value | undefined)[] | null = null;
  private readonly byEntry = new Map<number, Breakpoint[]>();
  /** The positions of these entries. */
  private positions: ReadonlySet<number> = new Set();
  /** Results of gates and attempts of which a stop has told. */
  private readonly reported = new Set<string>();

  constructor(
    /** Another one where a run continues in another program. */
    public program: DebugProgram,
    public wanted: WantedStops,
    private readonly isQuiet: boolean,
  ) {
    this.update();
  }

  /** Call after the wanted breakpoints have changed. */
  update(): void {
    this.byEntry.clear();
    this.positions = new Set(this.wanted.breakpoints.flatMap(({ entries }) => entries.map(({ pc }) => pc)));
    for (const one of this.wanted.breakpoints)
      for (const { id } of one.entries) this.byEntry.set(id, [...(this.byEntry.get(id) ?? []), one]);
    this.values = null;
  }

  /** Continues from where the run stands. */
  proceed(motion: Motion): void {
    const { stop } = this;
    this.motion = motion;
    this.passing = stop === null ? null : { thread: stop.thread, pc: stop.pc, depth: stop.depth };
    this.stop = null;
  }

  /** What comes next is an instruction that was not executed before, also at the same position. */
  forgetLocation(): void {
    this.passing = null;
  }

  /** `everywhere`: all positions, whatever is wanted. */
  trap(everywhere: boolean, leave: () => void): Trap {
    const { data, failures } = this.wanted;
    const isEverywhere =
      everywhere || this.special !== null || this.motion.kind !== 'run' || data.length > 0 || failures.length > 0;
    return {
      positions: isEverywhere ? null : this.positions,
      before: (thread, pc) => this.before(thread, pc),
      failing:
        failures.length === 0 && !everywhere
          ? null
          : (thread, _, failure) => this.wanted.failures.some((filter) => isFiltered(filter, thread, failure)),
      atFailure: (thread, pc, failure) => this.atFailure(thread, pc, failure),
      failures: this.failures,
      leave,
    };
  }

  /** What executes the run when nobody looks at it any more. */
  release(linked: LinkedMachine): LinkedMachine {
    return releasedLink(linked, this.failures);
  }

  private before(thread: Thread, pc: number): boolean {
    // The loop that drives a run may advance it once more before it looks.
    if (this.stop !== null) return true;
    const { passing } = this;
    const from = passing?.thread === thread && passing.pc === pc ? passing.depth : -1;
    this.passing = null;
    const found = this.find(thread, pc, from);
    if (found === null) return false;
    this.stop = { thread, pc, ...found };
    return true;
  }

  /** `from`: actions at this position that are not deeper have been left. */
  private find(thread: Thread, pc: number, from: number): Omit<Stop, 'thread' | 'pc'> | null {
    const found = this.special?.(thread, pc);
    const special = found === undefined || found.depth <= from ? null : { hit: [], ...found };
    const { program, wanted } = this;
    if (wanted.data.length > 0 && from < 0) {
      const changed = this.changeStop(thread);
      if (changed !== null)
        return { ...changed, depth: program.entriesAt(pc)[0]?.depth ?? program.locationAt(pc)?.calls.length ?? 0 };
    }
    const failed = from < 0 ? this.failedInStep(thread) : null;
    if (failed !== null)
      return { reason: 'exception', hit: [], text: failed, depth: program.locationAt(pc)?.calls.length ?? 0 };
    // Most positions are only looked at because something else is wanted than a line.
    if (special === null && this.motion.kind === 'run' && !this.positions.has(pc)) return null;
    for (const entry of program.entriesAt(pc)) {
      if (entry.depth <= from) continue;
      if (special !== null && entry.depth >= special.depth) return special;
      const stop = this.atBreakpoints(thread, entry) ?? this.atStep(thread, pc, entry.depth);
      if (stop !== null) return { ...stop, depth: entry.depth };
    }
    if (special !== null) return special;
    if (this.motion.kind === 'instruction' && from < 0 && this.isAfter(thread, this.motion.from))
      return { reason: 'step', hit: [], depth: program.locationAt(pc)?.calls.length ?? 0 };
    return null;
  }

  private atBreakpoints(thread: Thread, entry: ActionEntry): Pick<Stop, 'reason' | 'hit' | 'text'> | null {
    const here = this.byEntry.get(entry.id);
    if (here === undefined) return null;
    const hit: Breakpoint[] = [];
    let problem: string | undefined;
    for (const one of here) {
      const holds = one.condition?.(thread, entry) ?? true;
      if (holds === false) continue;
      if (holds !== true) problem = holds.problem;
      const count = (this.hits.get(one.id) ?? 0) + 1;
      this.hits.set(one.id, count);
      if (holds === true && one.isHit?.(count) === false) continue;
      if (holds === true && one.message !== null) {
        if (!this.isQuiet) this.wanted.log(one.message(thread, entry), entry.where);
      } else hit.push(one);
    }
    const [first] = hit;
    if (first === undefined) return null;
    return { reason: first.kind, hit: hit.map(({ id }) => id), ...(problem === undefined ? {} : { text: problem }) };
  }

  private atStep(thread: Thread, pc: number, depth: number): Pick<Stop, 'reason' | 'hit'> | null {
    const { motion } = this;
    if (motion.kind === 'run') return null;
    if (motion.kind === 'pause') return { reason: motion.reason, hit: [] };
    return this.isWanted(motion, thread, positionOf(thread, pc, depth)) ? { reason: 'step', hit: [] } : null;
  }

  private isWanted(motion: Exclude<Motion, { kind: 'run' | 'pause' }>, thread: Thread, at: ThreadPosition): boolean {
    const { from, kind } = motion;
    const isOther = at.visit !== from.visit;
    switch (kind) {
      case 'in':
        return isOther || isWithin(at.path, from.path) || this.isAfter(thread, from);
      case 'next':
        return (isOther || at.nesting <= from.nesting || at.path !== from.path) && this.isAfter(thread, from);
      case 'out':
        return this.isAfter(thread, from) && (isOther || at.path !== from.path || at.nesting < from.nesting);
      default:
        return this.isAfter(thread, from);
    }
  }

  /** Whether this is the thread that steps, or the one that continues after it. */
  private isAfter(thread: Thread, from: ThreadPosition): boolean {
    if (thread.path === from.path) return true;
    if (!isWithin(from.path, thread.path)) return false;
    // The branch has ended when what waits for it is executed.
    return (
      !thread.forks.some(({ id, detached }) => isWithin(from.path, id) && !detached) || !this.isAlive(thread, from)
    );
  }

  private isAlive(thread: Thread, { path }: ThreadPosition): boolean {
    const all = [thread];
    for (const one of all)
      for (const { members } of one.forks)
        for (const member of members) if (member.thread !== null && member.status === 'active') all.push(member.thread);
    return all.some((one) => one.path === path && one.status !== 'done');
  }

  /** A gate or an attempt that has just failed, which no instruction throws; null: there is none. */
  private failedInStep({ frames, path }: Thread): string | null {
    if (frames.length === 0 || this.wanted.failures.length === 0) return null;
    const wants = (id: string): boolean => this.wanted.failures.some((filter) => filter.id === id);
    const [gates, attempts] = [wants('gate_failed'), wants('attempt_failed')];
    if (!gates && !attempts) return null;
    const frame = frames.findLast(({ kind }) => kind === 'step');
    if (frame?.kind !== 'step') return null;
    const report = (what: string): boolean => {
      const key = `${path} ${frame.path} ${frame.attempt} ${what}`;
      return !this.reported.has(key) && this.reported.add(key) !== undefined;
    };
    for (const [name, { pass, error, comments }] of gates ? Object.entries(frame.gates) : [])
      if (!pass && report(`gate ${name}`)) return `the gate \`${name}\` failed: ${error ?? comments ?? ''}`;
    const isOver = frame.phase === 'retry' || frame.failure !== null;
    return attempts && isOver && frame.verdict !== true && report('attempt')
      ? `attempt ${frame.attempt} of \`${frame.path}\` failed`
      : null;
  }

  private changeStop(thread: Thread): Pick<Stop, 'reason' | 'hit' | 'text'> | null {
    const { data } = this.wanted;
    const now = data.map(({ read }) => read(thread));
    const { values } = this;
    this.values = now;
    if (values === null || now.every((value, at) => value === values[at])) return null;
    const hit = data.filter((_, at) => {
      const [before, after] = [values[at], now[at]];
      return before !== after && (before === undefined || after === undefined || !equal(before, after));
    });
    if (hit.length === 0) return null;
    const text = `changed: ${hit.map(({ name }) => name).join(', ')}`;
    return { reason: 'data breakpoint', hit: hit.map(({ id }) => id), text };
  }

  /** Reads watched values before the first instruction, so that the first change is one. */
  noteValues(thread: Thread): void {
    this.values = this.wanted.data.map(({ read }) => read(thread));
  }

  private atFailure(thread: Thread, pc: number, failure: RuntimeFailure): void {
    const depth = this.program.locationAt(pc)?.calls.length ?? 0;
    this.stop = { reason: 'exception', thread, pc, depth, hit: [], text: failure.message, failure };
  }
}

function isWithin(path: string, outer: string): boolean {
  return outer === '' || path === outer || path.startsWith(`${outer}.`);
}

function isFiltered({ id, condition }: FailureFilter, thread: Thread, { errorType, about }: RuntimeFailure): boolean {
  if (condition !== null && condition.trim() !== '' && !condition.split(/[\s,|]+/).includes(errorType)) return false;
  switch (id) {
    case 'any':
      return true;
    case 'unhandled':
      return isUnhandled(thread, errorType);
    case 'gate_failed':
      return errorType === 'gate_failed' || about.gate !== undefined;
    case 'fell_off':
      return errorType === 'fell_off';
    default:
      return id === `kind:${errorType}`;
  }
}

/** No ON ERROR around it, nor around what waits for its branch, and no state ERROR. */
function isUnhandled(thread: Thread, kind: string): boolean {
  const { error } = thread.run.linked.machine;
  if (error !== null && thread.run.main.state !== error) return false;
  for (let one: Thread | null = thread; one !== null; one = one.member?.fork.parent ?? null)
    if (handlerFor(one, kind) !== null) return false;
  return true;
}
