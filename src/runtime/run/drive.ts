/**
 * The only loop that waits. The interpreter runs until it needs the world; what happened is made durable; only then is
 * it shown and are effects started; their outcomes go back to the interpreter. One sync covers an outcome and the
 * request that follows it, and everything that parallel branches did meanwhile.
 *
 * 1. Nothing is started, shown or returned whose event is not on disk.
 * 2. The interpreter is called from here only, never while something is awaited.
 * 3. When `drive` returns, nothing that the run started goes on, but for what a successful command left behind.
 */

import type { AskRequest, EffectRequest, SignalRequest } from '../../interpreter/request.js';
import { advance, answer, exceed, type Run, settle, waiting } from '../../interpreter/run.js';
import { unreachable } from '../../prelude/unreachable.js';
import type { PerformedRequest } from '../effect-context.js';
import type { Inbox } from '../store/inbox.js';
import { StoreError } from '../store/store-error.js';
import { startTimer } from '../timer.js';
import type { AskHandler, DriveEnd, DriveOptions } from './drive-options.js';
import { type Finished, type Flight, Flights } from './flights.js';
import { receive } from './receive.js';
import { Recording } from './recording.js';
import { ReplayPoints } from './replay-points.js';
import { Turns } from './turns.js';

/** Outcomes that were there at once before the loop looks up. */
const SPINS = 512;
/** Effects started before the loop looks up: starting a process blocks it for a millisecond or two. */
const STARTS = 32;
/** How long something for the run may lie in its inbox. */
const INBOX_MS = 200;

