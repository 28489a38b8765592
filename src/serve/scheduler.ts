/** Starts the programs of schedules when they are due, each time at most once, whatever happens to the service or its clock. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { openPrograms } from '../app/open-runs.js';
import type { Programs } from '../app/programs.js';
import { type Result, refuse, resultOf, resultWith } from '../app/result.js';
import { whyConfirm } from '../app/run-bounds.js';
import { parseDuration } from '../machine/duration.js';
import type { Machine } from '../machine/machine.js';
import { loadConfiguration } from '../runtime/configuration/load-configuration.js';
import {
  type Schedule,
  type ScheduleTimes,
  scheduledInputProblems,
  scheduleTimes,
} from '../runtime/configuration/schedules.js';
import { runIdAt } from '../runtime/run/header.js';
import { inputProblems } from '../runtime/run/run-inputs.js';
import {
  type KeptSchedule,
  keepSchedule,
  readSchedule,
  type ScheduleOutcome,
} from '../runtime/store/kept-schedules.js';
import { RunRefused, StoreError } from '../runtime/store/store-error.js';
import { startTimer } from '../runtime/timer.js';
import type { Executions } from './executions/executions.js';
import { promisedStart } from './executions/requested-run.js';

/** Rejects with a `RunRefused` if a schedule gives its program inputs that it cannot take. */
export async function requireScheduledInputs(directory: string, programs: string): Promise<void> {
  const { configuration } = await loadConfiguration(programs);
  const { schedules = [], folder } = configuration;
  if (schedules.length === 0) return;
  const opened = openPrograms({ folder: programs, dir: directory });
  for (const schedule of schedules) {
    const checked = await opened.check(join(folder ?? programs, schedule.program));
    // A program with errors may be corrected while the service runs.
    if (!checked.ok || !checked.value.isValid || checked.value.machine === null) continue;
    const [problem] = scheduledInputProblems(schedule, checked.value.machine as Machine);
    if (problem === undefined || problem.kind === 'missing') continue;
    const help = problem.help ?? `correct \`inputs\` of the schedule in \`${configuration.file}\``;
    throw new RunRefused('wrong-use', problem.message, help);
  }
}

/** Starts runs as requests do. */
export function scheduledStart(programs: Programs, executions: Executions, folder: string) {
  const prepare = async ({ program, inputs = {}, key, on_busy = 'skip', name }: Schedule, run_id: string) => {
    const checked = await programs.check(join(folder, program));
    if (!checked.ok) return checked;
    const { machine, diagnostics } = checked.value;
    if (!checked.value.isValid || machine === null)
      return refuse(
        'invalid-program',
        diagnostics.find(({ severity }) => severity === 'error')?.message ?? 'it has errors',
      );
    const [problem] = inputProblems(machine as Machine, inputs);
    if (problem !== undefined) return refuse('wrong-use', problem.message);
    const bounds = await programs.bounds(checked.value, inputs, {});
    const why = whyConfirm(bounds.ok ? bounds.value : null, (await programs.configuration()).confirmAbove ?? {});
    if (why !== null) return refuse('wrong-use', why);
    // A schedule does not overlap itself.
    const own = key ?? ((machine as Machine).key === undefined ? `schedule ${name}` : undefined);
    const wanted = { key: own, onBusy: on_busy };
    const source = { program: join(folder, program) };
    return resultOf(() =>
      promisedStart({
        run_id,
        checked: checked.value,
        source,
        inputs,
        limits: {},
        by: `schedule ${name}`,
        key: wanted,
      }),
    );
  };
  return {
    /** Why it cannot start; null: it can. */
    async problem(schedule: Schedule): Promise<string | null> {
      const prepared = await prepare(schedule, '');
      return prepared.ok ? null : prepared.refusal.message;
    },
    async start(schedule: Schedule, run_id: string): Promise<Result<unknown>> {
      if (executions.mayContinue(run_id) || executions.hasRecord(run_id)) return resultWith(null);
      const prepared = await prepare(schedule, run_id);
      return prepared.ok ? executions.add(prepared.value.execution, prepared.value.secret) : prepared;
    },
  };
}

/** The time for schedules; tests move it. */
export interface ScheduleClock {
  now(): number;
  /** Calls `action` after `ms`; returns what cancels that. */
  start(ms: number, action: () => void): () => void;
}

interface SchedulerOptions {
  /** The folder of the runs. */
  readonly directory: string;
  readonly schedules: readonly Schedule[];
  /** Promises the run, which then survives the service. The same id never becomes a second run. */
  readonly start: (schedule: Schedule, runId: string) => Promise<Result<unknown>>;
  readonly warn: (message: string) => void;
  readonly clock?: ScheduleClock;
}

const SYSTEM_CLOCK: ScheduleClock = { now: Date.now, start: startTimer };
/** A time that comes to light so much later, because the service was busy or began, is not missed. Milliseconds. */
const LATE_MS = 60_000;
/** How often the clock is looked at, which may be set to another time. Milliseconds. */
const LOOK_MS = 30_000;
/** A clock that is set back further has been wrong, and nothing waits until it is there again. Milliseconds. */
const SET_BACK_MS = 2 * 60 * 60 * 1000;
/** So many times that passed are counted. */
const MOST_COUNTED = 1000;

