/**
 * Rebuilds a run from its record. The record has what came from outside; the run produces everything else again, and must
 * produce the same. The next event of the record is either one that the run has produced, or something to deliver, or a
 * reason to let the run advance. So recovery is not a second engine, and a program that behaves differently is noticed at
 * once.
 *
 * 1. Only what is in the record is delivered to the run, in its order.
 * 2. Deliveries are made when the run cannot advance by itself, as in the original execution, and the run advances by the
 *    smallest step that produces events. Otherwise its behavior could depend on whether two outcomes came together.
 * 3. Nothing here depends on the time or on the order in which a replay is done.
 */
import type { Json } from '../../machine/expression.js';
import type { ExceededScope } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { holdKey, releaseHeld } from '../control/hold.js';
import { startMember } from '../control/join.js';
import { grantPermit } from '../control/semaphore.js';
import type { HeldFailure, Outcome, RunEvent, RunResumed } from '../events/event.js';
import { isMadeByRun, WORK_EFFECTS } from '../events/status-after.js';
import { limitsOf } from '../events/stored-limits.js';
import { forceStartCall } from '../plan/launch-call.js';
import type { EffectRequest } from '../request.js';
import {
  advance,
  answer,
  cancelRun,
  exceed,
  exceedImage,
  grant,
  REFUSED,
  type Run,
  receiveSignal,
  refuseRun,
  reopen,
  settle,
  skipNumbers,
  skipRun,
} from '../run.js';
import type { Semaphore } from '../run-state/fork-state.js';
import type { Thread } from '../run-state/thread.js';
import { isAnswered } from '../settle.js';
import { beginRollback } from '../undo/rollback.js';
import { fromRecord } from '../values/json.js';
import { ExpectedChanges, type VariableChanged } from './change.js';

/** Starts the next member in the queue of the member of an effect. False if this member does not wait for a permit. */
function forceStartMember(run: Run, effect: string): boolean {
  const semaphore = semaphoreBefore(run.main, effect);
  return semaphore !== null && grantPermit(semaphore, startMember);
}

/** The queue of the member to which an effect belongs. Ids of effects have fork and member, from the outside. */
function semaphoreBefore(thread: Thread, effect: string): Semaphore | null {
  for (const fork of thread.forks) {
    if (!effect.startsWith(`${fork.id}.`)) continue;
    const member = fork.members[Number.parseInt(effect.slice(fork.id.length + 1), 10) - 1];
    if (member === undefined) continue;
    if (member.status === 'waiting') return fork.semaphore;
    if (member.thread === null || member.status !== 'active') return null;
    if (fork.semaphore.returning.includes(member.thread)) return fork.semaphore;
    return semaphoreBefore(member.thread, effect);
  }
  // It requests the effect when its blocks have ended, which need not be on record.
  return semaphoreWithin(thread);
}

/** A queue in which a member of a block waits that a thread has opened. */
function semaphoreWithin({ forks }: Thread): Semaphore | null {
  for (const { members, semaphore } of forks) {
    for (const { status, thread } of members) {
      if (status === 'waiting' || (thread !== null && semaphore.returning.includes(thread))) return semaphore;
      const within = thread === null ? null : semaphoreWithin(thread);
      if (within !== null) return within;
    }
  }
  return null;
}

export interface ReplayOptions {
  /** An event as in the record: secrets are replaced and large values are elsewhere. */
  readonly toRecorded: (event: RunEvent) => RunEvent;
  /** The part of an event that is compared. */
  readonly toCompared: (event: RunEvent) => RunEvent;
  /** Adds the text that is stored elsewhere to an outcome, if the request needs it. */
  readonly complete: (outcome: Outcome, request: EffectRequest | null) => Outcome;
  /** The run in another machine, from here on; null if that is not possible. */
  readonly migrate: (run: Run, resumed: RunResumed & { readonly digest: string }) => Run | null;
  /** Called with each request that the run makes. */
  readonly onRequest?: ((request: EffectRequest) => void) | undefined;
}

/** The first event of a record that its program does not produce. */
export interface Difference {
  readonly seq: number;
  readonly recorded: RunEvent;
  /** Null: the program produces no event there. */
  readonly made: RunEvent | null;
}

export class Replay {
  run: Run;
  private changes = new ExpectedChanges([]);
  /** Events that the run has produced and that were not yet found in the record. */
  private made: RunEvent[] = [];
  private at = 0;
  private readonly open = new Map<string, EffectRequest>();
  /** Requests on record, by effect and attempt. */
  private readonly delivered = new Set<string>();
  /** Whether outcomes were discarded, so that what follows from them is missing in the record or differs. */
  private loose = false;

  /** `restored`: the run comes from a snapshot, so all its requests are on record. */
  constructor(
    run: Run,
    private readonly options: ReplayOptions,
    restored: boolean,
  ) {
    this.run = run;
    this.gather();
    if (restored) for (const request of this.open.values()) this.delivered.add(keyOf(request));
  }

  /** The changes on record that were made in a debugger, in order. Call it before the first event. */
  expect(changes: readonly VariableChanged[]): void {
    this.changes = new ExpectedChanges(changes);
    this.changes.watch(this.run);
  }

