/**
 * Questions and signals that a run waits for. A question goes to the handler if there is one. Otherwise it stays open, as
 * a signal does, until the inbox has an answer.
 */
import type { Outcome, RunEvent, Through } from '../../interpreter/events/event.js';
import type { Finished } from '../../interpreter/exchange.js';
import type { AskRequest, EffectRequest, SignalRequest } from '../../interpreter/request.js';
import { type Run, valueOfAnswer } from '../../interpreter/run.js';
import { clockMs, timeStamp } from '../clock.js';
import { LazySignal } from '../in-process.js';
import type { RunWorktrees } from '../worktree/run-worktrees.js';
import type { AskHandler, DriveOptions } from './drive-options.js';
import { Recorder } from './resources.js';

export class Questions {
  private readonly open = new Map<string, AskRequest | SignalRequest>();
  /** Settles when the terminal shows no question. */
  private line: Promise<void> = Promise.resolve();

  /** `ask` is null if no person can be asked. `person`: who answers, and through which door, for the record. */
  constructor(
    private readonly ask: AskHandler | null,
    private readonly person: { readonly by: string; readonly through?: Through },
    private readonly flights: Flights,
  ) {}

  put(request: AskRequest | SignalRequest): void {
    const { ask } = this;
    if (request.kind === 'signal' || ask === null) this.open.set(request.effect, request);
    else this.flights.occupy(request, (stop) => this.askInTurn(request, ask, stop));
  }

  /** The open question or signal with this effect id; undefined: there is none. */
  openOne(effect: string): AskRequest | SignalRequest | undefined {
    return this.open.get(effect);
  }

  close(effect: string): void {
    this.open.delete(effect);
  }

  /** Asks one question at a time, because a terminal has one line for answers. */
  private async askInTurn(request: AskRequest, ask: AskHandler, stop: AbortSignal): Promise<void> {
    const before = this.line;
    let release = (): void => undefined;
    this.line = new Promise((resolve) => {
      release = resolve;
    });
    try {
      await before;
      // The deadline may have passed while the terminal showed another question.
      const reply = stop.aborted ? null : await ask(request, stop);
      if (stop.aborted) return;
      if (reply === null) this.open.set(request.effect, request);
      else this.finish(request, reply);
    } finally {
      release();
    }
  }

  private finish({ effect, choices }: AskRequest, reply: string): void {
    const value = valueOfAnswer({ kind: 'ask', choices }, reply);
    if (value !== undefined) {
      this.flights.finish({ kind: 'answer', effect, value, ...this.person });
      return;
    }
    const given = reply.trim() === '' ? 'an empty answer' : `the answer \`${reply}\``;
    const message = `${given} is not one of ${choices?.join(', ')}`;
    this.flights.finish({ kind: 'outcome', effect, outcome: { kind: 'failed', message, error_type: 'bad_value' } });
  }
}

/**
 * Effects in flight: started and not yet ended. Each can be stopped separately. Outcomes wait here, in the order in which
 * they came, until the loop takes them. A stopped effect has no outcome.
 */
export interface Flight {
  readonly request: EffectRequest;
  readonly stopping: LazySignal;
}

interface OpenFlight extends Flight {
  ended: Promise<void>;
}

/** How long the run waits for a process that cannot be stopped, such as one of another user. Milliseconds. */
const GIVE_UP_MS = 6000;
/** As above, at the end of the run: a runner that is stopped has three seconds, two of which its processes get. */
const GIVE_UP_ALL_MS = 2600;

const alreadyEnded = Promise.resolve();

export class Flights {
  finished: Finished[] = [];
  private readonly open = new Map<string, OpenFlight>();
  private failure: { readonly cause: unknown } | null = null;
  private notify: (() => void) | null = null;
  private stoppedAt: number | null = null;
  /** Settle when what was stopped has ended. */
  private stopping: Promise<void>[] = [];

