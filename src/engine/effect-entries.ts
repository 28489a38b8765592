/**
 * The effects of a turn as entries of the engine. Their names contain nothing that another build of statedsl would change,
 * such as lines and files.
 */
import type { Json } from '../machine/expression.js';
import type { PerformedRequest } from '../runtime/effect-context.js';
import { doubtfulOutcome, type InDoubt } from '../runtime/run/in-doubt.js';
import type { Entry, PerformContext } from './engine-context.js';
import type { PerformedEffect, RoutedEffect, TurnRequest } from './messages.js';
import { type Placement, routeOf } from './messages.js';
import { hideSecrets } from './secret-inputs.js';
import type { TurnHost, TurnPresence, TurnProgram } from './turn-host.js';
import { bytesOf, MOST_MESSAGE } from './turn-record.js';

/** How an effect in flight ended. */
export interface EndedEffect {
  readonly kind: 'performed';
  readonly effect: string;
  readonly performed: PerformedEffect;
}

/** Whether there is a worker for an effect with a label. */
export interface FoundWorker {
  readonly kind: 'found';
  readonly effect: string;
  readonly isThere: boolean;
}

interface EffectFlight {
  readonly key: string;
  entry: Entry<EndedEffect | FoundWorker>;
  isStopped: boolean;
  /** Stops it where it is performed, if that is another worker. */
  cancel: (() => Promise<void>) | null;
  /** What another worker performs when there is one. */
  readonly routed: { readonly label: string; readonly effect: RoutedEffect } | null;
  /** Whether this attempt waits for the effect in this process. */
  isJoined: boolean;
  /** Called when it needs no other worker any more. */
  readonly endWait?: (() => void) | undefined;
}

/** How long the turn waits for a process that cannot be stopped, in milliseconds. */
const GIVE_UP_MS = 6000;

interface EntriesOf {
  readonly runId: string;
  readonly host: Pick<TurnHost, 'started' | 'perform' | 'newName' | 'services' | 'hasWorker'>;
  readonly inDoubt: InDoubt;
  readonly placement: Placement;
  readonly program: TurnProgram;
  /** Says which workers the turn waits for; null if no reader needs it. */
  readonly presence: TurnPresence | null;
}

export class EffectEntries {
  private readonly flights = new Map<string, EffectFlight>();
  private stopping: EffectFlight[] = [];
  /** The name of this attempt to execute the turn. Only entries may depend on it. */
  private readonly attempt: string;

  constructor(
    private readonly context: PerformContext,
    private readonly of: EntriesOf,
  ) {
    this.attempt = of.host.newName();
    const leave = (): void => {
      for (const { key, isJoined } of [...this.flights.values(), ...this.stopping])
        if (isJoined) of.host.started.leave(key);
    };
    of.host.started.enter(context.invocation, context.attemptOver);
    context.attemptOver.addEventListener('abort', leave, { once: true });
  }

  get isEmpty(): boolean {
    return this.flights.size === 0;
  }

  entries(): readonly Entry<EndedEffect | FoundWorker>[] {
    return [...this.flights.values()].map(({ entry }) => entry);
  }

  /**
   * `outputLimit`: how many bytes it may print. `now`: the time on record. Null: the effect is started. Otherwise it is when
   * the promise resolves; most effects need none.
   */
  start(request: TurnRequest, outputLimit: number, now: number): Promise<void> | null {
    const { runId, inDoubt, placement } = this.of;
    const { effect } = request;
    const key = `${runId} ${effect}.${request.attempt}${'waits' in request ? ` ${request.waits}` : ''}`;
    const name = nameOf(request);
    const label = routeOf(request, placement.routes);
    if (label !== null) {
      const hidden = hideSecrets(request as unknown as Json, this.of.program.secrets) as unknown as TurnRequest;
      const routed = { label, effect: { runId, request: hidden, outputLimit, inDoubt } };
      const bytes = bytesOf(routed.effect);
      if (bytes <= MOST_MESSAGE) this.startElsewhere(key, routed, now + placement.patienceMs);
      else this.settle(key, effect, name, `its request has ${bytes} bytes, and another worker gets at most 16 MiB`);
      return null;
    }
    const refusal = this.refusalFor(request);
    if (refusal !== null) this.settle(key, effect, name, refusal);
    else if ('once' in request && request.once) return this.startOnce(key, name, request, outputLimit);
    else this.startHere(key, name, request, outputLimit, false);
    return null;
  }

  /** Another attempt to execute the turn may have begun the effect, which must not run twice. */
  private async startOnce(key: string, name: string, request: TurnRequest, outputLimit: number): Promise<void> {
    const { started } = this.of.host;
    const begunBy = await this.context.run(`${name} begin`, async () => {
      started.intend(key, this.attempt, this.context);
      return this.attempt;
    });
    // What an attempt of this process has not started was started by nobody.
    const isDoubtful = begunBy !== this.attempt && !started.isIntendedBy(key, begunBy);
    this.startHere(key, name, request, outputLimit, isDoubtful);
  }

  private startHere(key: string, name: string, request: TurnRequest, outputLimit: number, isDoubtful: boolean): void {
    const { runId, host, inDoubt } = this.of;
    const { effect } = request;
    const perform = (): PerformedEffect | Promise<PerformedEffect> => {
      if (flight.isStopped) return stoppedBefore;
      const doubtful = isDoubtful && !host.started.has(key) ? doubtfulOutcome(request, inDoubt) : null;
      if (doubtful !== null) return { outcome: doubtful, at: 0, printed: 0 };
      // The engine has given the execution to another attempt, perhaps elsewhere.
      if (this.context.attemptOver.aborted) throw new Error('the attempt is over');
      flight.isJoined = true;
      return host.started.join(key, this.context.invocation, (stopping) => {
        const bounds = { stopping, outputLimit, onExceeded: () => stopping.abort() };
        return host.perform(runId, this.of.program, request, bounds);
      });
    };
    const entry = this.context.run(
      name,
      perform,
      (performed): EndedEffect => ({ kind: 'performed', effect, performed }),
    );
    const flight: EffectFlight = { key, entry, isStopped: false, isJoined: false, cancel: null, routed: null };
    this.flights.set(effect, flight);
  }