  /** Whether the record has everything that the run has produced, so that the run has an image here. */
  get isBetweenEvents(): boolean {
    return !this.loose && this.made.length === 0;
  }

  /** How many events the run has produced that were not yet found in the record. */
  get unmatched(): number {
    return this.made.length - this.at + this.run.untaken;
  }

  /** Makes a change that follows the record. False: the run does not come there. */
  change(event: VariableChanged): boolean {
    while (!this.changes.isReached && advance(this.run) === 'more');
    this.collect();
    const isDone = this.changes.take(event);
    this.collect();
    return isDone;
  }

  /** Takes the next event of the record. */
  take(seq: number, event: RunEvent): Difference | null {
    if (event.type === 'run_resumed') return this.resume(seq, event);
    if (!isMadeByRun(event)) return null;
    return this.loose ? this.follow(event) : this.match(seq, event);
  }

  /** Notes that the record has a discarded outcome here. */
  leaveOut(): void {
    this.loose = true;
  }

  /** Holds the run at these failures, up to the point where it is resumed. */
  holdAt(failures: readonly HeldFailure[]): void {
    this.run.holdAt(failures.length === 0 ? null : new Set(failures.map(holdKey)));
  }

  /** Releases held threads after the record was read up to the point where the run is resumed. */
  releaseHeldFailures(): void {
    if (this.run.holds === null) return;
    while (advance(this.run) === 'more');
    this.collect();
    releaseHeld(this.run);
  }

  /** The events that the record does not have: they were lost with the process and must be recorded now. */
  rest(): RunEvent[] {
    const rest = this.loose ? [] : this.made.slice(this.at);
    this.made = [];
    this.at = 0;
    return rest;
  }

  /** Advances the run until it waits. True: more follows from what is on record than the record has; the run is not at rest. */
  advanceToWait(): boolean {
    for (;;) {
      const status = advance(this.run);
      this.collect();
      if (this.made.length > 0) return true;
      if (status !== 'more') return false;
    }
  }

  /** Requests of processes that may have been started and have no outcome on record. */
  inDoubt(): EffectRequest[] {
    return [...this.open.values()]
      .filter(({ kind }) => WORK_EFFECTS.has(kind))
      .filter((one) => this.delivered.has(keyOf(one)));
  }

  /**
   * Passes all open requests to the loop that drives the run from here. An agent that was interrupted learns that it may
   * have begun before. `ended`: effects that are repeated although they had ended.
   */
  release(ended: ReadonlySet<string> = new Set()): Run {
    for (const request of this.open.values()) {
      const isInterrupted = this.delivered.has(keyOf(request)) && !ended.has(request.effect);
      this.run.request(isInterrupted && request.kind === 'agent' ? { ...request, again: true } : request);
    }
    this.open.clear();
    return this.run;
  }

