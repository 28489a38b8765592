/**
 * Drives a run: the only loop that awaits. Each turn of it has three steps.
 *
 *     collect    hands the interpreter what has come from the world, and lets it compute until it needs the world again
 *     dispatch   makes the events of that durable, shows them, and starts the effects that were requested
 *     race       waits for whatever comes first: an outcome, mail, the end of the time, or a signal
 *
 * Invariants:
 * 1. Nothing is executed, shown or returned before its event is on disk. One sync covers an outcome, the request that
 *    follows from it, and everything that parallel branches did meanwhile. A process may be prepared during the sync.
 * 2. Only this loop calls the interpreter, and never while it awaits something.
 * 3. When `drive` returns, nothing that the run started still runs, except what a successful command left behind.
 */
import { type AdvanceStatus, exchange, type Finished, settleFinished } from '../../interpreter/exchange.js';
import type { EffectRequest, TimerRequest } from '../../interpreter/request.js';
import { advance, exceed, type Run, waiting } from '../../interpreter/run.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { unreachable } from '../../prelude/unreachable.js';
import { clockMs } from '../clock.js';
import type { EffectContext, PerformedRequest } from '../effect-context.js';
import { noteLazySignal } from '../stop-signal.js';
import type { Inbox } from '../store/inbox.js';
import { StoreError } from '../store/store-error.js';
import { nextTurn } from '../timer.js';
import { applyDelivery } from './apply-delivery.js';
import type { AttachableRun, DriveEnd, DriveOptions, Hold } from './drive-options.js';
import { type Flight, Flights, Questions } from './flights.js';
import { Mailbox } from './mailbox.js';
import { Recording, ReplayPoints } from './recording.js';
import { RunClock } from './run-clock.js';

/** The most transitions and loop rounds at once, so that signals are handled while a program only computes. */
const MOST = 4_096;
const FIRST = 64;
const SHORT_MS = 5;
const LONG_MS = 20;

/**
 * How far the interpreter advances before the loop checks for signals. Checking is cheap, but one round of a program's loop
 * may take any time: adding an item copies a list of half a million. So the number of rounds follows the time they take,
 * and signals are handled and memory is released whatever a program computes.
 */
export class Turns {
  /** How many transitions and loop rounds the next turn may have. */
  size = FIRST;
  private begun = 0;

  begin(): number {
    this.begun = clockMs();
    return this.size;
  }

  /** Call after everything that follows from the turn is done. */
  end(): void {
    const ms = clockMs() - this.begun;
    if (ms < SHORT_MS) this.size = Math.min(MOST, this.size * 2);
    else if (ms > LONG_MS) this.size = Math.max(1, Math.floor((this.size * SHORT_MS) / ms));
  }
}

/** Outcomes that are settled in one turn, and times that requests are answered at once, before the loop looks up. */
const MOST_AT_ONCE = 512;
/** How many effects are started before the loop continues: starting a process blocks it for a millisecond or two. */
const STARTS = 32;

/** Drives a run to its end, a suspension or an interruption. Rejects only with what `effects` and `onEvent` throw. */
export async function drive(run: Run, options: DriveOptions): Promise<DriveEnd> {
  const driver = new Driver(run, options);
  try {
    return await driver.loop();
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    return { kind: 'store-failed', message: cause.message };
  } finally {
    await driver.close();
  }
}

class Driver {
  private readonly flights = new Flights();
  private readonly questions: Questions;
  private readonly mailbox: Mailbox;
  private readonly clock: RunClock;
  private readonly points: ReplayPoints;
  private readonly recording: Recording;
  private readonly turns = new Turns();
  private hold: Hold | undefined;
  /** How the interpreter stopped last. Only a `blocked` one may be handed something new; see `settleFinished`. */
  private status: AdvanceStatus = 'more';
  /** Effects that were requested in this turn. They are started once their events are on disk. */
  private requested: EffectRequest[] = [];
  /** Acts at once instead of at the next `collect`, so that effects in flight do not continue until then. */
  private readonly stopFlights = (): void => this.flights.stopAll();

