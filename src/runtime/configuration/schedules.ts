/** Schedules of the configuration: when runs are due, by cron patterns in a time zone, and what can be wrong with them. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Json } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { inputProblems } from '../run/run-inputs.js';
import type { FileProblem, ReadFile } from './yaml-file.js';

/** A program that the service starts at certain times. */
export interface Schedule {
  readonly name: string;
  /** The path of the program, from the folder of the configuration. */
  readonly program: string;
  /** Five fields, or six with seconds. */
  readonly cron: string;
  /** As `Intl` names it; default UTC. */
  readonly zone?: string;
  readonly inputs?: Readonly<Record<string, Json>>;
  /** Runs with the same key are executed one at a time; default: the KEY of the program, or the name of the schedule. */
  readonly key?: string;
  readonly on_busy?: 'wait' | 'skip' | 'cancel';
  /** Whether the last time that came while no service ran is made up for; default `skip`. */
  readonly missed?: 'skip' | 'last';
  /** A duration: each start comes up to so much later. */
  readonly jitter?: string;
}

/** The times of a schedule, in milliseconds since 1970. */
export interface ScheduleTimes {
  /** The first time after this one; null: there is none. */
  next(afterMs: number): number | null;
  /** The last time that is not later than this one; null: there is none. */
  latest(untilMs: number): number | null;
}

/** Throws the parser's error for a wrong pattern or zone. */
export async function scheduleTimes({ cron, zone = 'UTC' }: Pick<Schedule, 'cron' | 'zone'>): Promise<ScheduleTimes> {
  const { Cron } = await import('croner');
  const fields = cron.trim().split(/\s+/).length;
  if (fields !== 5 && fields !== 6) throw new Error('it must have five fields, or six with seconds');
  const times = new Cron(cron, { timezone: zone, paused: true });
  return {
    next(afterMs) {
      // Where clocks skip an hour, the parser gives a time twice.
      for (let from = afterMs; ; from += 1000) {
        const found = times.nextRun(new Date(from))?.getTime() ?? null;
        if (found === null || found > afterMs) return found;
      }
    },
    latest: (untilMs) => times.previousRuns(1, new Date(untilMs + 1000))[0]?.getTime() ?? null,
  };
}

/** What is wrong with schedules whose shape is right. The parser of patterns is loaded only if there are schedules. */
export async function scheduleProblems(
  schedules: readonly Schedule[],
  read: ReadFile,
  file: string,
): Promise<FileProblem[]> {
  const problems: FileProblem[] = [];
  const names = new Set<string>();
  for (const [at, schedule] of schedules.entries()) {
    const add = (key: keyof Schedule, message: string, help: string): void => {
      const location = read.locationOf(['schedules', String(at), key]);
      problems.push({ file, line: location?.line ?? null, column: location?.column ?? null, message, help });
    };
    const { name, program, cron, zone = 'UTC' } = schedule;
    if (names.has(name)) add('name', `there are two schedules \`${name}\``, 'rename one of the two');
    names.add(name);
    if (!existsSync(join(dirname(file), program)))
      add(
        'program',
        `the schedule \`${name}\` has no program: there is no file \`${program}\``,
        'name it by its path from the folder of this file',
      );
    if (!isTimeZone(zone)) {
      add(
        'zone',
        `the schedule \`${name}\` is in no time zone: \`${zone}\``,
        'write for example `Europe/Berlin` or `UTC`',
      );
      continue;
    }
    try {
      const times = await scheduleTimes(schedule);
      if (times.next(Date.now()) === null)
        add('cron', `the schedule \`${name}\` never comes: \`${cron}\``, 'write a day that exists');
    } catch (cause) {
      const why = (cause as Error).message.replace(/^CronPattern: /, '');
      add(
        'cron',
        `the schedule \`${name}\` has no pattern of times: ${why}`,
        'write minute, hour, day, month and weekday, such as `30 6 * * 1-5`',
      );
    }
  }
  return problems;
}

/** The inputs of a schedule that its program cannot take, with the name of each. */
export function scheduledInputProblems({ name, inputs = {} }: Schedule, machine: Machine) {
  return inputProblems(machine, inputs).map(({ kind, name: input, message, help }) => ({
    kind,
    input,
    message: `the schedule \`${name}\` will not start: ${message}`,
    ...omitUndefined({ help }),
  }));
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
