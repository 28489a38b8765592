/** The names of the services on the engine. A namespace separates those that share one. */
import { timeOfId } from '../runtime/list-runs.js';
import type { Target } from './engine-context.js';

export interface ServiceNames {
  /** One object for each run, by its id. */
  run(runId: string, handler: RunHandler): Target;
  /** Lists of runs: one object for each day, and `days`, which has the days. */
  runs(key: string, handler: RunsHandler): Target;
  /** One object for each address of workers: those that share it. */
  workers(address: string, handler: WorkersHandler): Target;
  /** Executes turns: of all runs, or of those that belong to workers with a name. */
  turn(home: string | null): Target;
  /** Passes turns on to workers with a name, once there are any. */
  passToHome(): Target;
  /** Performs effects for turns on other workers. */
  effects(label: string): Target;
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
  | 'doing'
  | 'resume'
  | 'whereabouts'
  | 'artifact'
  | 'status'
  | 'about'
  | 'events';

export type WorkersHandler = 'join' | 'leave' | 'list';

export type RunsHandler = 'note' | 'addDay' | 'remove' | 'list' | 'days';

/** The object with the list of a run: the day on which its id was made. */
export function dayOf(runId: string): string {
  return timeOfId(runId).slice(0, 10);
}

export function serviceNames(namespace: string): ServiceNames {
  return {
    run: (runId, handler) => ({ service: `${namespace}.Run`, key: runId, handler }),
    runs: (key, handler) => ({ service: `${namespace}.Runs`, key, handler }),
    workers: (address, handler) => ({ service: `${namespace}.Workers`, key: address, handler }),
    turn: (home) => ({ service: `${namespace}.Turn${home === null ? '' : `.${home}`}`, handler: 'run' }),
    passToHome: () => ({ service: `${namespace}.Turn`, handler: 'passToHome' }),
    effects: (label) => ({ service: `${namespace}.Effects.${label}`, handler: 'perform' }),
  };
}