  constructor(
    private readonly run: Run,
    private readonly options: DriveOptions,
  ) {
    const { timeMs, signal, begin, growth, inbox, ask, person, through, context, time } = options;
    const wake = (): void => this.flights.wake();
    this.questions = new Questions(ask, omitUndefined({ by: person, through }), this.flights);
    this.hold = options.hold;
    const { onDebugger } = options;
    // A debugger that cannot be loaded, because the package was replaced meanwhile, must not end the run.
    const letIn = (asked: string): void =>
      void onDebugger?.(asked, this.attachable((inbox as Inbox).folder))?.catch(() => undefined);
    this.mailbox = new Mailbox(inbox, begin.deliveries ?? [], wake, onDebugger === undefined ? null : letIn);
    this.clock = new RunClock(begin.activeMs, timeMs, wake, time);
    time?.deliverTo((delivery) => this.mailbox.post(delivery));
    this.points = new ReplayPoints(context.resources.worktrees, begin.seq);
    this.recording = new Recording(options, this.points);
    growth?.watch(wake);
    signal?.addEventListener('abort', this.stopFlights, { once: true });
  }

  async loop(): Promise<DriveEnd> {
    this.recording.add([...this.options.begin.events]);
    this.hold?.begin(this.run);
    for (;;) {
      if (this.hold !== undefined) await this.whileHeld(this.hold);
      const turn = this.collect();
      if (turn === 'interrupted') return this.interrupt();
      await this.dispatch();
      if (this.hold !== undefined && turn === 'stopped') await this.whileHeld(this.hold);
      if (turn === 'stopped') {
        this.checkpoint(true);
        return { kind: 'ended' };
      }
      if (!(await this.race())) return this.suspend();
    }
  }

  private attachable(folder: string): AttachableRun {
    const { run } = this;
    return {
      run,
      folder,
      setHold: (hold) => {
        this.hold = hold ?? undefined;
        hold?.begin(run);
      },
    };
  }

  /** Waits while a debugger holds the run. The time does not count, and a signal ends it. */
  private async whileHeld(hold: Hold): Promise<void> {
    const released = hold.whenReleased(this.run);
    if (released === null || this.isInterrupted) return;
    // Going back executes the record again, which must reach to where the run is.
    await this.recording.sync();
    this.clock.pause();
    const { signal } = this.options;
    let wake = (): void => undefined;
    const interrupted = new Promise<void>((resolve) => {
      wake = resolve;
    });
    signal?.addEventListener('abort', wake, { once: true });
    await Promise.race([released, interrupted]);
    signal?.removeEventListener('abort', wake);
    this.clock.proceed();
  }

  /** Must be called however the loop ends, even by an error. */
  async close(): Promise<void> {
    this.hold?.end?.(this.run);
    this.clock.close();
    this.mailbox.close();
    this.options.signal?.removeEventListener('abort', this.stopFlights);
    this.stopFlights();
    await this.flights.allEnded();
  }

  /**
   * Step 1. The order matters. The limit of the disk comes first: an output that it cut off must not become an outcome.
   * Outcomes come before a signal: what has happened is kept, whatever stops the run. Time comes last: a run that has just
   * ended keeps its end.
   *
   * Requests for the time and for random numbers are answered at once, and then this step is repeated. So a loop that asks
   * for the time shares one sync with its next request.
   */
  private collect(): AdvanceStatus | 'interrupted' {
    for (let round = 1; ; round++) {
      this.applyGrowthLimit();
      this.settleFinished();
      if (this.mailbox.hasMail && this.status === 'blocked') this.deliverMail();
      if (this.isInterrupted) return 'interrupted';
      if (this.clock.isTimeUp) this.applyTimeLimit();
      const isAnswered = this.exchange(null);
      if (this.status !== 'blocked' || round === MOST_AT_ONCE) return this.status;
      if (!isAnswered && !this.mailbox.hasMail) return this.status;
    }
  }

  /** True: a request was answered at once, so there is something to settle. */
  private exchange(finished: Finished | null): boolean {
    const { status, events, requests, cancelled } = exchange(this.run, finished, this.turns.begin());
    this.status = status;
    this.cancel(cancelled);
    this.recording.add(events);
    let isAnswered = false;
    for (const request of requests) {
      if (request.kind === 'clock' || request.kind === 'uuid' || request.kind === 'random')
        isAnswered = this.start(request) || isAnswered;
      else this.requested.push(request);
    }
    this.turns.end();
    return isAnswered;
  }

