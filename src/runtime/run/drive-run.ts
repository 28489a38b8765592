/**
 * A run from where it is to its end: the part that a new, a resumed and a replayed run have in common. Everything a run
 * needs while it is executed is made here and gone when it ends.
 */
import { setMaxListeners } from 'node:events';
import type { Run } from '../../interpreter/run.js';
import type { AgentSettings } from '../agents/resolve.js';
import { clockMs } from '../clock.js';
import type { RunResources } from '../effect-context.js';
import { hostEffects } from '../effects.js';
import { stopEffects } from '../process/leftovers.js';
import { outputStore } from '../process/output-store.js';
import { createPipePool } from '../process/pipes.js';
import { killGroup } from '../process/process-group.js';
import { createScratch } from '../process/scratch.js';
import type { Redactor } from '../redact.js';
import type { Checkpoints } from '../store/checkpoint.js';
import type { Inbox } from '../store/inbox.js';
import type { OpenJournal } from '../store/journal.js';
import { type StateFile, stateFile } from '../store/state-file.js';
import { StoreError } from '../store/store-error.js';
import type { RunWorktrees } from '../worktree/run-worktrees.js';
import type { WorktreeFacts } from '../worktree/worktree-facts.js';
import { drive } from './drive.js';
import type { Begin, DriveEnd } from './drive-options.js';
import { Growth, keptOutput } from './growth.js';
import { type RunReport, reportOf } from './report.js';
import type { RunOptions } from './run-options.js';

/** A signal is waited for that comes as soon as this, where nothing says when a run is suspended. */
const SIGNAL_UP_TO_MS = 10_000;

/** A run with all that belongs to it, opened and not yet executed by this process. */
export interface OpenRun {
  readonly runId: string;
  readonly run: Run;
  readonly startedAt: string;
  readonly open: OpenJournal | null;
  readonly redactor: Redactor | null;
  readonly checkpoints: Checkpoints | null;
  readonly inbox: Inbox | null;
  readonly begin: Begin;
  /** The run's directory, absolute. */
  readonly cwd: string;
  /** Null: it has none, and works where people work too. */
  readonly worktrees: RunWorktrees | null;
}

/** Executes the run as far as it goes. Rejects only with what `effects`, `onEvent` and the like throw. */
export async function driveRun(opened: OpenRun, options: RunOptions): Promise<RunReport> {
  const { runId, run, open, redactor, begin } = opened;
  const begun = clockMs();
  const file = open?.folder == null ? null : stateFile(open.folder, redactor);
  const end = await driveToEnd(opened, options, file);
  const durationMs = Math.round(begin.activeMs + clockMs() - begun);
  const worktree = await leaveWorktree(opened, end);
  const report = reportOf(run, end, { runId, durationMs, redactor, worktree });
  await options.onEnd?.(report);
  await closeRun(opened, report, file);
  return report;
}

/** What was done since the last snapshot would not be on the branch. Only of a run that returned, all of it counts. */
async function leaveWorktree({ run, worktrees }: OpenRun, end: DriveEnd): Promise<WorktreeFacts | null> {
  if (worktrees === null) return null;
  const problem = end.kind === 'ended' && run.result?.status === 'returned' ? await worktrees.finish() : null;
  return { ...worktrees.facts(), ...(problem === null ? {} : { problem }) };
}

