/**
 * The list of runs: one object for each day. Its state has the runs by their ids. The object `days` has the days, so that a
 * list begins with the newest one.
 */
import type { ListedRun } from '../runtime/list-runs.js';
import type { ObjectContext, ReaderContext } from './engine-context.js';
import type { ServiceNames } from './services.js';

/** What the object of a run tells its list. */
export interface NotedRun {
  readonly run: ListedRun;
  /** How often the run was noted before: of two notes the later one counts. */
  readonly version: number;
}

const DAYS = 'days';

/** Handlers that change the list, by their names on the engine. */
export function runListHandlers(services: ServiceNames) {
  return {
    async note(context: ObjectContext, noted: NotedRun): Promise<void> {
      const ids = (await context.get<readonly string[]>('ids')) ?? [];
      const { run_id } = noted.run;
      const known = await context.get<NotedRun>(`r${run_id}`);
      if (known !== null && known.version >= noted.version) return;
      if (ids.length === 0) context.send(services.runs(DAYS, 'addDay'), context.key);
      if (known === null) context.set('ids', [...ids, run_id]);
      context.set(`r${run_id}`, noted);
    },

    async addDay(context: ObjectContext, day: string): Promise<void> {
      const days = (await context.get<readonly string[]>('days')) ?? [];
      if (!days.includes(day)) context.set('days', [...days, day].sort());
    },

    async remove(context: ObjectContext, runId: string): Promise<void> {
      const ids = (await context.get<readonly string[]>('ids')) ?? [];
      context.set(
        'ids',
        ids.filter((id) => id !== runId),
      );
      context.clear(`r${runId}`);
    },
  };
}

/** Handlers that only read it. */
export function runListReaders() {
  return {
    /** The runs of the day, newest first. */
    async list(context: ReaderContext): Promise<readonly ListedRun[]> {
      const ids = (await context.get<readonly string[]>('ids')) ?? [];
      const noted = await Promise.all([...ids].sort().map((id) => context.get<NotedRun>(`r${id}`)));
      return noted.flatMap((one) => (one === null ? [] : [one.run])).reverse();
    },

    /** The days with runs, oldest first. */
    async days(context: ReaderContext): Promise<readonly string[]> {
      return (await context.get<readonly string[]>('days')) ?? [];
    },
  };
}