export class Scheduler {
  private readonly clock: ScheduleClock;
  private cancel = (): void => undefined;
  private isStopped = false;
  private readonly times = new Map<string, ScheduleTimes>();
  /** Looks come one after the other. */
  private looking: Promise<void> = Promise.resolve();

  constructor(private readonly options: SchedulerOptions) {
    this.clock = options.clock ?? SYSTEM_CLOCK;
  }

  /** Starts what is due now, and waits for what comes. */
  look(): Promise<void> {
    this.looking = this.looking.then(() => this.lookAtAll());
    return this.looking;
  }

  async stop(): Promise<void> {
    this.isStopped = true;
    this.cancel();
    await this.looking;
  }

  private async lookAtAll(): Promise<void> {
    this.cancel();
    let next = LOOK_MS;
    for (const schedule of this.options.schedules) {
      if (this.isStopped) return;
      try {
        next = Math.min(next, await this.lookAt(schedule));
      } catch (cause) {
        // A full disk takes it later.
        if (!(cause instanceof StoreError)) throw cause;
        this.options.warn(`the schedule \`${schedule.name}\` waits: ${cause.message}`);
      }
    }
    if (!this.isStopped) this.cancel = this.clock.start(Math.max(1, next), () => void this.look());
  }

  /** How long nothing happens to it, in milliseconds. */
  private async lookAt(schedule: Schedule): Promise<number> {
    const { directory } = this.options;
    const { name } = schedule;
    const times = this.times.get(name) ?? (await scheduleTimes(schedule));
    this.times.set(name, times);
    const now = this.clock.now();
    let kept = readSchedule(directory, name);
    if (kept?.starting !== undefined) kept = await this.finish(schedule, kept, kept.starting);
    const known = kept === null ? now : Date.parse(kept.until);
    const until = known > now + SET_BACK_MS ? now : known;
    // What came before the schedule was known is not missed.
    if (kept === null || until !== known) keepSchedule(directory, { ...kept, name, until: isoOf(until) });
    const ripe = ripeTimes(schedule, times, until, now);
    if (ripe.latest === null) return (ripe.next ?? Number.POSITIVE_INFINITY) - now;
    const { due, count } = ripe.latest;
    const passed = count > 1 ? { passed: count - 1 } : {};
    const isMissed = now - startOf(schedule, due) > LATE_MS;
    const base = { name, until: isoOf(due) };
    if (isMissed && schedule.missed !== 'last') {
      keepSchedule(directory, { ...base, last: { due: isoOf(due), outcome: 'missed', ...passed } });
    } else {
      const starting = { due: isoOf(due), run_id: idOf(schedule, due, directory), ...passed };
      const begun: KeptSchedule = { ...base, ...(kept?.last === undefined ? {} : { last: kept.last }), starting };
      keepSchedule(directory, begun);
      await this.finish(schedule, begun, starting);
    }
    return 1;
  }

  /** Also for the service after one that died here: the run has the same id, so there is one of it. */
  private async finish(
    schedule: Schedule,
    { name, until }: KeptSchedule,
    { due, run_id, ...passed }: NonNullable<KeptSchedule['starting']>,
  ): Promise<KeptSchedule> {
    const started = await this.options.start(schedule, run_id);
    const isThere = started.ok || started.refusal.code === 'held';
    if (!isThere && started.refusal.code === 'unavailable') throw new StoreError(started.refusal.message);
    const last: ScheduleOutcome = isThere
      ? { due, outcome: 'started', run_id, ...passed }
      : { due, outcome: 'refused', message: started.refusal.message, ...passed };
    if (!isThere) this.options.warn(`the schedule \`${name}\` was not started: ${started.refusal.message}`);
    const kept = { name, until, last };
    keepSchedule(this.options.directory, kept);
    return kept;
  }
}

/** The same time is the same run, also when it comes again because the clock was set back. */
function idOf(schedule: Schedule, due: number, directory: string): string {
  const facts = JSON.stringify([directory, schedule.name, schedule.program, due]);
  const random = createHash('sha256').update(facts).digest().subarray(0, 16);
  return runIdAt(startOf(schedule, due), random);
}

const isoOf = (ms: number): string => new Date(ms).toISOString();

/** A start comes later than it is due by a part of the jitter, which is the same however often it is asked for. */
function startOf({ name, jitter }: Schedule, due: number): number {
  const most = jitter === undefined ? 0 : (parseDuration(jitter) ?? 0);
  if (most === 0) return due;
  const part = createHash('sha256').update(`${name} ${due}`).digest().readUInt32BE(0) / 2 ** 32;
  return due + Math.floor(most * part);
}

interface RipeTimes {
  /** The last of those that have to start, and how many there are. */
  readonly latest: { readonly due: number; readonly count: number } | null;
  /** When the next one has to start. */
  readonly next: number | null;
}

function ripeTimes(schedule: Schedule, times: ScheduleTimes, until: number, now: number): RipeTimes {
  let latest: RipeTimes['latest'] = null;
  let from = until;
  for (let count = 1; ; count++) {
    const due = times.next(from);
    const start = due === null ? null : startOf(schedule, due);
    if (due === null || start === null || start > now) return { latest, next: start };
    latest = { due, count };
    from = due;
    // After a long time only the last one matters.
    const last = count === MOST_COUNTED ? times.latest(now) : null;
    if (last !== null && last > from && startOf(schedule, last) <= now)
      return { latest: { due: last, count }, next: null };
  }
}