async function driveToEnd(opened: OpenRun, options: RunOptions, file: StateFile | null): Promise<DriveEnd> {
  const { runId, run, open, redactor, checkpoints, inbox, begin, cwd, worktrees } = opened;
  const scratch = createScratch();
  const pipes = createPipePool();
  const groups = new Set<number>();
  const closing: (() => Promise<void>)[] = [];
  const artifacts = open?.folder?.artifacts ?? null;
  const outputs = outputStore(artifacts, scratch, redactor, begin.seq === 0 ? 0 : keptOutput(artifacts));
  /** Effects of agents and servers: what is left of them when the run ends serves nobody. */
  const served = new Set<string>();
  const resources: RunResources = {
    onEnd: (close) => closing.push(close),
    outputs,
    scratch,
    pipes,
    groups,
    worktrees,
    recordProcess: (record) => {
      if (record.kind !== undefined && typeof record.effect === 'string') served.add(record.effect);
      open?.folder?.recordProcess(record);
    },
  };
  /** All at once where the run is stopped, which has little time; else a server may end by itself first. */
  const endServed = async (isStopped: boolean): Promise<void> => {
    const sweep = (): Promise<void> => (served.size > 0 ? stopEffects(runId, served) : Promise.resolve());
    // Whatever one of them has to say of its end changes nothing any more.
    const closed = Promise.allSettled(closing.splice(0).map((close) => close()));
    if (!isStopped) await closed;
    await Promise.all([closed, sweep()]);
  };
  let ending: Promise<void> | null = null;
  const onStop = (): void => {
    ending ??= endServed(true);
  };
  options.signal?.addEventListener('abort', onStop, { once: true });
  const onKill = (): void => groups.forEach(killGroup);
  options.kill?.addEventListener('abort', onKill);
  // One signal may serve thousands of runs, and that is no leak.
  for (const signal of [options.signal, options.kill]) if (signal !== undefined) setMaxListeners(0, signal);
  const agents: AgentSettings = { agents: {}, folder: null, instead: {}, ...options.agents };
  try {
    return await drive(run, {
      effects:
        options.effects ??
        hostEffects({
          env: options.env,
          commands: options.commands,
          agents,
          mcp: options.mcp,
          readable: options.readable,
        }),
      context: { runId, cwd, programDir: run.options.programDir, resources },
      journal: open,
      redactor,
      stateFile: file,
      checkpoints,
      inbox,
      begin,
      onEvent: options.onEvent ?? null,
      onOutput: options.onOutput ?? null,
      ask: options.ask ?? null,
      person: options.person ?? 'user',
      signal: options.signal ?? null,
      // A rollback of a run that was over is not part of what the limit is about.
      timeMs: run.undo.endedAs === null ? (run.limits.timeMs ?? null) : null,
      growth: run.undo.endedAs === null ? new Growth(run.limits, () => open?.offset ?? 0, outputs.use) : null,
      suspendAfterMs: options.suspendAfterMs ?? null,
      signalUpToMs: options.suspendAfterMs === undefined ? SIGNAL_UP_TO_MS : options.suspendAfterMs,
      ownProcess: options.ownProcess ?? false,
    });
  } finally {
    options.kill?.removeEventListener('abort', onKill);
    options.signal?.removeEventListener('abort', onStop);
    await ending;
    // One may have been started at that moment.
    if (ending === null || closing.length > 0) await endServed(ending !== null);
    pipes.remove();
    scratch.remove();
  }
}

function firstLine(text: string): string {
  return text.trimStart().split('\n', 1)[0]?.slice(0, 200) ?? '';
}

/** The index and the state file can be made again from the journal, so a disk that fails here changes no result. */
export async function closeRun(
  { run, open, startedAt }: Pick<OpenRun, 'run' | 'open' | 'startedAt'>,
  report: RunReport,
  file: StateFile | null,
): Promise<void> {
  const entry = {
    run_id: report.run_id,
    machine: report.machine,
    status: report.status,
    state: report.state,
    started_at: startedAt,
    ended_at: new Date().toISOString(),
    duration_ms: report.duration_ms,
    cost: report.cost,
    effects: report.effects,
    ...(report.worktree === undefined ? {} : { branch: report.worktree.branch }),
    ...(report.error === null ? {} : { error: firstLine(report.error.message) }),
    ...(report.error?.kind === 'cancelled' ? { cancelled: true as const } : {}),
  };
  // What another process has taken over is told by that one.
  const writes = open?.isLost === true ? [] : [() => file?.last(run), () => open?.folder?.appendIndex(entry)];
  // Each for itself: the lock is given back in any case.
  for (const write of [...writes, () => open?.close()]) {
    try {
      await write();
    } catch (cause) {
      if (!(cause instanceof StoreError)) throw cause;
    }
  }
}
