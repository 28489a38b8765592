/** Starts the programs of schedules when they are due, each time at most once, whatever happens to the service or its clock. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import type { StartOptions } from '../app/execution-options.js';
import { openPrograms } from '../app/open-runs.js';
import type { Programs } from '../app/programs.js';
import { type Result, refuse, resultOf, resultWith } from '../app/result.js';
import { whyConfirm } from '../app/run-bounds.js';
import type { Runs } from '../app/runs.js';
import type { SubmittedRun } from '../engine/runs/start-on-engine.js';
import { parseDuration } from '../machine/duration.js';
import type { Machine } from '../machine/machine.js';
import { loadConfiguration } from '../runtime/configuration/load-configuration.js';
import {
  type Schedule,
  type ScheduleTimes,
  scheduledInputProblems,
  scheduleTimes,
} from '../runtime/configuration/schedules.js';
import { runIdAt } from '../runtime/run/run-id.js';
import { inputProblems } from '../runtime/run/run-inputs.js';
import type { KeptSchedule, ScheduleMemory, ScheduleOutcome } from '../runtime/store/kept-schedules.js';
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

type PromisedStart = ReturnType<typeof promisedStart>;

/** Who executes what schedules start. */
interface ScheduledStarts {
  /** Whether the run is there already. */
  has(runId: string): boolean;
  begin(promised: PromisedStart, schedule: Schedule): Promise<Result<unknown>>;
}

/** The processes of the service. */
export const startsHere = (executions: Executions): ScheduledStarts => ({
  has: (runId) => executions.mayContinue(runId) || executions.hasRecord(runId),
  begin: ({ execution, secret }) => executions.add(execution, secret),
});

/** How long a worker may take to accept a run. Then it is submitted again, which is the same run. Milliseconds. */
const ACCEPTING_MS = 10_000;

/** Workers of an engine. `folder`: of the programs. */
export const startsOnEngine = (runs: Pick<Runs, 'start'>, folder: string): ScheduledStarts => ({
  // The engine knows it.
  has: () => false,
  async begin({ execution: { run_id, by, key } }, { program, inputs = {} }) {
    const begun = await runs.start(join(folder, program), {
      ...{ runId: run_id, inputs, person: by },
      ...(key === undefined ? {} : { key: key.name, onBusy: key.onBusy }),
      ...{ answerWithinMs: ACCEPTING_MS, isOnce: true },
    } as StartOptions);
    if (!begun.ok || (begun.value as Partial<SubmittedRun>).isAccepted !== false) return begun;
    return refuse('unavailable', 'no worker of the engine has accepted its run');
  },
});