  private resume(seq: number, event: RunResumed): Difference | null {
    // A run that only continued took nothing back: what was discarded before is still missing in what follows.
    if (!this.loose || event.from !== undefined) {
      this.releaseHeldFailures();
      if (this.loose) this.rest();
      this.loose = false;
    }
    if (event.digest !== undefined) {
      const migrated = this.options.migrate(this.run, { ...event, digest: event.digest });
      if (migrated === null) return { seq, recorded: event, made: null };
      this.run = migrated;
      this.changes.watch(migrated);
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
        const { toRecorded: recorded, toCompared: compared } = this.options;
        const made = compared(recorded(next));
        // A text that has become a secret since then is still readable in the record.
        const differs = ![event, recorded(event)].some((one) => isSameEvent(made, compared(one)));
        if (differs && (this.deliverTogether(event) || this.deliverRefusal(event))) return null;
        this.pass();
        if (differs) return { seq, recorded: event, made: next };
        this.note(event);
        return null;
      }
      if (endsAtOnce(event) && this.deliverNow(event)) return null;
      const status = advance(this.run, 0);
      this.collect();
      // The other members acted as they did because this one had ended.
      if (this.run.held.some(({ member }) => member !== null)) {
        this.loose = true;
        return this.follow(event);
      }
      if (this.made.length > 0) continue;
      if (this.changes.isReached && event.type !== 'variable_changed') return { seq, recorded: event, made: null };
      if (status === 'more' && !this.changes.isReached) continue;
      // Some requests have no event, so the run may be waiting for this only now.
      return this.deliverNow(event) ? null : { seq, recorded: event, made: null };
    }
  }

  /** Removes the next event that the run has produced. */
  private pass(): void {
    this.at++;
    if (this.at === this.made.length) this.rest();
  }

  private deliverNow(event: RunEvent): boolean {
    if (!this.deliver(event)) return false;
    // The first event is the delivery itself.
    this.made.shift();
    return true;
  }

  /** Delivers several outcomes at once, as an interrupted run received them, before anything follows from them. */
  private deliverTogether(event: RunEvent): boolean {
    if (event.type !== 'effect_settled' && event.type !== 'answered') return false;
    const before = this.made.length;
    if (!this.deliver(event)) return false;
    this.made.splice(before, 1);
    return true;
  }

  /** A run is refused or skipped before it does anything, so what it would have done first is not on record. */
  private deliverRefusal(event: RunEvent): boolean {
    const before = this.made.length;
    if ((event.type !== 'run_failed' && event.type !== 'run_skipped') || !this.deliver(event)) return false;
    this.made.splice(before);
    return true;
  }

  /** After discarded outcomes: delivers what the run still waits for, without comparing what it produces. */
  private follow(event: RunEvent): null {
    this.note(event);
    while (!this.deliver(event)) {
      const status = advance(this.run);
      this.collect();
      if ((status === 'more' && !this.changes.isReached) || this.forceStart(event)) continue;
      this.deliver(event);
      break;
    }
    if ((event.type === 'asked' || event.type === 'effect_requested') && event.id !== undefined)
      this.run.adoptWaitId(event.effect, event.id);
    this.rest();
    return null;
  }

  /** After a discarded outcome, a member may have to wait for a permit for which it did not wait originally. */
  private forceStart(event: RunEvent): boolean {
    const { run } = this;
    return 'effect' in event && !run.pending.has(event.effect) && forceStartMember(run, event.effect);
  }

  /** Delivers an event that the run waits for. False if it does not wait for it. */
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
        // After a discarded outcome, a call of a plan may have to wait that did not wait originally.
        if (!(this.loose && !run.pending.has(event.effect) && forceStartCall(run, event.effect))) return false;
        break;
      case 'answered':
        if (!isAnswered(run.pending.get(event.effect)?.kind ?? 'clock')) return false;
        answer(run, event.effect, fromRecord(event.value, event.printed), event.by, howIn(event));
        break;
      case 'signal_received':
        receiveSignal(
          run,
          event.name,
          fromRecord(event.payload, event.printed),
          event.by,
          omitUndefined({ id: event.id }),
        );
        break;
      case 'budget_exceeded':
        // The run itself measures the others.
        if (!MEASURED_OUTSIDE.has(event.scope)) return false;
        if (event.scope === 'image') exceedImage(run, event.limit, event.used);
        else exceed(run, event.scope, event.limit, event.used);
        break;
      case 'run_cancelled':
        cancelRun(run, event.by);
        break;
      case 'run_skipped':
        skipRun(run, event.key, event.run_id);
        break;
      case 'rollback_started':
        beginRollback(run, event.by);
        break;
      case 'variable_changed':
        if (!this.changes.take(event)) return false;
        break;
      case 'run_failed':
        if (event.error.kind !== REFUSED) return false;
        refuseRun(run, event.error.message);
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
    for (const request of run.takeRequests()) {
      open.set(request.effect, request);
      this.options.onRequest?.(request);
    }
    for (const effect of open.keys()) if (!run.pending.has(effect)) open.delete(effect);
  }

  private note(event: RunEvent): void {
    if (event.type === 'effect_requested') this.delivered.add(keyOf(event));
  }
}

/** Limits that the run cannot measure itself. */
const MEASURED_OUTSIDE: ReadonlySet<ExceededScope> = new Set(['time', 'journal', 'output', 'image']);

/** Events that end a run are delivered whatever it is doing. */
function endsAtOnce(event: RunEvent): boolean {
  const { type } = event;
  if (type === 'run_failed') return event.error.kind === REFUSED;
  return (
    type === 'budget_exceeded' || type === 'run_cancelled' || type === 'run_skipped' || type === 'rollback_started'
  );
}

function keyOf({ effect, attempt }: { readonly effect: string; readonly attempt: number }): string {
  return `${effect} ${attempt}`;
}

const howIn = ({ through, reason }: Extract<RunEvent, { type: 'answered' }>) => omitUndefined({ through, reason });

/** Both are JSON of one program, so equal events have equal texts. */
function isSameEvent(made: RunEvent, recorded: RunEvent): boolean {
  if (made.type !== recorded.type) return false;
  if (made.type === 'effect_requested' && recorded.type === 'effect_requested' && recorded.artifact !== undefined) {
    const { prompt: _, args: __, ...rest } = made;
    return JSON.stringify({ ...rest, artifact: recorded.artifact }) === JSON.stringify(recorded);
  }
  // A list that grows in a loop would be printed as a whole for each of its items.
  if (made.type === 'tracked_set' && recorded.type === 'tracked_set' && haveSameItems(made.value, recorded.value))
    return JSON.stringify({ ...made, value: null }) === JSON.stringify({ ...recorded, value: null });
  const [ours, theirs] = [JSON.stringify(made), JSON.stringify(recorded)];
  return ours === theirs || withoutQuotes(ours) === withoutQuotes(theirs);
}

function haveSameItems(one: Json, other: Json): boolean {
  if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false;
  return one.every((item, at) => item === other[at]);
}

/** In JSON inside a text, a secret number is hidden without quotes, but is a text when the run is rebuilt without it. */
function withoutQuotes(json: string): string {
  return json.replaceAll('\\"***\\"', '***');
}
