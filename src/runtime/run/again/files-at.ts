/** The files with which a new run starts that continues from a point of an old run. */
import type { RunEvent } from '../../../interpreter/events/event.js';
import { WORK_EFFECTS } from '../../../interpreter/events/status-after.js';
import type { Run } from '../../../interpreter/run.js';
import type { Redactor } from '../../redact.js';
import { AppendEncoder } from '../../store/appended.js';
import type { LargeValues } from '../../store/large-values.js';
import { readToDamage, readUntil } from '../../store/read-journal.js';
import type { StoredRun } from '../../store/stored-run.js';
import type { WorktreeCommits } from '../working-directory.js';
import { insteadOf } from '../worktree-record.js';
import type { Recovered } from './recover.js';
import type { ReplayPoint } from './replay-point.js';

interface FilesAt {
  readonly worktrees: WorktreeCommits;
  /** The event of the last commit of the run's own worktree; 0 for its starting commit. */
  readonly since: number;
  /** Whether something ran between this commit and the point, so that its changes are in no commit. */
  readonly isBefore: boolean;
}

/** What the worktrees of a run held before the event `from`. */
export function filesAt(stored: StoredRun, from: number, { commits, committedAt }: Recovered): FilesAt {
  let since = committedAt;
  let commit = commits.get(null);
  let worked = 0;
  const working = new Set<string>();
  readToDamage(stored.journal, ({ seq, event }) => {
    // The event of the commit comes after the next request.
    if (event.type === 'worktree_committed' && event.since < from && event.since >= since) {
      since = event.since;
      commit = event.commit;
    }
    if (seq < from) worked = workedAt(event, seq, working) ?? worked;
    return true;
  });
  const all = new Map(commits);
  if (commit !== undefined) all.set(null, commit);
  return {
    worktrees: { base: stored.about.options.worktree?.base ?? '', commits: all },
    since,
    isBefore: worked > since,
  };
}

/** The commit from which the worktree of the new run starts, and a warning if that is not the point that was asked for. */
export function worktreeEvents(files: FilesAt | null, asked: ReplayPoint, from: number, run: Run): RunEvent[] {
  if (files === null) return [];
  const { worktrees: standing, since, isBefore } = files;
  const commit = standing.commits.get(null) ?? standing.base;
  const events: RunEvent[] = [{ type: 'worktree_committed', commit, since: from - 1 }];
  if (!isBefore || typeof asked !== 'number') return events;
  const where = since === 0 ? 'of the beginning of the run' : `of event ${since}`;
  const message = `the worktree has the files ${where}, because no commit contains the changes between then and event ${from}; start from a state or a step to get its files`;
  return [...events, { type: 'warned', message, state: run.currentState, line: 0, by: 'runner' }];
}

/** The event that ends work in a directory, by its number. */
function workedAt(event: RunEvent, seq: number, working: Set<string>): number | null {
  if (event.type === 'effect_requested' && WORK_EFFECTS.has(event.kind)) working.add(event.effect);
  return event.type === 'effect_settled' && working.delete(event.effect) ? seq : null;
}

interface Copying {
  /** The id of the new run. */
  readonly id: string;
  /** The number of the first event that is not copied. */
  readonly from: number;
  readonly redactor: Redactor | null;
  /** Null: large values stay in the events. */
  readonly large: LargeValues | null;
}

/** Throws a `StoreError`. */
export function copyLines(
  { about, journal }: StoredRun,
  { id, from, redactor, large }: Copying,
  add: (event: RunEvent, seq: number, time: string) => void,
): void {
  const appended = new AppendEncoder();
  readUntil(journal, from - 1, ({ seq, time, event }) => {
    const rebased =
      event.type === 'effect_settled' ? { ...event, outcome: insteadOf(event.outcome, about.run_id, id) } : event;
    const clean = appended.encode(rebased, redactor?.event(rebased) ?? rebased);
    add(large?.event(clean) ?? clean, seq, time);
  });
}