  /** Starts an effect. True: it ended at once. */
  start(request: EffectRequest, perform: (flight: Flight) => Outcome | Promise<Outcome>): boolean {
    const flight = this.openFlight(request);
    const outcome = perform(flight);
    if (!(outcome instanceof Promise)) {
      this.open.delete(request.effect);
      this.finish({ kind: 'outcome', effect: request.effect, outcome });
      return true;
    }
    this.follow(
      flight,
      outcome.then((settled) => {
        if (!flight.stopping.aborted) this.finish({ kind: 'outcome', effect: request.effect, outcome: settled });
      }),
    );
    return false;
  }

  /** Starts something that keeps the run busy and finishes its effect itself. */
  occupy(request: EffectRequest, action: (stop: AbortSignal) => Promise<void>): void {
    const flight = this.openFlight(request);
    this.follow(flight, action(flight.stopping.signal));
  }

  finish(finished: Finished): void {
    this.finished.push(finished);
  }

  /** The next outcome, in order; null: there is none. Throws here, in the loop, what an effect threw. */
  takeNext(): Finished | null {
    if (this.failure !== null) throw this.failure.cause;
    return this.finished.shift() ?? null;
  }

  get isEmpty(): boolean {
    return this.open.size === 0;
  }

  get size(): number {
    return this.open.size;
  }

  listActive(): Iterable<Flight> {
    return this.open.values();
  }

  /** Stops an effect if it is in flight. `whenStopped` waits until it has ended. */
  stop(effect: string): void {
    // It may have ended a moment before. Its outcome must not reach a later effect with the same id.
    this.finished = this.finished.filter((done) => done.effect !== effect);
    const flight = this.open.get(effect);
    if (flight === undefined) return;
    flight.stopping.abort();
    this.stopping.push(giveUpAfter(flight.ended));
  }

  /** Waits until all stopped effects have ended, with everything they started. Null: there is nothing to wait for. */
  whenStopped(): Promise<unknown> | null {
    if (this.stopping.length === 0) return null;
    const { stopping } = this;
    this.stopping = [];
    return Promise.all(stopping);
  }

  stopAll(): void {
    this.stoppedAt ??= clockMs();
    for (const { stopping } of this.open.values()) stopping.abort();
    this.wake();
  }

  async allEnded(): Promise<void> {
    const left = GIVE_UP_ALL_MS - (clockMs() - (this.stoppedAt ?? clockMs()));
    const all = Promise.all([...this.open.values()].map(({ ended }) => ended));
    await giveUpAfter(
      all.then(() => undefined),
      Math.max(0, left),
    );
  }

  /** Settles when there is an outcome, or when `wake` is called. */
  somethingFinished(): Promise<void> {
    if (this.finished.length > 0 || this.failure !== null) return Promise.resolve();
    return new Promise((resolve) => {
      this.notify = resolve;
    });
  }

  /** Makes the loop continue, whether or not an effect has finished. */
  wake(): void {
    this.notify?.();
    this.notify = null;
  }

  private openFlight(request: EffectRequest): OpenFlight {
    const flight = { request, stopping: new LazySignal(), ended: alreadyEnded };
    this.open.set(request.effect, flight);
    return flight;
  }

  private follow(flight: OpenFlight, ended: Promise<void>): void {
    const { effect } = flight.request;
    flight.ended = ended
      .catch((cause: unknown) => {
        this.failure ??= { cause };
      })
      .then(() => {
        // The next attempt of the same effect may be in flight already.
        if (this.open.get(effect) === flight) this.open.delete(effect);
        this.wake();
      });
  }
}

async function giveUpAfter(ended: Promise<void>, ms = GIVE_UP_MS): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([ended, late]);
  clearTimeout(timer);
}

interface Batch {
  readonly events: readonly RunEvent[];
  /** The same events as the journal has them. */
  readonly recorded: readonly RunEvent[];
  readonly time: string;
  /** The hashes in their lines; empty without a journal. */
  readonly hashes: readonly (string | null)[];
}

/**
 * The record of a run that is driven: writes events to its journal, and shows each once it is durable. Events that the loop
 * adds are on record after the next `sync`, in order.
 */
export class Recording {
  private shown: number;
  /** Recorded and not yet shown. */
  private unshown: Batch[] = [];
  private readonly recorder: Recorder;

