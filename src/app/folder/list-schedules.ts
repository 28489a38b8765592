/** The schedules of a folder: when they start, and what became of the last start. */
import { join } from 'node:path';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { scheduleTimes } from '../../runtime/configuration/schedules.js';
import { type KeptSchedule, readSchedule } from '../../runtime/store/kept-schedules.js';
import { entryAt } from '../../runtime/store/own-file.js';
import { lockHolder } from '../../runtime/store/run-lock.js';
import type { ProjectHost } from '../project/project-host.js';
import { loadSettings } from '../project/settings.js';
import { InvalidProgram } from '../result.js';
import type { ListedSchedule, RunList, ScheduleList } from '../runs.js';

const SHOWN_TIMES = 3;

/** Rejects with an `InvalidProgram` for a wrong configuration. */
export async function listSchedules(
  directory: string,
  host: ProjectHost,
  list: (id: string) => Promise<RunList | null>,
): Promise<ScheduleList> {
  const settings = await loadSettings(host, '-');
  if (settings.diagnostics.length > 0) throw new InvalidProgram(settings);
  const { schedules: configured = [] } = settings.configuration;
  const schedules: ListedSchedule[] = [];
  for (const { name, program, cron, zone = 'UTC' } of configured) {
    const times = await scheduleTimes({ cron, zone });
    const kept = readSchedule(directory, name);
    const next: string[] = [];
    let at: number | null = Math.max(Date.now(), 0);
    while (at !== null && next.length < SHOWN_TIMES) {
      at = times.next(at);
      if (at !== null) next.push(new Date(at).toISOString());
    }
    schedules.push({ name, program, cron, zone, next, last: await lastOf(kept, list) });
  }
  const service = join(directory, 'service');
  return { schedules, active: entryAt(service) !== null && lockHolder(service).owner !== null };
}

async function lastOf(
  kept: KeptSchedule | null,
  list: (id: string) => Promise<RunList | null>,
): Promise<ListedSchedule['last']> {
  if (kept?.last === undefined) return null;
  const { run_id } = kept.last;
  const found = run_id === undefined ? null : await list(run_id);
  return { ...kept.last, ...omitUndefined({ status: found?.runs[0]?.status }) };
}
