/**
 * The names of the services of an engine, and the list of runs: one object for each day. Its state has the runs by
 * their ids, and `isListed` once the object `days` has the day, so that a list begins with the newest one.
 */
import { createHash } from 'node:crypto';
import { type ListedRun, timeOfId } from '../runtime/list-runs.js';
import type { HandlerTarget, ObjectContext, SharedContext } from './engine-context.js';

/** What the object of a run tells its list. */
export interface NotedRun {
  readonly run: ListedRun;
  /** How often the run was noted before: of two notes the later one counts. */
  readonly version: number;
}

const DAYS = 'days';
/** The beginning of the names of state that have a run. */
const RUN = 'r';

/** Handlers that change the list, by their names on the engine. */
export function runListHandlers(services: ServiceNames) {
  return {
    async note(context: ObjectContext, noted: NotedRun): Promise<void> {
      const name = `${RUN}${noted.run.run_id}`;
      // Both are asked for before one of them is awaited, so the engine answers them at once.
      const before = context.get<NotedRun>(name);
      const listed = noted.version === 0 ? context.get<true>('isListed') : null;
      const known = await before;
      if (known === null || known.version < noted.version) context.set(name, noted);
      if (listed === null || (await listed) !== null) return;
      context.send(services.runs(DAYS, 'addDay'), context.key);
      context.set('isListed', true);
    },

    async addDay(context: ObjectContext, day: string): Promise<void> {
      const days = (await context.get<readonly string[]>('days')) ?? [];
      if (!days.includes(day)) context.set('days', [...days, day].sort());
    },

    async remove(context: ObjectContext, runId: string): Promise<void> {
      context.clear(`${RUN}${runId}`);
    },
  };
}

/** Handlers that only read it. */
export function runListReaders() {
  return {
    /** The runs of the day, newest first. */
    async list(context: SharedContext): Promise<readonly ListedRun[]> {
      const names = (await context.names()).filter((name) => name.startsWith(RUN));
      const noted = names
        .sort()
        .reverse()
        .map((name) => context.get<NotedRun>(name));
      const runs: ListedRun[] = [];
      for (const one of noted) {
        const known = await one;
        if (known !== null) runs.push(known.run);
      }
      return runs;
    },

    /** The days with runs, oldest first. */
    async days(context: SharedContext): Promise<readonly string[]> {
      return (await context.get<readonly string[]>('days')) ?? [];
    },
  };
}

/** The names of the services on the engine. A namespace separates those that share one. */
export interface ServiceNames {
  /** One object for each run, by its id. */
  run(runId: string, handler: RunHandler): HandlerTarget;
  /** Lists of runs: one object for each day, and `days`, which has the days. */
  runs(key: string, handler: RunsHandler): HandlerTarget;
  /** What all runs share: one object for each account of agents and each budget, and one for each kind, which lists them. */
  sharedObject(key: string, handler: SharedHandler): HandlerTarget;
  /** One object for each address of workers: those that share it. */
  workers(address: string, handler: WorkersHandler): HandlerTarget;
  /** One object for each key of runs, by its digest: what the engine stores may be encrypted. */
  key(name: string, handler: KeyHandler): HandlerTarget;
  /** What all services know of schedules. */
  schedules(handler: SchedulesHandler): HandlerTarget & { readonly key: string };
  /** What has to be told to receivers. */
  notices(handler: NoticesHandler): HandlerTarget & { readonly key: string };
  /** Executes turns: of all runs, or of those that belong to workers with a name. */
  turn(home: string | null): HandlerTarget;
  /** Passes turns on to workers with a name, once there are any. */
  passToHome(): HandlerTarget;
  /** Performs effects for turns on other workers. */
  effects(label: string): HandlerTarget;
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
  | 'keyed'
  | 'freed'
  | 'whereabouts'
  | 'artifact'
  | 'status'
  | 'about'
  | 'events';

export type SharedHandler = 'account' | 'spend' | 'keepText' | 'clear' | 'enlist' | 'look' | 'entries';

export type WorkersHandler = 'join' | 'leave' | 'list';

export type SchedulesHandler = 'keep' | 'looks' | 'lookUp' | 'seen';

export type NoticesHandler = 'expect' | 'addNotice' | 'take' | 'settle' | 'counts';

export type KeyHandler = 'claim' | 'release';

export type RunsHandler = 'note' | 'addDay' | 'remove' | 'list' | 'days';

/** The object with the list of a run: the day on which its id was made. */
export function dayOf(runId: string): string {
  return timeOfId(runId).slice(0, 10);
}

const digestOf = (name: string): string => createHash('sha256').update(name).digest('hex').slice(0, 32);

export function serviceNames(namespace: string): ServiceNames {
  return {
    run: (runId, handler) => ({ service: `${namespace}.Run`, key: runId, handler }),
    runs: (key, handler) => ({ service: `${namespace}.Runs`, key, handler }),
    sharedObject: (key, handler) => ({ service: `${namespace}.Shared`, key, handler }),
    workers: (address, handler) => ({ service: `${namespace}.Workers`, key: address, handler }),
    key: (name, handler) => ({ service: `${namespace}.Key`, key: digestOf(name), handler }),
    schedules: (handler) => ({ service: `${namespace}.Schedules`, key: 'all', handler }),
    notices: (handler) => ({ service: `${namespace}.Notices`, key: 'all', handler }),
    turn: (home) => ({ service: `${namespace}.Turn${home === null ? '' : `.${home}`}`, handler: 'run' }),
    passToHome: () => ({ service: `${namespace}.Turn`, handler: 'passToHome' }),
    effects: (label) => ({ service: `${namespace}.Effects.${label}`, handler: 'perform' }),
  };
}
