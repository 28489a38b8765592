/** The schedules of a folder: when they start, and what became of the last start. */
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { scheduleTimes } from '../../runtime/configuration/schedules.js';
import type { KeptSchedule } from '../../runtime/store/kept-schedules.js';
import type { RunStatus } from '../../runtime/store/stored-run.js';
import type { ProjectHost } from '../project/project-host.js';
import { loadSettings } from '../project/settings.js';
import { InvalidProgram } from '../result.js';
import type { ListedSchedule, ScheduleList } from '../runs.js';

const SHOWN_TIMES = 3;

/** What is known of schedules where their runs are. */
interface KnownSchedules {
  /** Null: no service knows it yet. */
  keptOf(schedule: { readonly name: string; readonly program: string }): Promise<KeptSchedule | null>;
  /** Whether a service starts what is due. */
  isActive(): Promise<boolean>;
  /** Undefined: the run is not there. */
  statusOf(run: string): Promise<RunStatus | undefined>;
}

/** Rejects with an `InvalidProgram` for a wrong configuration. */
export async function listSchedules(host: ProjectHost, known: KnownSchedules): Promise<ScheduleList> {
  const settings = await loadSettings(host, '-');
  if (settings.diagnostics.length > 0) throw new InvalidProgram(settings);
  const { schedules: configured = [] } = settings.configuration;
  const schedules: ListedSchedule[] = [];
  for (const { name, program, cron, zone = 'UTC' } of configured) {
    const times = await scheduleTimes({ cron, zone });
    const kept = await known.keptOf({ name, program });
    const next: string[] = [];
    let at: number | null = Math.max(Date.now(), 0);
    while (at !== null && next.length < SHOWN_TIMES) {
      at = times.next(at);
      if (at !== null) next.push(new Date(at).toISOString());
    }
    schedules.push({ name, program, cron, zone, next, last: await lastOf(kept, known) });
  }
  return { schedules, active: await known.isActive() };
}

async function lastOf(kept: KeptSchedule | null, { statusOf }: KnownSchedules): Promise<ListedSchedule['last']> {
  if (kept?.last === undefined) return null;
  const { run_id } = kept.last;
  return { ...kept.last, ...omitUndefined({ status: run_id === undefined ? undefined : await statusOf(run_id) }) };
}
