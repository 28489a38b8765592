/**
 * The process that executes one run for the service. The service may have died meanwhile, or a process before this one may
 * have died in any moment: what is on disk says what is left to do.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { openRuns } from '../../app/open-runs.js';
import { type Refusal, type RefusalCode, type Result, refuse } from '../../app/result.js';
import type { Execution, Runs } from '../../app/runs.js';
import type { Json } from '../../machine/expression.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { unreachable } from '../../prelude/unreachable.js';
import type { EffectPermits } from '../../runtime/effect-context.js';
import type { OnDebugger } from '../../runtime/run/drive-options.js';
import { entryAt } from '../../runtime/store/own-file.js';
import { lockRun } from '../../runtime/store/run-lock.js';
import { isToContinue } from './kept-deliveries.js';
import {
  executionFolder,
  forgetWaiting,
  keepWaiting,
  prepareRunFolder,
  readWaiting,
  type Task,
  type WaitingExecution,
} from './waiting-list.js';

export interface ExecuteOptions {
  /** The folder of the runs. */
  readonly directory: string;
  /** The folder of the programs, in which runs work. */
  readonly programs: string;
  readonly runId: string;
  /** How many effects of the run are performed at once. */
  readonly jobs: number;
  /** Shared with the other runs of the service. */
  readonly permits: EffectPermits;
  /** Lets debuggers in that ask the run. */
  readonly onDebugger?: OnDebugger;
  /** Called when the run is executed, so that what follows is its own work. */
  readonly onBegun?: () => void;
  /** Inputs that are never on disk. */
  readonly secret: Readonly<Record<string, Json>>;
  /** Whether the service that started this process is still there. */
  readonly isWanted: () => boolean;
  /** Aborting interrupts the run, which can be resumed. */
  readonly signal: AbortSignal;
}

/** Resolves when the run has ended, is suspended or interrupted, or could not begin. */
export async function executeRun(options: ExecuteOptions): Promise<void> {
  const { directory, runId } = options;
  const folder = executionFolder(directory, runId);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const attempt = lockRun(folder);
  if ('owner' in attempt) return;
  try {
    // A service that starts later looks at the lock. A process that took it too late leaves the run to the later service.
    if (options.isWanted()) await executeLocked(options);
  } finally {
    attempt.lock.release();
  }
}

/** Refusals that mean that nothing is left to do: the run was cancelled, or somebody else executes it. */
const NOT_OURS = new Set<RefusalCode>(['over', 'held']);

async function executeLocked(options: ExecuteOptions): Promise<void> {
  const { directory, programs, runId } = options;
  const waiting = readWaiting(directory, runId);
  // The process before this one has finished it, or the request was withdrawn.
  if (waiting === null || waiting.refusal !== undefined) return;
  // Resuming it would continue after the part that was wanted.
  if (isOfOnePart(waiting) && hasRecord(directory, runId)) return forgetWaiting(directory, runId);
  if (waiting.task.kind === 'trial') return executeTrial(waiting.task, waiting, options);
  const runs = openRuns({ folder: programs, dir: directory, onDebugger: options.onDebugger });
  const execution = await beginUnlessHeld(runs, waiting, options);
  if (!execution.ok && NOT_OURS.has(execution.refusal.code)) return forgetWaiting(directory, runId);
  if (!execution.ok && !hasRecord(directory, runId))
    rmSync(folderOf(directory, runId), { recursive: true, force: true });
  if (!execution.ok) return keepWaiting(directory, { ...waiting, refusal: withoutFindings(execution.refusal) });
  options.onBegun?.();
  const report = await execution.value.report;
  if (report.status === 'interrupted' && report.only === undefined) return;
  // A run that could not be stored has no record: only this says what became of it.
  if (!hasRecord(directory, runId) && report.error !== null) {
    const message = `${report.error.kind}: ${report.error.message}`;
    return keepWaiting(directory, { ...waiting, refusal: { code: 'unusable', message, help: null } });
  }
  forgetWaiting(directory, runId);
}

