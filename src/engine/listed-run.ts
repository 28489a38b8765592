/** A run as its list has it. */
import { omitUndefined } from '../prelude/omit-undefined.js';
import type { ListedRun } from '../runtime/list-runs.js';
import type { RunReport } from '../runtime/run/report.js';
import type { Head } from './messages.js';

/** The run as it is listed. `endedAt`: when the last event was recorded. */
export function listedRun(
  runId: string,
  { machine, startedAt }: Head['listed'],
  known: {
    readonly status: Head['status'];
    readonly report: RunReport | null;
    readonly endedAt: string | null;
  },
): ListedRun {
  const { status, report, endedAt } = known;
  return {
    run_id: runId,
    machine,
    status,
    state: report?.state ?? null,
    started_at: startedAt,
    ended_at: endedAt,
    duration_ms: report?.duration_ms ?? null,
    cost: report?.cost ?? null,
    effects: report?.effects ?? null,
    ...omitUndefined({
      branch: report?.worktree?.branch,
      cancelled: report?.error?.kind === 'cancelled' ? (true as const) : undefined,
    }),
  };
}
