/**
 * What a driven run waits for: effects in flight, questions and signals. Each can be stopped separately, and a stopped one
 * has no outcome.
 */
import type { Outcome, Through } from '../../interpreter/events/event.js';
import type { Finished } from '../../interpreter/exchange.js';
import type { AskRequest, EffectRequest, SignalRequest } from '../../interpreter/request.js';
import { valueOfAnswer } from '../../interpreter/run.js';
import { clockMs } from '../clock.js';
import { LazySignal } from '../stop-signal.js';
import type { AskHandler } from './drive-options.js';

/** An effect that was started and has not ended. */
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

/** All effects in flight. Outcomes wait here, in the order in which they came, until the loop takes them. */
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

/**
 * Questions and signals. A question goes to the handler if there is one. Otherwise it stays open, as a signal does, until the
 * inbox has an answer.
 */
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
