/**
 * The effects of a turn as entries of the engine. Their names contain nothing that another build of statedsl would change,
 * such as lines and files.
 */
import type { PerformedRequest } from '../runtime/effect-context.js';
import { doubtfulOutcome, type InDoubt } from '../runtime/run/in-doubt.js';
import type { Entry, TurnContext } from './engine-context.js';
import type { Performed } from './messages.js';
import type { TurnHost } from './turn-host.js';

/** How an effect in flight ended. */
export interface EndedEffect {
  readonly kind: 'performed';
  readonly effect: string;
  readonly performed: Performed;
}

interface Flight {
  readonly key: string;
  readonly entry: Entry<EndedEffect>;
  isStopped: boolean;
  /** Whether this attempt waits for the effect in this process. */
  isJoined: boolean;
}

/** How long the turn waits for a process that cannot be stopped, in milliseconds. */
const GIVE_UP_MS = 6000;

interface EntriesOf {
  readonly runId: string;
  readonly host: Pick<TurnHost, 'started' | 'perform' | 'newName'>;
  readonly inDoubt: InDoubt;
}

export class EffectEntries {
  private readonly flights = new Map<string, Flight>();
  private stopping: Flight[] = [];
  /** The name of this attempt to execute the turn. Only entries may depend on it. */
  private readonly attempt: string;

  constructor(
    private readonly context: TurnContext,
    private readonly of: EntriesOf,
  ) {
    this.attempt = of.host.newName();
    const leave = (): void => {
      for (const { key, isJoined } of [...this.flights.values(), ...this.stopping])
        if (isJoined) of.host.started.leave(key);
    };
    context.attemptOver.addEventListener('abort', leave, { once: true });
  }

  get isEmpty(): boolean {
    return this.flights.size === 0;
  }

  entries(): readonly Entry<EndedEffect>[] {
    return [...this.flights.values()].map(({ entry }) => entry);
  }

  /** `outputLimit`: how many bytes it may print. */
  async start(request: PerformedRequest, outputLimit: number): Promise<void> {
    const { runId, host } = this.of;
    const { effect } = request;
    const key = `${runId} ${effect}.${request.attempt}${'waits' in request ? ` ${request.waits}` : ''}`;
    const name = nameOf(request);
    const isDoubtful = await this.mayHaveRun(request, name);
    const perform = async (): Promise<Performed> => {
      if (flight.isStopped) return stoppedBefore;
      const doubtful = isDoubtful && !host.started.has(key) ? doubtfulOutcome(request, this.of.inDoubt) : null;
      if (doubtful !== null) return { outcome: doubtful, at: 0, printed: 0 };
      flight.isJoined = true;
      return host.started.join(key, (stop) => host.perform(runId, request, { stop, outputLimit }));
    };
    const entry = this.context.run(name, perform).map((performed, failure): EndedEffect => {
      if (performed === undefined) throw failure;
      return { kind: 'performed', effect, performed };
    });
    const flight: Flight = { key, entry, isStopped: false, isJoined: false };
    this.flights.set(effect, flight);
  }

  /** Whether another attempt to execute the turn began this effect, which must not run twice. */
  private async mayHaveRun(request: PerformedRequest, name: string): Promise<boolean> {
    if (!('once' in request) || !request.once) return false;
    const begunBy = await this.context.run(`${name} begin`, async () => this.attempt);
    return begunBy !== this.attempt;
  }

  /** Its outcome is on record. */
  finish(effect: string): void {
    const flight = this.flights.get(effect);
    if (flight !== undefined) this.of.host.started.forget(flight.key);
    this.flights.delete(effect);
  }

  /** Stops an effect if it is in flight. Its outcome no longer counts. */
  stop(effect: string): void {
    const flight = this.flights.get(effect);
    if (flight === undefined) return;
    this.flights.delete(effect);
    flight.isStopped = true;
    this.of.host.started.stop(flight.key);
    this.stopping.push(flight);
  }

  stopAll(): void {
    for (const effect of [...this.flights.keys()]) this.stop(effect);
  }

  /** Waits until what was stopped has ended, with everything that it started. */
  async stoppedEnd(): Promise<void> {
    if (this.stopping.length === 0) return;
    const late = this.context.sleep(GIVE_UP_MS, 'stopping').map(() => null);
    for (const { key, entry } of this.stopping) {
      const ended = await this.context.race<EndedEffect | null>([entry, late]);
      if (ended !== null) this.of.host.started.forget(key);
    }
    this.stopping = [];
  }
}

const stoppedBefore: Performed = {
  outcome: { kind: 'not-started', reason: 'it was stopped' },
  at: 0,
  printed: 0,
};

function nameOf(request: PerformedRequest): string {
  const state = 'state' in request ? request.state : '';
  return `${state}/${request.effect}.${request.attempt} ${request.kind}`;
}
