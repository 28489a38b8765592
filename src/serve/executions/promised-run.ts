/** What the service knows of one run that it has accepted. */
import type { Json } from '../../machine/expression.js';
import type { KeptDelivery } from './kept-deliveries.js';
import type { WaitingExecution } from './waiting-list.js';

type SecretValues = Readonly<Record<string, Json>>;

/**
 * A process that executes one run. When it has kept the promise it removes it from disk, and when the run could not begin it
 * writes the reason there. Otherwise the run was interrupted, or the process died.
 */
export interface RunProcess {
  readonly end: Promise<void>;
  /** Resolves when it executes its run; absent: nobody can say. */
  readonly begun?: Promise<void>;
  /** Asks it to interrupt its run, which can be resumed. */
  interrupt(): void;
  /** An earlier service started it, so it does not hear this one. */
  readonly isAdopted?: true;
}

/**
 * A run is promised (it waits for its turn, or a process executes it), refused (it could not begin), or neither: then only
 * its secret inputs are kept, because a run that is suspended needs them again.
 */
export class PromisedRun {
  /** Null: nothing is promised. */
  promise: WaitingExecution | null = null;
  /** Null: no process executes it. */
  process: RunProcess | null = null;
  /** How often a process was started for this promise. */
  starts = 0;
  secret: SecretValues = {};
  /** What was delivered to it while its process was about to end. */
  private delivered: KeptDelivery[] = [];
  /** The secrets of the time before the promise, which count again if the run is refused. */
  private secretBefore: SecretValues | null = null;

  constructor(readonly id: string) {}

  /** It waits for a process. */
  get isQueued(): boolean {
    return this.isPromised && this.process === null;
  }

  get isPromised(): boolean {
    return this.promise !== null && this.promise.refusal === undefined;
  }

  accept(promise: WaitingExecution, secret: SecretValues): void {
    // A promise that was refused has changed nothing.
    const before = this.secretBefore !== null && this.promise !== null ? this.secretBefore : this.secret;
    this.secretBefore = before;
    this.promise = promise;
    if (Object.keys(secret).length > 0) this.secret = { ...before, ...secret };
  }

  /** The promise was refused: the run is as it was before. */
  takeBack(): void {
    this.secret = this.secretBefore ?? {};
    this.end();
  }

  /** Nothing is promised any more, and nothing that was delivered has to be looked at. */
  end(): void {
    this.promise = null;
    this.starts = 0;
    for (const one of this.takeDelivered()) one.forget();
  }

  keepDelivered(delivered: readonly KeptDelivery[]): void {
    this.delivered.push(...delivered);
  }

  takeDelivered(): readonly KeptDelivery[] {
    const taken = this.delivered;
    this.delivered = [];
    return taken;
  }
}
