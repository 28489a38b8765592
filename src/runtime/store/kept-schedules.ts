/**
 * What a store has about schedules: a file for each, with the last time that was dealt with and what became of it. A start is in
 * the file, with the id of its run, before the run is promised, so that after a crash the same run is started, and no second one.
 */
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { readOwn, writeOwn } from './own-file.js';
import { storeError } from './store-error.js';

/** `started`: its run was started. `missed`: no service ran. `refused`: it could not be started. */
export interface ScheduleOutcome {
  /** When it was due; ISO 8601. */
  readonly due: string;
  readonly outcome: 'started' | 'missed' | 'refused';
  readonly run_id?: string;
  /** Why it was refused. */
  readonly message?: string;
  /** How many times passed without a start since the one before, if some did. */
  readonly passed?: number;
}

export interface KeptSchedule {
  readonly name: string;
  /** Up to when all times are dealt with; ISO 8601. */
  readonly until: string;
  readonly last?: ScheduleOutcome;
  /** A start that is not promised yet. */
  readonly starting?: { readonly due: string; readonly run_id: string };
}

/** Where the last times of schedules are kept. */
export interface ScheduleMemory {
  /** The same for all services that share it, and part of the ids of the runs that they start. */
  readonly name: string;
  /** Null: the schedule is new. Rejects with a `StoreError`. */
  read(schedule: ScheduleName): Promise<KeptSchedule | null>;
  /**
   * Kept when it resolves. `before`: what was read. False: another service was faster, and what it kept counts. Rejects with a
   * `StoreError`.
   */
  keep(schedule: ScheduleName, kept: KeptSchedule, before: KeptSchedule | null): Promise<boolean>;
  /** A service looks at all of them; absent: its lock says it. */
  readonly look?: () => Promise<void>;
}

interface ScheduleName {
  readonly name: string;
  readonly program: string;
}

/** The files of a store, which one service has. */
export function storedSchedules(directory: string): ScheduleMemory {
  return {
    name: directory,
    read: async ({ name }) => readSchedule(directory, name),
    async keep(_, kept) {
      keepSchedule(directory, kept);
      return true;
    },
  };
}

const fileOf = (directory: string, name: string): string => join(directory, 'schedules', `${name}.json`);

/** Null: the schedule is new. */
export function readSchedule(directory: string, name: string): KeptSchedule | null {
  try {
    const kept = JSON.parse(readOwn(fileOf(directory, name)).toString('utf8')) as KeptSchedule;
    return Number.isNaN(Date.parse(kept.until)) ? null : kept;
  } catch {
    return null;
  }
}

/** On disk when it returns. Throws a `StoreError`. */
export function keepSchedule(directory: string, kept: KeptSchedule): void {
  const path = fileOf(directory, kept.name);
  try {
    mkdirSync(join(directory, 'schedules'), { recursive: true, mode: 0o700 });
    writeOwn(`${path}.new`, JSON.stringify(kept), 'w', true);
    renameSync(`${path}.new`, path);
  } catch (cause) {
    throw storeError('write', path, cause);
  }
}
