/** The schedules of services that start programs on one engine: each time is dealt with once, whichever of them is faster. */
import { listSchedules } from '../../app/folder/list-schedules.js';
import { type FolderOptions, hostOf } from '../../app/programs.js';
import type { ScheduleList } from '../../app/runs.js';
import type { KeptSchedule, ScheduleMemory } from '../../runtime/store/kept-schedules.js';
import { StoreError } from '../../runtime/store/store-error.js';
import type { RunStatus } from '../../runtime/store/stored-run.js';
import { EngineFailure } from '../ask-engine.js';
import { type EngineClient, engineClient } from '../client.js';

/** How long the engine may not answer: a service looks again soon. Milliseconds. */
const PATIENCE_MS = 2000;
/** A service looks every 30 seconds; one that has not looked for so long is gone. Milliseconds. */
const GONE_MS = 90_000;

/** How the engine is reached, as for its runs. */
export interface ReachedEngine {
  readonly on: string;
  readonly namespace?: string;
  readonly token?: string | null;
  readonly key?: string | null;
}

/** What a scheduler keeps there. */
export function engineSchedules({ on: url, namespace = 'statedsl', token = null, key = null }: ReachedEngine) {
  const client = engineClient({ url, namespace, token, key, patienceMs: PATIENCE_MS });
  const answerOf = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (cause) {
      if (!(cause instanceof EngineFailure)) throw cause;
      throw new StoreError(cause.message);
    }
  };
  return {
    name: `engine ${namespace}`,
    read: ({ name, program }) => answerOf(client.keptSchedule({ name, program })),
    keep: ({ name, program }, kept, before) =>
      answerOf(client.keepSchedule({ schedule: { name, program }, kept, before: before?.until ?? null })),
    look: () => answerOf(client.lookAtSchedules()),
  } satisfies ScheduleMemory;
}

/** Rejects with an `EngineFailure`, or with an `InvalidProgram` for a wrong configuration. */
export async function listOnEngine(client: EngineClient, options: FolderOptions): Promise<ScheduleList> {
  return listSchedules(hostOf(options), {
    keptOf: ({ name, program }): Promise<KeptSchedule | null> => client.keptSchedule({ name, program }),
    async isActive() {
      const seen = await client.schedulesSeen();
      return seen !== null && seen > Date.now() - GONE_MS;
    },
    statusOf: async (run): Promise<RunStatus | undefined> => (await client.status(run))?.status,
  });
}
