/** The names of the services on the engine. A namespace separates those that share one. */
import type { Target } from './engine-context.js';

export interface ServiceNames {
  /** One object for each run, by its id. */
  run(runId: string, handler: RunHandler): Target;
  /** Executes turns. */
  readonly turn: Target;
}

export type RunHandler =
  | 'submit'
  | 'tell'
  | 'listening'
  | 'progress'
  | 'turned'
  | 'due'
  | 'watch'
  | 'drop'
  | 'store'
  | 'artifact'
  | 'status'
  | 'about'
  | 'events';

export function serviceNames(namespace: string): ServiceNames {
  return {
    run: (runId, handler) => ({ service: `${namespace}.Run`, key: runId, handler }),
    turn: { service: `${namespace}.Turn`, handler: 'run' },
  };
}