/** Starts runs as requests do. */
export function scheduledStart(programs: Programs, starts: ScheduledStarts, folder: string) {
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
      if (starts.has(run_id)) return resultWith(null);
      const prepared = await prepare(schedule, run_id);
      return prepared.ok ? starts.begin(prepared.value, schedule) : prepared;
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
  readonly memory: ScheduleMemory;
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
/** After a look that found nothing out. Milliseconds. */
const AGAIN_MS = 5000;
/** A clock that is set back further has been wrong, and nothing waits until it is there again. Milliseconds. */
const SET_BACK_MS = 2 * 60 * 60 * 1000;
/** So many times that passed are counted. */
const MOST_COUNTED = 1000;

export class Scheduler {
  private readonly clock: ScheduleClock;
  private cancel = (): void => undefined;
  private isStopped = false;
  private readonly times = new Map<string, ScheduleTimes>();
  /** Why nothing is known of a schedule now; what was said is not said again. */
  private readonly said = new Map<string, string>();
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
    // Who looks later is not told that a service runs, and nothing else follows.
    await this.options.memory.look?.().catch(() => undefined);
    for (const schedule of this.options.schedules) {
      if (this.isStopped) return;
      try {
        next = Math.min(next, await this.lookAt(schedule));
        this.said.delete(schedule.name);
      } catch (cause) {
        // A full disk, or an engine that does not answer, takes it later.
        if (!(cause instanceof StoreError)) throw cause;
        next = Math.min(next, AGAIN_MS);
        if (this.said.get(schedule.name) === cause.message) continue;
        this.said.set(schedule.name, cause.message);
        this.options.warn(`the schedule \`${schedule.name}\` waits: ${cause.message}`);
      }
    }
    if (!this.isStopped) this.cancel = this.clock.start(Math.max(1, next), () => void this.look());
  }

  /** How long nothing happens to it, in milliseconds. */
  private async lookAt(schedule: Schedule): Promise<number> {
    const { memory } = this.options;
    const { name } = schedule;
    const times = this.times.get(name) ?? (await scheduleTimes(schedule));
    this.times.set(name, times);
    const now = this.clock.now();
    let kept = await memory.read(schedule);
    if (kept?.starting !== undefined) kept = await this.finish(schedule, kept, kept.starting);
    const known = kept === null ? now : Date.parse(kept.until);
    const until = known > now + SET_BACK_MS ? now : known;
    // What came before the schedule was known is not missed.
    if (kept === null || until !== known) {
      const begun = { ...kept, name, until: isoOf(until) };
      if (!(await memory.keep(schedule, begun, kept))) return 1;
      kept = begun;
    }
    const ripe = ripeTimes(schedule, times, until, now);
    if (ripe.latest === null) return (ripe.next ?? Number.POSITIVE_INFINITY) - now;
    const { due, count } = ripe.latest;
    const passed = count > 1 ? { passed: count - 1 } : {};
    const isMissed = now - startOf(schedule, due) > LATE_MS;
    const base = { name, until: isoOf(due) };
    if (isMissed && schedule.missed !== 'last') {
      await memory.keep(schedule, { ...base, last: { due: isoOf(due), outcome: 'missed', ...passed } }, kept);
    } else {
      const starting = { due: isoOf(due), run_id: idOf(schedule, due, memory.name), ...passed };
      const begun: KeptSchedule = { ...base, ...(kept?.last === undefined ? {} : { last: kept.last }), starting };
      if (await memory.keep(schedule, begun, kept)) await this.finish(schedule, begun, starting);
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
    if (!isThere && (started.refusal.code === 'unavailable' || started.refusal.code === 'unreachable'))
      throw new StoreError(started.refusal.message);
    const last: ScheduleOutcome = isThere
      ? { due, outcome: 'started', run_id, ...passed }
      : { due, outcome: 'refused', message: started.refusal.message, ...passed };
    if (!isThere) this.options.warn(`the schedule \`${name}\` was not started: ${started.refusal.message}`);
    const kept = { name, until, last };
    await this.options.memory.keep(schedule, kept, { name, until });
    return kept;
  }
}

/** The same time is the same run, also when it comes again because the clock was set back. */
function idOf(schedule: Schedule, due: number, memory: string): string {
  const facts = JSON.stringify([memory, schedule.name, schedule.program, due]);
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

/** Where schedules are kept, and what starts their programs. `starts`: of the programs of a folder. */
interface OpenedSchedules {
  readonly memory: ScheduleMemory;
  readonly programs: Programs;
  readonly warn: (message: string) => void;
  readonly starts: (folder: string) => Parameters<typeof scheduledStart>[1];
}

/** `programs`: their folder. Null if the configuration has no schedules. What is wrong with it is said for the notices. */
export async function openScheduler(
  programs: string,
  { memory, programs: opened, starts, warn }: OpenedSchedules,
): Promise<Scheduler | null> {
  const { configuration } = await loadConfiguration(programs);
  const { schedules = [], folder } = configuration;
  if (schedules.length === 0) return null;
  const start = scheduledStart(opened, starts(folder ?? programs), folder ?? programs);
  for (const schedule of schedules) {
    const problem = await start.problem(schedule);
    if (problem !== null) warn(`the schedule \`${schedule.name}\` will not start: ${problem}`);
  }
  const scheduler = new Scheduler({ memory, schedules, start: start.start, warn });
  const looked = scheduler.look();
  // An engine may not answer yet.
  if (memory.look === undefined) await looked;
  return scheduler;
}