  private cancel(effects: readonly string[]): void {
    for (const effect of effects) {
      this.questions.close(effect);
      this.flights.stop(effect);
    }
    if (effects.length === 0 || this.requested.length === 0) return;
    // Of two outcomes that came together, the second one may end what the first one requested.
    const cancelled = new Set(effects);
    this.requested = this.requested.filter(({ effect }) => !cancelled.has(effect));
  }

  /**
   * Settles outcomes one by one, each only after everything has followed from the previous one. When the time is up, all
   * of them are settled and nothing follows, because the run is about to end.
   */
  private settleFinished(): void {
    if (this.isInterrupted) return;
    const { isTimeUp } = this.clock;
    for (let count = 0; (this.status === 'blocked' || isTimeUp) && count < MOST_AT_ONCE; count++) {
      const finished = this.flights.takeNext();
      if (finished === null) return;
      if (isTimeUp) settleFinished(this.run, finished);
      else this.exchange(finished);
    }
  }

  /** Delivers what other processes sent to the run, each after everything has followed from the previous one. */
  private deliverMail(): void {
    for (const { delivery, ...through } of this.mailbox.take()) {
      if (this.run.result !== null) return;
      do this.status = advance(this.run, this.turns.begin());
      while (this.status === 'more');
      const answered = applyDelivery(this.run, delivery, through);
      if (answered !== null) this.cancel([answered]);
    }
  }

  private applyGrowthLimit(): void {
    const { growth } = this.options;
    if (growth === null || this.run.result !== null) return;
    const passed = growth.exceededLimit();
    if (passed !== null) exceed(this.run, passed.scope, passed.limit, passed.used);
    else this.recording.add(growth.warnings(this.run.currentState));
  }

  private applyTimeLimit(): void {
    if (this.run.result === null) exceed(this.run, 'time', this.options.timeMs ?? 0, this.clock.activeMs);
  }

  private get isInterrupted(): boolean {
    return this.options.signal?.aborted === true;
  }

  /** Step 2. Makes everything durable, then shows it, then starts what was requested. */
  private async dispatch(): Promise<void> {
    // While effects are in flight, the process must not block.
    const mayBlock = this.flights.isEmpty && this.options.mayBlock();
    await this.sync(mayBlock);
    // A stopped effect must not write into the files of the next one.
    const stopped = this.flights.whenStopped();
    if (stopped !== null) await stopped;
    const point = this.run.result === null ? await this.points.keep() : null;
    if (point !== null) {
      this.recording.add([point]);
      await this.recording.sync();
    }
    this.recording.show();
    this.options.stateFile?.now(this.run);
    this.checkpoint(false);
    await this.startRequested();
  }

  /**
   * A loop that only computes needs no sync: its events become durable with the next one. A sync must precede showing or
   * starting anything, the end, and waiting: the result of a member of a PARALLEL must not be lost while others continue.
   */
  private async sync(mayBlock: boolean): Promise<void> {
    const isDue =
      this.status === 'blocked' || this.requested.length > 0 || this.recording.hasUnshown || this.run.result !== null;
    if (!isDue) return;
    await this.recording.sync(mayBlock);
    if (this.options.redactor !== null) this.options.inbox?.forget();
  }

  private async startRequested(): Promise<void> {
    const requests = this.requested;
    this.requested = [];
    for (let at = 0; at < requests.length; at++) {
      if (this.clock.isTimeUp || this.isInterrupted) return;
      this.start(requests[at] as EffectRequest);
      if (at % STARTS === STARTS - 1) await nextTurn();
    }
  }

  /** True: the effect ended at once. */
  private start(request: EffectRequest): boolean {
    switch (request.kind) {
      case 'signal':
      case 'ask':
        this.questions.put(request);
        return false;
      case 'shell':
      case 'argv':
      case 'function':
      case 'agent':
      case 'tool':
      case 'timer':
      case 'clock':
      case 'uuid':
      case 'random':
      case 'worktree':
      case 'schema':
        return this.flights.start(request, (flight) => this.perform(request, flight));
      default:
        return unreachable(request);
    }
  }

  private perform(request: PerformedRequest, flight: Flight) {
    const { onOutput, onNotice } = this.options;
    const context: EffectContext = {
      ...this.options.context,
      get stop() {
        return flight.stopping.signal;
      },
      show: onOutput === null ? null : (bytes, stream) => onOutput(request.effect, bytes, stream),
      notice: onNotice === null ? undefined : (text) => onNotice(request.effect, text),
    };
    noteLazySignal(context, flight.stopping);
    const { effects } = this.options;
    return (this.hold?.holding(effects) ?? effects).perform(request, context);
  }

