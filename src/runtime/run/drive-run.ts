/**
 * Executes a run from its current position to its end: the part that new, resumed and replayed runs have in common.
 * Everything that a run needs during execution is created here and released at its end.
 */
import { setMaxListeners } from 'node:events';
import type { Run } from '../../interpreter/run.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { AgentSettings } from '../agents/resolve.js';
import { clockMs, timeStamp } from '../clock.js';
import type { RunResources } from '../effect-context.js';
import { hostEffects } from '../effects.js';
import type { Redactor } from '../redact.js';
import type { Checkpoints } from '../store/checkpoint.js';
import type { Inbox } from '../store/inbox.js';
import type { OpenJournal } from '../store/journal.js';
import type { IndexEntry, RecordHead, RunLabels } from '../store/run-header.js';
import { type StateFile, stateFile } from '../store/state-file.js';
import { StoreError } from '../store/store-error.js';
import type { TraceOptions } from '../trace/trace-options.js';
import type { TracedSpans } from '../trace/trace-run.js';
import type { RunWorktrees } from '../worktree/run-worktrees.js';
import type { WorktreeFacts } from '../worktree/worktree-facts.js';
import { drive } from './drive.js';
import type { Begin, DriveEnd } from './drive-options.js';
import { Growth, keptOutput } from './growth.js';
import { withMemo } from './memo-effects.js';
import type { OnlyPart } from './only-part.js';
import { openResources } from './resources.js';
import type { RunOptions } from './run-options.js';
import { endFacts, type RunReport, reportOf } from './run-report.js';

/** How long a run waits for a signal by default before it is suspended, in milliseconds. */
const SIGNAL_UP_TO_MS = 10_000;

/** A run with everything that belongs to it, opened but not yet executed by this process. */
interface OpenRun {
  readonly runId: string;
  readonly run: Run;
  readonly startedAt: string;
  readonly labels: RunLabels;
  readonly open: OpenJournal | null;
  readonly redactor: Redactor | null;
  readonly checkpoints: Checkpoints | null;
  readonly inbox: Inbox | null;
  readonly begin: Begin;
  /** The run's directory, absolute. */
  readonly cwd: string;
  /** Null: the run has no worktree and works in the user's files. */
  readonly worktrees: RunWorktrees | null;
  readonly key?: string | undefined;
}

/** Executes the run as far as possible. Rejects only with what `effects`, `onEvent` and similar functions throw. */
export async function driveRun(opened: OpenRun, options: RunOptions): Promise<RunReport> {
  const { runId, run, open, redactor, begin } = opened;
  const begun = clockMs();
  const file = open?.folder == null ? null : stateFile(open.folder, redactor);
  const trace = options.trace === undefined ? null : await openTrace(opened, options.trace);
  const only = options.memo?.only === undefined ? null : await partOf(opened, options.memo.only, options.signal);
  const end = await driveToEnd(opened, options, file, { trace, only });
  const durationMs = Math.round(begin.activeMs + clockMs() - begun);
  const worktree = await leaveWorktree(opened, end);
  const report = reportOf(run, end, {
    runId,
    durationMs,
    redactor,
    worktree,
    key: opened.key,
    only: only?.report(end.kind === 'ended'),
  });
  await options.onEnd?.(report);
  await closeRun(opened, report, file);
  const unsent = (await trace?.close()) ?? null;
  if (unsent !== null) options.onUnsent?.(unsent);
  return report;
}

/** Loaded only for a run of one part. */
async function partOf({ run }: OpenRun, name: string, signal: RunOptions['signal']): Promise<OnlyPart> {
  const { OnlyPart } = await import('./only-part.js');
  return new OnlyPart(name, run.linked.machine, signal);
}

/** Loaded only for a run whose spans are wanted. */
async function openTrace({ runId, open, begin }: OpenRun, options: TraceOptions): Promise<TracedSpans> {
  const { traceRun } = await import('../trace/trace-run.js');
  // What a copy has of another run may not be on disk yet.
  if (begin.seq > 0) await open?.sync();
  return traceRun(options, { runId, folder: open?.folder?.path ?? null, seq: begin.seq });
}

/** Commits the changes since the last snapshot, which the branch does not have. Only a run that returned keeps them all. */
async function leaveWorktree({ run, worktrees }: OpenRun, end: DriveEnd): Promise<WorktreeFacts | null> {
  if (worktrees === null) return null;
  const problem = end.kind === 'ended' && run.result?.status === 'returned' ? await worktrees.finish() : null;
  return { ...worktrees.facts(), ...omitUndefined({ problem: problem ?? undefined }) };
}

/** Runs that this process executes now. */
let running = 0;

