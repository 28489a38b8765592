/** The process that executes turns: what a turn gets from it, besides the context of its handler. */
import type { LinkedMachine, RunOptions } from '../interpreter/run.js';
import type { PerformedRequest } from '../runtime/effect-context.js';
import type { InDoubt } from '../runtime/run/in-doubt.js';
import type { Performed } from './messages.js';
import type { Placement } from './routes.js';
import type { ServiceNames } from './services.js';
import type { StartedEffects } from './started-effects.js';

/** A program with the options of one run of it. The same whenever it is read, because a submission never changes. */
export interface Program {
  readonly linked: LinkedMachine;
  readonly options: RunOptions;
  readonly inDoubt: InDoubt;
  readonly placement: Placement;
}

/** The process that executes turns. */
export interface TurnHost {
  readonly services: ServiceNames;
  readonly started: StartedEffects;
  program(runId: string): Promise<Program>;
  /** `outputLimit`: how many bytes the effect may print before the run exceeds its limit. */
  perform(
    runId: string,
    request: PerformedRequest,
    context: { readonly stop: AbortSignal; readonly outputLimit: number },
  ): Promise<Performed>;
  /** Whether there is a worker with the label, or came one before `until`. Resolves at once with false if stopped. */
  hasLabel(label: string, until: number, stop: AbortSignal): Promise<boolean>;
  /** A random name. */
  newName(): string;
}
