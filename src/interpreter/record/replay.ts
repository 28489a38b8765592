/**
 * A run from its record. The record holds what the world told the run; everything else the run makes again, and must
 * make as it was: what comes next in the record is either what the run has made, or something to tell it, or a
 * reason to let it advance. So recovery is no second engine, and a program that went elsewhere is noticed at once.
 *
 * 1. Only what is in the record is told to the run, in its order.
 * 2. The run is told something when it can do nothing by itself, as it was then, and advances by the smallest step that
 *    makes events: else what it does next could depend on whether two outcomes came together.
 * 3. Nothing here depends on the time or on the order in which a replay is done.
 */

import { holdKey, releaseHeld } from '../control/hold.js';
import type { EffectKind, HeldFailure, Outcome, RunEvent, RunResumed } from '../events/event.js';
import { limitsOf } from '../events/stored-limits.js';
import { forceStartCall } from '../plan/launch-call.js';
import type { EffectRequest } from '../request.js';
import {
  advance,
  answer,
  cancelRun,
  exceed,
  grant,
  type Run,
  receiveSignal,
  reopen,
  settle,
  skipNumbers,
} from '../run.js';
import { isAnswered } from '../settle.js';
import { beginRollback } from '../undo/rollback.js';
import { forceStartMember } from './force-start.js';
import { Rewording } from './rewording.js';

export interface ReplayOptions {
  /** An event as it stands in the record: secrets replaced, large values elsewhere. */
  readonly toRecorded: (event: RunEvent) => RunEvent;
  /** What of an event is compared. */
  readonly toCompared: (event: RunEvent) => RunEvent;
  /** The record may be of an earlier version, which worded failures differently. Absent: every word is compared. */
  readonly allowsRewording?: boolean;
  /** Gives an outcome the text that is kept elsewhere, where the request needs it. */
  readonly complete: (outcome: Outcome, request: EffectRequest | null) => Outcome;
  /** The run in another machine, from here on; null where that cannot be. */
  readonly migrate: (run: Run, digest: string, failed: boolean) => Run | null;
}

/** The first event of a record that its program does not produce. */
export interface Difference {
  readonly seq: number;
  readonly recorded: RunEvent;
  /** Null: the program produces nothing there. */
  readonly made: RunEvent | null;
}

const PROCESSES: ReadonlySet<EffectKind> = new Set(['shell', 'argv', 'function', 'agent', 'tool']);

export class Replay {
  run: Run;
  /** Made, but not yet found in the record. */
  private made: RunEvent[] = [];
  private at = 0;
  private readonly open = new Map<string, EffectRequest>();
  /** Requests that are on record, by effect and try. */
  private readonly delivered = new Set<string>();
  /** Outcomes were left out, so what follows from them is missing in the record or different. */
  private loose = false;
  private readonly rewording = new Rewording();

  /** `restored`: the run comes from a snapshot, so everything it asks for is on record. */
  constructor(
    run: Run,
    private readonly options: ReplayOptions,
    restored: boolean,
  ) {
    this.run = run;
    this.gather();
    if (restored) for (const request of this.open.values()) this.delivered.add(keyOf(request));
  }

  /** Takes the next event of the record. */
  take(seq: number, event: RunEvent): Difference | null {
    switch (event.type) {
      case 'run_suspended':
      case 'run_interrupted':
      case 'worktree_committed':
        return null;
      case 'run_resumed':
        return this.resume(seq, event);
      case 'warned':
        if (event.by === 'runner') return null;
        break;
      default:
    }
    return this.loose ? this.follow(event) : this.match(seq, event);
  }

  /** The record has an outcome here that does not count any more. */
  leaveOut(): void {
    this.loose = true;
  }

  /** From here on these failures are not taken, up to where the run is resumed. */
  holdAt(failures: readonly HeldFailure[]): void {
    this.run.holdAt(failures.length === 0 ? null : new Set(failures.map(holdKey)));
  }

  /** All of the record before the point where the run is resumed is read: what was held begins again. */
  releaseHeldFailures(): void {
    if (this.run.holds === null) return;
    while (advance(this.run) === 'more');
    this.collect();
    releaseHeld(this.run);
  }

  /** What the run made and the record does not have: it was lost with the process, and is to be recorded now. */
  rest(): RunEvent[] {
    const rest = this.loose ? [] : this.made.slice(this.at);
    this.made = [];
    this.at = 0;
    return rest;
  }

  /** Processes that may have been started and have no outcome on record. */
  inDoubt(): EffectRequest[] {
    return [...this.open.values()]
      .filter(({ kind }) => PROCESSES.has(kind))
      .filter((one) => this.delivered.has(keyOf(one)));
  }

  /** Hands all open requests to whoever drives the run from here. */
  release(): Run {
    for (const request of this.open.values()) this.run.request(request);
    this.open.clear();
    return this.run;
  }

  private resume(seq: number, event: RunResumed): Difference | null {
    this.releaseHeldFailures();
    if (this.loose) this.rest();
    this.loose = false;
    if (event.digest !== undefined) {
      const migrated = this.options.migrate(this.run, event.digest, event.from !== undefined);
      if (migrated === null) return { seq, recorded: event, made: null };
      this.run = migrated;
      this.open.clear();
      this.gather();
      for (const request of this.open.values()) this.delivered.add(keyOf(request));
    }
    if (event.limits !== undefined || event.from !== undefined) reopen(this.run, limitsOf(event.limits ?? {}));
    if (event.granted !== undefined) grant(this.run, event.granted);
    if (event.spent !== undefined) this.run.usage.addSpent(event.spent);
    if (event.begun !== undefined) skipNumbers(this.run, event.begun);
    return null;
  }