/** Runs until the end, a suspension or an interruption. Rejects only with what `effects` and `onEvent` throw. */
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
  private readonly flights: Flights;
  private readonly points: ReplayPoints;
  /** Questions and signals that nobody here answers. */
  private readonly open = new Map<string, AskRequest | SignalRequest>();
  private readonly recording: Recording;
  private readonly turns = new Turns();
  private toStart: EffectRequest[] = [];
  private stops: Promise<void>[] = [];
  private timeUp = false;
  /** The run can do nothing until it is told something. */
  private idle = false;
  private mail = false;
  private asking: Promise<void> = Promise.resolve();
  private readonly begun = Date.now();
  private readonly cancelTimer: () => void;
  private readonly cancelInbox: () => void;
  /** At once, not at the next look: what runs now must not go on until the loop comes by. */
  private readonly onAbort = (): void => this.flights.stopAll();

  constructor(
    private readonly run: Run,
    private readonly options: DriveOptions,
  ) {
    this.flights = new Flights();
    this.points = new ReplayPoints(options.context.resources.worktrees, options.begin.seq);
    const { timeMs, signal, begin } = options;
    this.recording = new Recording(options, this.points);
    options.growth?.watch(() => this.flights.wake());
    this.cancelTimer =
      timeMs === null
        ? () => undefined
        : startTimer(Math.max(0, timeMs - begin.activeMs), () => {
            this.timeUp = true;
            this.flights.wake();
          });
    this.cancelInbox = options.inbox === null ? () => undefined : this.watch(options.inbox);
    signal?.addEventListener('abort', this.onAbort, { once: true });
  }

  /** Time the run was executed so far, in all its processes. */
  get activeMs(): number {
    return this.options.begin.activeMs + (Date.now() - this.begun);
  }

  async loop(): Promise<DriveEnd> {
    this.recording.add([...this.options.begin.events]);
    for (let spins = 0; ; ) {
      this.limitGrowth();
      this.settleFinished();
      if (this.mail && this.idle) this.readInbox();
      if (this.options.signal?.aborted) return this.interrupt(this.options.signal);
      if (this.timeUp) this.endByTime();
      const status = this.advance();
      const answered = this.collect();
      // Time and chance are answered in place and share the sync of whatever they are needed for.
      if (answered && status === 'blocked' && ++spins % SPINS !== 0) continue;
      await this.commit(status === 'blocked');
      if (status === 'stopped') {
        this.checkpoint(true);
        return { kind: 'ended' };
      }
      if (status === 'more' || this.flights.finished.length > 0) {
        await nextTurn();
        continue;
      }
      // Either may have come while the disk was written, when nobody was there to be woken.
      if (this.timeUp || this.mail || this.options.signal?.aborted || this.hasGrown()) continue;
      // Only people, other programs or a distant point in time can help now: no process is needed to wait for them.
      if (!this.busy()) {
        if (this.options.inbox?.hasMore()) {
          this.mail = true;
          continue;
        }
        return this.suspend();
      }
      this.options.stateFile?.later(this.run);
      await this.flights.somethingFinished();
    }
  }

  /** However the loop ended, also by an error. */
  async close(): Promise<void> {
    this.cancelTimer();
    this.cancelInbox();
    this.options.signal?.removeEventListener('abort', this.onAbort);
    this.flights.stopAll();
    await this.flights.allEnded();
  }

  private advance(): ReturnType<typeof advance> {
    const status = advance(this.run, this.turns.begin());
    this.idle = status === 'blocked';
    return status;
  }

  /**
   * One outcome after the other, each when nothing more follows from the one before: what a run does must not depend on
   * whether two of them came together, which no record tells. Where the run is about to end nothing more is to follow.
   */
  private settleFinished(): void {
    if (this.options.signal?.aborted) return;
    for (let count = 0; (this.idle || this.timeUp) && count < SPINS; count++) {
      const finished = this.flights.takeNext();
      if (finished === null) return;
      this.settle(finished);
      if (this.timeUp) continue;
      this.advance();
      this.collect();
    }
  }

  private settle(finished: Finished): void {
    if (finished.kind === 'answer') answer(this.run, finished.effect, finished.value, this.options.person);
    else settle(this.run, finished.effect, finished.outcome);
  }

  private hasGrown(): boolean {
    return this.run.result === null && (this.options.growth?.exceeded() ?? null) !== null;
  }

  /** Before anything else: an output that was cut short must not become an outcome. */
  private limitGrowth(): void {
    const { growth } = this.options;
    if (growth === null || this.run.result !== null) return;
    const passed = growth.exceeded();
    if (passed !== null) exceed(this.run, passed.scope, passed.limit, passed.used);
    else this.recording.add(growth.warnings(this.run.currentState));
  }

  /** A run that has just ended stays as it ended. */
  private endByTime(): void {
    if (this.run.result !== null) return;
    exceed(this.run, 'time', this.options.timeMs ?? 0, this.activeMs);
  }

  /** A look at a file now and then: whoever writes there need not know who executes the run. */
  private watch(inbox: Inbox): () => void {
    const timer = setInterval(() => {
      if (!inbox.hasMore()) return;
      this.mail = true;
      this.flights.wake();
    }, INBOX_MS);
    timer.unref();
    return () => clearInterval(timer);
  }

  private readInbox(): void {
    this.mail = false;
    for (const { delivery, inbox } of this.options.inbox?.take() ?? []) {
      while (this.advance() === 'more');
      const question = receive(this.run, delivery, { inbox });
      if (question === null) continue;
      this.open.delete(question);
      const ended = this.flights.stop(question);
      if (ended !== null) this.stops.push(ended);
    }
  }

  /** Takes over what the interpreter made. True when requests were answered at once. */
  private collect(): boolean {
    for (const effect of this.run.takeCancellations()) {
      this.open.delete(effect);
      const ended = this.flights.stop(effect);
      if (ended !== null) this.stops.push(ended);
    }
    this.recording.add(this.run.takeEvents());
    let answered = false;
    for (const request of this.run.takeRequests()) {
      if (request.kind === 'clock' || request.kind === 'uuid' || request.kind === 'random')
        answered = this.start(request) || answered;
      else this.toStart.push(request);
    }
    this.turns.end();
    return answered;
  }

  /** Makes everything durable, then shows it and starts what was asked for. `idle`: nothing is left to compute. */
  private async commit(idle: boolean): Promise<void> {
    const { journal, stateFile } = this.options;
    const ended = this.run.result !== null;
    // Before the run waits, too: what a member of a PARALLEL came to must not be lost while others go on.
    const due = ended || idle || this.toStart.length > 0 || this.recording.hasUnshown;
    // With effects in the air the process has to be there for them.
    if (journal !== null && due) await journal.sync(this.options.ownProcess && this.flights.isEmpty);
    if (due && this.options.redactor !== null) this.options.inbox?.forget();
    if (this.stops.length > 0) {
      // What was stopped must not write into what comes next.
      await Promise.all(this.stops);
      this.stops = [];
    }
    const point = ended ? null : await this.points.keep();
    if (point !== null) {
      this.recording.add([point]);
      await journal?.sync();
    }
    this.recording.show();
    stateFile?.now(this.run);
    this.checkpoint(false);
    const requests = this.toStart;
    this.toStart = [];
    for (let at = 0; at < requests.length; at++) {
      if (this.timeUp || this.options.signal?.aborted) return;
      this.start(requests[at] as EffectRequest);
      if (at % STARTS === STARTS - 1) await nextTurn();
    }
  }

  /** True when the outcome was there at once. */
  private start(request: EffectRequest): boolean {
    switch (request.kind) {
      case 'signal':
        this.open.set(request.effect, request);
        return false;
      case 'ask':
        if (this.options.ask === null) this.open.set(request.effect, request);
        else this.askPerson(request, this.options.ask);
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
    const { onOutput } = this.options;
    return this.options.effects.perform(request, {
      ...this.options.context,
      stop: flight.stop,
      show: onOutput === null ? null : (bytes, stream) => onOutput(request.effect, bytes, stream),
    });
  }

  /** One question at a time: a terminal has one line to answer on. */
  private askPerson(request: AskRequest, ask: AskHandler): void {
    this.flights.occupy(request, async (stop) => {
      const turn = this.asking;
      let done = (): void => undefined;
      this.asking = new Promise((resolve) => {
        done = resolve;
      });
      try {
        await turn;
        // The deadline may have passed while another question was on the line.
        const reply = stop.aborted ? null : await ask(request, stop);
        if (stop.aborted) return;
        if (reply === null) this.open.set(request.effect, request);
        else if (request.choices !== null && !request.choices.includes(reply)) {
          const message = `the answer \`${reply}\` is not one of ${request.choices.join(', ')}`;
          const outcome = { kind: 'failed', message, errorType: 'bad_value' } as const;
          this.flights.finish({ kind: 'outcome', effect: request.effect, outcome });
        } else this.flights.finish({ kind: 'answer', effect: request.effect, value: reply });
      } finally {
        done();
      }
    });
  }

  /** Whether something goes on that ends by itself, and soon enough to wait for it. */
  private busy(): boolean {
    const { suspendAfterMs, signalUpToMs } = this.options;
    for (const { request } of this.flights.active()) {
      if (request.kind !== 'timer') return true;
      const left = request.until === null ? (request.ms ?? 0) : request.until - Date.now();
      const open = request.bounds === undefined ? undefined : this.open.get(request.bounds);
      // A question that has run out is over at once; before that no process is needed to wait for it.
      if (left > 0 && open?.kind === 'ask') continue;
      const upTo = open?.kind === 'signal' ? signalUpToMs : suspendAfterMs;
      if (upTo === null || left <= upTo) return true;
    }
    return false;
  }

  private async suspend(): Promise<DriveEnd> {
    const open = waiting(this.run);
    if (open.length === 0) throw new Error('the run is blocked and waits for nothing');
    this.recording.add([{ type: 'run_suspended', waiting: open }]);
    await this.finishRecord();
    return { kind: 'suspended', waiting: open };
  }

  /** Outcomes that came before the signal are kept; what it stopped has none. */
  private async interrupt(signal: AbortSignal): Promise<DriveEnd> {
    await this.flights.allEnded();
    // What follows from them is for whoever goes on: nothing that is asked for now would be started.
    let together = this.idle ? 0 : 1;
    for (let one = this.flights.takeNext(); one !== null; one = this.flights.takeNext()) {
      this.settle(one);
      together++;
    }
    this.recording.add(this.run.takeEvents());
    const { reason } = signal;
    this.recording.add([{ type: 'run_interrupted', reason: typeof reason === 'string' ? reason : 'signal' }]);
    await this.finishRecord(together < 2);
    return { kind: 'interrupted' };
  }

  /** `settled`: the run is as its record alone would make it, so that it may go on from a checkpoint. */
  private async finishRecord(settled = true): Promise<void> {
    await this.options.journal?.sync();
    this.recording.show();
    if (settled) this.checkpoint(true);
  }

  /** Called after a sync only. */
  private checkpoint(wanted: boolean): void {
    const { checkpoints, journal, inbox } = this.options;
    if (checkpoints === null || journal === null) return;
    // A failed run goes on before its failure, so the last checkpoint before it is the one that is needed.
    if (this.run.result?.status === 'failed') return;
    const place = { seq: this.recording.seq, offset: journal.offset ?? 0 };
    if (!wanted && !checkpoints.due(place)) return;
    // Whoever goes on from here does not read what came before.
    this.recording.begin();
    checkpoints.write(this.run, { ...place, activeMs: this.activeMs, inbox: inbox?.read ?? 0 });
  }
}

/** Lets timers, signals and finished processes in. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
