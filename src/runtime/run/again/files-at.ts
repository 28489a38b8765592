/** The files that a new run begins with, which goes on in the place of an old one. */
import type { RunEvent } from '../../../interpreter/events/event.js';
import { readJournal } from '../../store/read-journal.js';
import type { StoredRun } from '../../store/stored-run.js';
import type { WorktreeCommits } from '../working-directory.js';
import type { Recovered } from './recover.js';

export interface FilesAt {
  readonly worktrees: WorktreeCommits;
  /** The event that the run's own worktree was committed at last; 0 where it began. */
  readonly since: number;
  /** Something ran after that commit and before the point, and what it did is in none. */
  readonly isBefore: boolean;
}

const WORKING: ReadonlySet<string> = new Set(['shell', 'argv', 'function', 'agent', 'tool']);

/** What the worktrees of a run held before the event `from`. */
export function filesAt(stored: StoredRun, from: number, { commits, committedAt }: Recovered): FilesAt {
  let since = committedAt;
  let commit = commits.get(null);
  let worked = 0;
  const working = new Set<string>();
  readJournal(stored.journal, ({ seq, event }) => {
    // It is told after what comes next was asked for.
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

/** The number of an event that ends work in a directory. */
function workedAt(event: RunEvent, seq: number, working: Set<string>): number | null {
  if (event.type === 'effect_requested' && WORKING.has(event.kind)) working.add(event.effect);
  return event.type === 'effect_settled' && working.delete(event.effect) ? seq : null;
}