  constructor(
    private readonly options: Pick<
      DriveOptions,
      'journal' | 'redactor' | 'stateFile' | 'onEvent' | 'begin' | 'checkpoints' | 'inbox'
    >,
    private readonly points: ReplayPoints,
  ) {
    const { begin, redactor, journal } = options;
    this.recorder = new Recorder(begin.seq, redactor, journal?.folder?.large ?? null);
    this.shown = begin.seq;
  }

  get hasUnshown(): boolean {
    return this.unshown.length > 0;
  }

  add(events: RunEvent[]): void {
    if (events.length === 0) return;
    const { journal, stateFile, onEvent } = this.options;
    const { clean, recorded, firstSeq } = this.recorder.record(events);
    const time = timeStamp();
    const hashes: (string | null)[] | undefined = onEvent === null ? undefined : [];
    journal?.append(recorded, firstSeq, time, hashes);
    if (this.points.areKept) for (const [at, event] of recorded.entries()) this.points.note(event, firstSeq + at);
    stateFile?.note(recorded);
    if (onEvent !== null) this.unshown.push({ events: clean, recorded, time, hashes: hashes ?? [] });
  }

  /** Makes all added events durable. `synchronously`: the process may block meanwhile. Rejects with a `StoreError`. */
  async sync(synchronously = false): Promise<void> {
    await this.options.journal?.sync(synchronously);
  }

  /** Shows the events that were added since the last call. Call it only after `sync`. */
  show(): void {
    const { onEvent } = this.options;
    const batches = this.unshown;
    this.unshown = [];
    if (onEvent === null) return;
    for (const { events, recorded, time, hashes } of batches)
      for (let at = 0; at < events.length; at++) {
        const line = recorded[at] as RunEvent;
        // Listeners get the whole value of a variable. Large prompts and arguments stay in their artifacts.
        const whole = events[at] as RunEvent;
        const event = line.type === 'tracked_set' ? whole : line;
        const hash = hashes[at] ?? null;
        onEvent(event, { seq: ++this.shown, time, recorded: line, ...(hash === null ? {} : { hash }) }, whole);
      }
  }

  /** Writes a checkpoint if one is due or it `isLast`: the process then leaves the run. Call it only after `sync`. */
  checkpoint(run: Run, activeMs: number, isLast: boolean): void {
    const { checkpoints, journal, inbox } = this.options;
    if (checkpoints === null || journal === null) return;
    // A failed run is resumed before its failure, so it needs the last checkpoint before the failure.
    if (run.result?.status === 'failed') return;
    const position = { seq: this.recorder.seq, offset: journal.offset ?? 0 };
    if (!isLast && !checkpoints.due(position)) return;
    // Resuming here does not read the earlier lines.
    this.recorder.startAnew();
    checkpoints.write(run, { ...position, activeMs, inbox: inbox?.read ?? 0, isExecuted: !isLast });
  }
}

/**
 * Makes the commits of a run's worktree that `replay --from STATE` needs. Steps request their own, but states do not,
 * because a transition is not an effect. So the runtime commits before anything is done in the new state.
 */
export class ReplayPoints {
  /** The number of the event of the last outcome. */
  private settled: number;
  /** The state that was entered since the last commit. */
  private entered: string | null = null;

  /** `seq`: the number of the last event on record. */
  constructor(
    private readonly worktrees: Pick<RunWorktrees, 'keepPoint'> | null,
    seq: number,
  ) {
    this.settled = seq;
  }

  /** Without a worktree there is nothing to commit. */
  get areKept(): boolean {
    return this.worktrees !== null;
  }

  /** Receives every event with its number. */
  note(event: RunEvent, seq: number): void {
    if (event.type === 'effect_settled') this.settled = seq;
    else if (event.type === 'state_entered') this.entered = event.state;
  }

  /** Commits if a state was entered and files may have changed. Returns the event that records it. */
  async keep(): Promise<RunEvent | null> {
    const { entered, settled, worktrees } = this;
    if (entered === null || worktrees === null) return null;
    this.entered = null;
    const commit = await worktrees.keepPoint(`before ${entered}`);
    return commit === null ? null : { type: 'worktree_committed', commit, since: settled };
  }
}
