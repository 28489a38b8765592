/**
 * Reports the end of a run whose process died between recording the end and reporting it. Resuming such a run executes
 * nothing. A failure is reported too: it is not tried again before its caller has seen it.
 */
import type { Run } from '../../../interpreter/run.js';
import type { Redactor } from '../../redact.js';
import { openFileJournal } from '../../store/journal.js';
import { stateFile } from '../../store/state-file.js';
import type { RunFolder } from '../../store/store.js';
import { readIndex, type StoredRun } from '../../store/stored-run.js';
import type { WorktreeFacts } from '../../worktree/worktree-facts.js';
import { closeRun } from '../drive-run.js';
import { type RunReport, reportOf } from '../report.js';
import type { RunOptions } from '../run-options.js';
import type { Recovered } from './recover.js';

/** The index is written last, so an end that is not in the index was not reported. */
export function isEndUnreported(run: Run, { about }: StoredRun, directory: string): boolean {
  if (run.result === null) return false;
  const entry = readIndex(directory).get(about.run_id);
  return entry === undefined || entry.status === 'running';
}

interface EndReport extends Pick<RunOptions, 'onEnd'> {
  /** Null: the index has the end too, so the end is only reported again. */
  readonly folder: RunFolder | null;
  readonly directory: string;
}

/** Completes what the dead process began, and releases the run. */
export async function reportEnd(
  { about }: StoredRun,
  { recovered, redactor }: { readonly recovered: Recovered; readonly redactor: Redactor | null },
  { folder, directory, onEnd }: EndReport,
): Promise<RunReport> {
  const { run } = recovered.replay;
  const durationMs = Math.round(recovered.activeMs);
  const worktree = about.options.worktree === undefined ? null : await factsFrom(directory, about.run_id);
  const report = reportOf(run, { kind: 'ended' }, { runId: about.run_id, durationMs, redactor, worktree });
  await onEnd?.(report);
  // The end was reported before.
  if (folder === null) return report;
  const open = openFileJournal(folder, recovered.end);
  await closeRun({ run, open, startedAt: about.started_at }, report, stateFile(folder, redactor));
  return report;
}

async function factsFrom(store: string, runId: string): Promise<WorktreeFacts | null> {
  return (await import('../../worktree/worktree-facts.js')).worktreeFacts(store, runId);
}