  /** Why this worker must not perform it; null: it may. */
  private refusalFor({ kind }: PerformedRequest): string | null {
    const { refused } = this.of.program;
    if (refused === undefined) return null;
    return !refused.isOfFunctions || kind === 'function' || kind === 'tool' ? refused.reason : null;
  }

  private settle(key: string, effect: string, name: string, reason: string): void {
    const performed: PerformedEffect = { outcome: { kind: 'not-started', reason }, at: 0, printed: 0 };
    const entry = this.context.run(
      name,
      async () => performed,
      (): EndedEffect => ({ kind: 'performed', effect, performed }),
    );
    this.flights.set(effect, { key, entry, isStopped: false, isJoined: false, cancel: null, routed: null });
  }

  /** Looks for a worker first: the engine would fail the whole turn that calls one of a label that it does not know. */
  private startElsewhere(key: string, routed: NonNullable<EffectFlight['routed']>, until: number): void {
    const { label, effect: what } = routed;
    const { effect } = what.request;
    const stopping = new AbortController();
    const { attemptOver } = this.context;
    const find = async (): Promise<boolean> => {
      const signal = AbortSignal.any([stopping.signal, attemptOver]);
      const isThere = await this.of.host.hasWorker({ kind: 'label', name: label }, until, signal);
      // The next attempt looks again.
      attemptOver.throwIfAborted();
      return isThere;
    };
    const entry = this.context.run(
      `${nameOf(what.request)} worker`,
      find,
      (isThere): FoundWorker => ({ kind: 'found', effect, isThere }),
    );
    const cancel = async (): Promise<void> => stopping.abort();
    const endWait = this.of.presence?.waitsFor({ kind: 'label', name: label });
    this.flights.set(effect, { key, entry, isStopped: false, isJoined: false, cancel, routed, endWait });
  }

  /** A worker for an effect was looked for. */
  proceed({ effect, isThere }: FoundWorker): void {
    const flight = this.flights.get(effect);
    if (flight?.routed == null) return;
    const { label, effect: what } = flight.routed;
    const name = nameOf(what.request);
    const endedWith = (performed: PerformedEffect): EndedEffect => ({ kind: 'performed', effect, performed });
    if (!isThere) {
      const reason = `no worker with the label \`${label}\` came in time`;
      const performed: PerformedEffect = { outcome: { kind: 'not-started', reason }, at: 0, printed: 0 };
      flight.entry = this.context.run(
        `${name} gave up`,
        async () => performed,
        () => endedWith(performed),
      );
      return;
    }
    const { entry, cancel } = this.context.call<PerformedEffect>(this.of.host.services.effects(label), name, what);
    flight.cancel = cancel;
    flight.entry = entry.map((performed, failure) => {
      if (performed !== undefined) return endedWith(performed);
      // Its invocation was ended from outside, perhaps while the effect ran.
      const reason = failure instanceof Error ? failure.message : String(failure);
      const outcome = doubtfulOutcome(what.request, this.of.inDoubt) ?? { kind: 'not-started', reason };
      return endedWith({ outcome, at: 0, printed: 0 });
    });
  }

  /** Its outcome is on record. */
  finish(effect: string): void {
    const flight = this.flights.get(effect);
    if (flight !== undefined) this.of.host.started.forget(flight.key);
    flight?.endWait?.();
    this.flights.delete(effect);
  }

  /** Stops an effect if it is in flight. Its outcome no longer counts. */
  stop(effect: string): void {
    const flight = this.flights.get(effect);
    if (flight === undefined) return;
    this.flights.delete(effect);
    flight.isStopped = true;
    flight.endWait?.();
    if (flight.cancel === null) this.of.host.started.stop(flight.key);
    this.stopping.push(flight);
  }

  /** Stops an effect when nothing can be recorded any more. Resolves when it has ended in this process. */
  async abandon(effect: string): Promise<void> {
    const flight = this.flights.get(effect);
    if (flight === undefined) return;
    flight.isStopped = true;
    await this.of.host.started.end(flight.key);
  }

  stopAll(): void {
    for (const effect of [...this.flights.keys()]) this.stop(effect);
  }

  /** Resolves when what was stopped has ended, with everything that it started. Null: nothing was. */
  stoppedEnd(): Promise<void> | null {
    return this.stopping.length === 0 ? null : this.endStopped();
  }

  private async endStopped(): Promise<void> {
    for (const { cancel } of this.stopping) await cancel?.();
    const late = this.context.sleep(GIVE_UP_MS, 'stopping').map(() => null);
    for (const { key, entry } of this.stopping) {
      const ended = await this.context.race<EndedEffect | FoundWorker | null>([entry, late]);
      if (ended !== null) this.of.host.started.forget(key);
    }
    this.stopping = [];
  }
}

const stoppedBefore: PerformedEffect = {
  outcome: { kind: 'not-started', reason: 'it was stopped' },
  at: 0,
  printed: 0,
};

function nameOf(request: PerformedRequest): string {
  const state = 'state' in request ? request.state : '';
  return `${state}/${request.effect}.${request.attempt} ${request.kind}`;
}