/** A trial that was interrupted continues in the next process. What it has found is in its own folder. */
async function executeTrial(
  { jobs, budget }: Extract<Task, { kind: 'trial' }>,
  waiting: WaitingExecution,
  { directory, programs, runId, signal, permits, onBegun, onDebugger }: ExecuteOptions,
): Promise<void> {
  const { Trials } = await import('../../lab/trials/trials.js');
  const trials = new Trials({ folder: programs, directory, onDebugger });
  const ready = await trials.resume(runId, budget);
  onBegun?.();
  const result = ready.ok ? await trials.execute(ready.value, { jobs, signal, permits, suspendAfterMs: null }) : ready;
  if (!result.ok && result.refusal.code !== 'held')
    return keepWaiting(directory, { ...waiting, refusal: withoutFindings(result.refusal) });
  if (!result.ok || result.value.status !== 'interrupted') forgetWaiting(directory, runId);
}

const isOfOnePart = ({ task }: WaitingExecution): boolean => task.kind === 'start' && task.memo?.only !== undefined;

/** How long a run is waited for that somebody holds: if it has a delivery to take, and otherwise. Milliseconds. */
const HELD_MS = { withDelivery: 30_000, without: 1000 };
const LOOK_MS = 50;

/**
 * Who records an answer or a signal holds the run for a moment, on a busy machine for longer. A delivery that nobody has taken
 * shows that nobody executes the run.
 */
async function beginUnlessHeld(
  runs: Runs,
  waiting: WaitingExecution,
  options: ExecuteOptions,
): Promise<Result<Execution>> {
  const { directory, runId, signal } = options;
  for (let waited = 0; ; waited += LOOK_MS) {
    const execution = await begin(runs, waiting, options);
    if (execution.ok || execution.refusal.code !== 'held' || !hasRecord(directory, runId) || signal.aborted)
      return execution;
    const most = isToContinue(directory, runId) ? HELD_MS.withDelivery : HELD_MS.without;
    if (waited >= most) return execution;
    await pause(LOOK_MS);
  }
}

async function begin(runs: Runs, waiting: WaitingExecution, options: ExecuteOptions): Promise<Result<Execution>> {
  const { task, run_id: runId, limits, by: person, key } = waiting;
  const { signal, directory, secret, permits } = options;
  // `permits` is no option of the library: runs pass it on to their effects.
  const common = { signal, limits, person, inputs: secret, ownProcess: true, permits };
  if (hasRecord(directory, runId)) {
    // The process before this one died after it had recorded the end: what failed is tried again only if somebody asks for it.
    const hasFailed = task.kind !== 'resume' && (await statusOf(runs, runId)) === 'failed';
    if (hasFailed) return refuse('over', 'the run has failed', 'resume it');
    const rollback = task.kind === 'resume' ? task.rollback : undefined;
    return runs.resume(runId, { ...common, ...omitUndefined({ rollback }) });
  }
  prepareRunFolder(directory, runId);
  switch (task.kind) {
    case 'start': {
      const { program, text, name, inputs, printed: printedInputs, traceparent, memo } = task;
      const startable = text === undefined ? (program as string) : { text };
      return runs.start(startable, {
        ...common,
        by: person,
        inputs: { ...inputs, ...secret },
        ...omitUndefined({
          printedInputs,
          name,
          memo,
          settings: traceparent === undefined ? undefined : { traceparent },
        }),
        runId,
        jobs: options.jobs,
        ...omitUndefined({ key: key?.name, onBusy: key?.onBusy, keyWhile: key?.while }),
      });
    }
    case 'replay':
      return runs.replay(task.of, task.from, { ...common, runId });
    case 'resume':
      return runs.resume(runId, common);
    case 'trial':
      throw new Error('a trial is no run');
    default:
      return unreachable(task);
  }
}

async function statusOf(runs: Runs, runId: string): Promise<string | null> {
  const found = await runs.inspect(runId);
  return found.ok ? found.value.status : null;
}

const folderOf = (directory: string, runId: string): string => join(directory, 'runs', runId);

function hasRecord(directory: string, runId: string): boolean {
  return entryAt(join(folderOf(directory, runId), 'run.json')) !== null;
}

function withoutFindings({ findings: _, ...refusal }: Refusal): Omit<Refusal, 'findings'> {
  return refusal;
}