  /** Step 3. False: nothing is expected that the process should wait for. */
  private async race(): Promise<boolean> {
    if (this.status === 'more' || this.flights.finished.length > 0) {
      await nextTurn();
      return true;
    }
    // Each of these may have come while the disk was written, when nothing could wake the loop.
    if (this.clock.isTimeUp || this.mailbox.hasMail || this.isInterrupted || this.hasGrown()) return true;
    // Reads the mail once more, because a suspended run does not see it until it is resumed.
    if (!this.isBusy() && this.options.time?.hasDeliveries !== true && !(await this.isFreeEarlier()))
      return this.mailbox.look();
    this.options.stateFile?.later(this.run);
    if (this.moveTime()) return true;
    await this.flights.somethingFinished();
    return true;
  }

  /** Moves virtual time if everything in flight waits for it. True: something happened that is not the end of an effect. */
  private moveTime(): boolean {
    const { time } = this.options;
    return time !== null && this.flights.size === time.sleeping && time.advance() === 'acted';
  }

  private hasGrown(): boolean {
    return this.run.result === null && (this.options.growth?.exceededLimit() ?? null) !== null;
  }

  /** Whether something is in flight that ends by itself soon enough to wait for it. */
  private isBusy(): boolean {
    const { suspendAfterMs, signalUpToMs, time } = this.options;
    if (time?.isAtRest === true && this.flights.size === time.sleeping) return false;
    for (const { request } of this.flights.listActive()) {
      if (request.kind !== 'timer') return true;
      const left = msUntil(request, time?.now ?? Date.now());
      const open = request.bounds === undefined ? undefined : this.questions.openOne(request.bounds);
      // A question whose time is up ends at once. Before that, no process needs to wait for it, but virtual time passes.
      if (left > 0 && open?.kind === 'ask' && time === null) continue;
      const upTo = open?.kind === 'signal' ? signalUpToMs : suspendAfterMs;
      if (upTo === null || left <= upTo) return true;
    }
    return false;
  }

  /** Whether an account that the run waits for is free earlier than the record says: its limit was cleared. */
  private async isFreeEarlier(): Promise<boolean> {
    const { suspendAfterMs, effects, context } = this.options;
    for (const { request } of this.flights.listActive()) {
      if (request.kind !== 'timer' || request.account === undefined) continue;
      const until = await effects.accountUntil?.(request.account, context);
      if (until !== undefined && until - Date.now() <= (suspendAfterMs ?? 0)) return true;
    }
    return false;
  }

  private async suspend(): Promise<DriveEnd> {
    const open = waiting(this.run);
    if (open.length === 0) throw new Error('the run is blocked and waits for nothing');
    this.recording.add([{ type: 'run_suspended', waiting: open }]);
    await this.finishRecord();
    this.checkpoint(true);
    return { kind: 'suspended', waiting: open };
  }

  /**
   * Keeps outcomes that came before the signal; what the signal stopped has none. The process that resumes the run executes
   * what follows from them, because requests made now would not be performed.
   */
  private async interrupt(): Promise<DriveEnd> {
    await this.flights.allEnded();
    let together = this.status === 'blocked' ? 0 : 1;
    for (let one = this.flights.takeNext(); one !== null; one = this.flights.takeNext()) {
      settleFinished(this.run, one);
      together++;
    }
    this.recording.add(this.run.takeEvents());
    const reason: unknown = this.options.signal?.reason;
    this.recording.add([{ type: 'run_interrupted', reason: typeof reason === 'string' ? reason : 'signal' }]);
    await this.finishRecord();
    // A replay does not settle two outcomes together, so no checkpoint may hold such a state.
    if (together < 2) this.checkpoint(true);
    return { kind: 'interrupted' };
  }

  private async finishRecord(): Promise<void> {
    await this.recording.sync();
    this.recording.show();
  }

  private checkpoint(isLast: boolean): void {
    this.recording.checkpoint(this.run, this.clock.activeMs, isLast);
  }
}

/** How long a timer lasts from now on. A clock that was set back does not make it longer. */
function msUntil({ until, ms }: TimerRequest, now: number): number {
  return until === null ? (ms ?? 0) : Math.min(until - now, ms ?? Number.POSITIVE_INFINITY);
}