  private match(seq: number, event: RunEvent): Difference | null {
    for (;;) {
      const next = this.made[this.at];
      if (next !== undefined) {
        const { toRecorded: recorded, toCompared: compared, allowsRewording } = this.options;
        // Earlier versions did not record it.
        if (next.type === 'instruction_failed' && event.type !== 'instruction_failed') {
          this.pass();
          continue;
        }
        const made = compared(recorded(next));
        // A text that became a secret since then is still plain in the record.
        const differs =
          !isSameEvent(made, compared(event)) &&
          !isSameEvent(made, compared(recorded(event))) &&
          !(allowsRewording === true && this.rewording.explains(made, compared(event)));
        if (differs && this.deliverTogether(event)) return null;
        this.pass();
        if (differs) return { seq, recorded: event, made: next };
        this.note(event);
        return null;
      }
      if (endsAtOnce(event) && this.deliverNow(event)) return null;
      const status = advance(this.run, 0);
      this.collect();
      // The members beside it did what they did because it had ended.
      if (this.run.held.some(({ member }) => member !== null)) {
        this.loose = true;
        return this.follow(event);
      }
      if (this.made.length > 0 || status === 'more') continue;
      // Some requests are no event, so it may only now be waiting for this.
      return this.deliverNow(event) ? null : { seq, recorded: event, made: null };
    }
  }

  /** The next event that was made is dealt with. */
  private pass(): void {
    this.at++;
    if (this.at === this.made.length) this.rest();
  }

  private deliverNow(event: RunEvent): boolean {
    if (!this.deliver(event)) return false;
    // The first event is the one that was told.
    this.made.shift();
    return true;
  }

  /** An interrupted run is told all that is there at once, before it does what follows from any of it. */
  private deliverTogether(event: RunEvent): boolean {
    if (event.type !== 'effect_settled' && event.type !== 'answered') return false;
    const before = this.made.length;
    if (!this.deliver(event)) return false;
    this.made.splice(before, 1);
    return true;
  }

  /** Where outcomes are missing, the run is told what it still wants to know, and what it makes is not looked at. */
  private follow(event: RunEvent): null {
    this.note(event);
    while (!this.deliver(event)) {
      const status = advance(this.run);
      this.collect();
      if (status === 'more' || this.forceStart(event)) continue;
      this.deliver(event);
      break;
    }
    this.rest();
    return null;
  }

  /** Behind an outcome that was left out, a member may have to wait for a place that did not wait then. */
  private forceStart(event: RunEvent): boolean {
    const { run } = this;
    return 'effect' in event && !run.pending.has(event.effect) && forceStartMember(run, event.effect);
  }

  /** True when the event is something that the run was waiting to be told. */
  private deliver(event: RunEvent): boolean {
    const { run } = this;
    switch (event.type) {
      case 'effect_settled': {
        const pending = run.pending.get(event.effect);
        if (event.stopped || pending === undefined || pending.attempt !== event.attempt) return false;
        const outcome = this.options.complete(event.outcome, this.open.get(event.effect) ?? null);
        settle(run, event.effect, outcome);
        this.delivered.delete(keyOf(event));
        break;
      }
      case 'effect_requested':
        // Behind an outcome that was left out, a call of a plan may have to wait that did not wait then.
        if (!(this.loose && !run.pending.has(event.effect) && forceStartCall(run, event.effect))) return false;
        break;
      case 'answered':
        if (!isAnswered(run.pending.get(event.effect)?.kind ?? 'clock')) return false;
        answer(run, event.effect, event.value, event.by);
        break;
      case 'signal_received':
        receiveSignal(run, event.name, event.payload, event.by);
        break;
      case 'budget_exceeded':
        // The others are measured by the run itself.
        if (event.scope !== 'time' && event.scope !== 'journal' && event.scope !== 'output') return false;
        exceed(run, event.scope, event.limit, event.used);
        break;
      case 'run_cancelled':
        cancelRun(run, event.by);
        break;
      case 'rollback_started':
        beginRollback(run, event.by);
        break;
      default:
        return false;
    }
    this.collect();
    return true;
  }

  private collect(): void {
    this.gather();
    for (const event of this.run.takeEvents()) this.made.push(event);
  }

  private gather(): void {
    const { run, open } = this;
    run.takeCancellations();
    for (const request of run.takeRequests()) open.set(request.effect, request);
    for (const effect of open.keys()) if (!run.pending.has(effect)) open.delete(effect);
  }

  private note(event: RunEvent): void {
    if (event.type === 'effect_requested' && PROCESSES.has(event.kind)) this.delivered.add(keyOf(event));
  }
}

/** What ends a run is told whatever it is doing. */
function endsAtOnce({ type }: RunEvent): boolean {
  return type === 'budget_exceeded' || type === 'run_cancelled' || type === 'rollback_started';
}

function keyOf({ effect, attempt }: { readonly effect: string; readonly attempt: number }): string {
  return `${effect} ${attempt}`;
}

/** Both are JSON made by one program, so equal events are equal texts. */
function isSameEvent(made: RunEvent, recorded: RunEvent): boolean {
  if (made.type !== recorded.type) return false;
  if (made.type === 'effect_requested' && recorded.type === 'effect_requested' && recorded.artifact !== undefined) {
    const { prompt: _, ...withArgs } = made;
    const { args: __, ...without } = withArgs;
    // Records of earlier versions have the arguments in the artifact, too.
    const rest = recorded.args === undefined ? without : withArgs;
    return JSON.stringify({ ...rest, artifact: recorded.artifact }) === JSON.stringify(recorded);
  }
  return JSON.stringify(made) === JSON.stringify(recorded);
}
