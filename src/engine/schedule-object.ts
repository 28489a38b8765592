/**
 * The object of schedules: up to when each is dealt with, and what became of its last time, for all services that start programs
 * on the engine. Its state: `s<digest>` (a schedule, by its name and program), and `seen` (when a service looked last).
 */
import { createHash } from 'node:crypto';
import type { KeptSchedule } from '../runtime/store/kept-schedules.js';
import { EngineRefusal, type ObjectContext, type SharedContext } from './engine-context.js';

/** A schedule, as the configurations of all services name it. */
export interface NamedSchedule {
  readonly name: string;
  readonly program: string;
}

/** What a service wants to keep. `before`: up to when the schedule was dealt with when the service looked; null: it was new. */
export interface KeepingSchedule {
  readonly schedule: NamedSchedule;
  readonly kept: KeptSchedule;
  readonly before: string | null;
}

/** How long a text in it may be, in characters. */
const LONGEST = 4000;

/** Handlers that change the object, by their names on the engine. */
export function scheduleHandlers() {
  return {
    /** False: another service was faster, and what it kept counts. */
    async keep(context: ObjectContext, { schedule, kept, before }: KeepingSchedule): Promise<boolean> {
      if (JSON.stringify(kept).length > LONGEST || Number.isNaN(Date.parse(kept.until)))
        throw new EngineRefusal(400, 'this is not what a service keeps of a schedule');
      const known = await context.get<KeptSchedule>(stateOf(schedule));
      if ((known?.until ?? null) !== before) return false;
      context.set(stateOf(schedule), kept);
      return true;
    },

    /** A service looks at the schedules, and so starts what is due. */
    async looks(context: ObjectContext): Promise<void> {
      context.set('seen', await context.now());
    },
  };
}

/** Handlers that only read it. */
export function scheduleReaders() {
  return {
    lookUp: (context: SharedContext, schedule: NamedSchedule): Promise<KeptSchedule | null> =>
      context.get<KeptSchedule>(stateOf(schedule)),
    /** When a service looked last, in milliseconds since the epoch; null: none ever has. */
    seen: (context: SharedContext): Promise<number | null> => context.get<number>('seen'),
  };
}

const stateOf = ({ name, program }: NamedSchedule): string =>
  `s${createHash('sha256')
    .update(JSON.stringify([name, program]))
    .digest('hex')
    .slice(0, 32)}`;