async function driveToEnd(
  opened: OpenRun,
  options: RunOptions,
  file: StateFile | null,
  { trace, only }: { readonly trace: TracedSpans | null; readonly only: OnlyPart | null },
): Promise<DriveEnd> {
  const { runId, run, open, redactor, checkpoints, inbox, begin, cwd, worktrees } = opened;
  const artifacts = open?.folder?.artifacts ?? null;
  const keptBytes = begin.seq === 0 ? 0 : keptOutput(artifacts);
  const ownProcess = options.ownProcess === true;
  const recordProcess: RunResources['recordProcess'] = (record) => open?.folder?.recordProcess(record);
  const path = open?.folder?.path ?? null;
  const runFolder = path === null ? null : (): string => path;
  const spec = { runId, artifacts, keptBytes, worktrees, runFolder, recordProcess };
  const resources = openResources(spec, redactor);
  const { stop, kill } = resources;
  options.signal?.addEventListener('abort', stop, { once: true });
  options.kill?.addEventListener('abort', kill);
  // One signal may serve thousands of runs, which is not a leak.
  for (const signal of [options.signal, options.kill]) if (signal instanceof EventTarget) setMaxListeners(0, signal);
  const agents: AgentSettings = { agents: {}, folder: null, instead: {}, ...options.agents };
  const shown = trace === null ? (options.onEvent ?? null) : traceAndShow(trace, options.onEvent);
  const { env, commands, mcp, readable, permits } = options;
  const inWorld = options.effects ?? hostEffects({ env, commands, agents, mcp, readable, permits });
  const { effects, onEvent } =
    options.effects !== undefined || path === null
      ? { effects: inWorld, onEvent: shown }
      : await withMemo(
          inWorld,
          run.linked.machine,
          { folder: path, runId, host: { ...options.memo, agents, redactor }, only },
          shown,
        );
  const signal = only?.signal ?? options.signal;
  running++;
  try {
    return await drive(run, {
      effects,
      context: {
        ...{ runId, cwd, program: run.linked.machine.name, programDir: run.options.programDir, resources },
        ...(trace === null ? {} : { traceparentOf: (effect) => trace.traceparentOf(effect) }),
      },
      journal: open,
      redactor,
      stateFile: file,
      checkpoints,
      inbox,
      begin,
      onEvent,
      onOutput: options.onOutput ?? null,
      onNotice: options.onNotice ?? null,
      ask: options.ask ?? null,
      person: options.person ?? 'user',
      through: options.through,
      signal: signal ?? null,
      // The limit does not apply to a rollback of a run that has ended.
      timeMs: run.undo.endedAs === null ? (run.limits.timeMs ?? null) : null,
      time: options.time ?? null,
      growth: run.undo.endedAs === null ? new Growth(run.limits, () => open?.offset ?? 0, resources.outputs.use) : null,
      suspendAfterMs: options.suspendAfterMs ?? null,
      signalUpToMs: options.suspendAfterMs === undefined ? SIGNAL_UP_TO_MS : options.suspendAfterMs,
      hold: options.hold,
      onDebugger: options.onDebugger,
      mayBlock: () => ownProcess || (running === 1 && open?.hasShortSyncs === true),
    });
  } finally {
    running--;
    options.kill?.removeEventListener('abort', kill);
    options.signal?.removeEventListener('abort', stop);
    await resources.close();
  }
}

/** The trace gets events as the journal has them, before they are shown. */
function traceAndShow(trace: TracedSpans, onEvent: RunOptions['onEvent']): NonNullable<RunOptions['onEvent']> {
  return (event, position, whole) => {
    const { seq, time, recorded } = position;
    trace.take({ seq, time, event: recorded });
    onEvent?.(event, position, whole);
  };
}

/** The line about a run in the index of its store. `startedAt`: ISO 8601. */
export function indexEntryOf(
  report: RunReport,
  startedAt: string,
  labels: RunLabels,
  head?: RecordHead | null,
): IndexEntry {
  return {
    run_id: report.run_id,
    machine: report.machine,
    status: report.status,
    state: report.state,
    started_at: startedAt,
    ended_at: timeStamp(),
    duration_ms: report.duration_ms,
    cost: report.cost,
    effects: report.effects,
    ...labels,
    ...endFacts(report),
    ...omitUndefined({
      key: report.key,
      head: head ?? undefined,
    }),
  };
}

/** The index and the state file can be rebuilt from the journal, so a disk error here does not change the result. */
export async function closeRun(
  { run, open, startedAt, labels }: Pick<OpenRun, 'run' | 'open' | 'startedAt' | 'labels'>,
  report: RunReport,
  file: StateFile | null,
): Promise<void> {
  const entry = indexEntryOf(report, startedAt, labels, open?.head);
  // If another process has taken over the run, that process reports its end.
  const writes = open?.isLost === true ? [] : [() => file?.last(run), () => open?.folder?.appendIndex(entry)];
  // Separately, so that the lock is released in any case.
  for (const write of [...writes, () => open?.close()]) {
    try {
      await write();
    } catch (cause) {
      if (!(cause instanceof StoreError)) throw cause;
    }
  }
}
