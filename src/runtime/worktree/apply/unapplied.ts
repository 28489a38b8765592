/** Work of runs that exists nowhere but on their own branches: with these it would be gone. */
import { branchOf, readRecord, type WorktreeRecord } from '../checkout.js';
import { GitFailure, git, linesOf } from '../git/git.js';
import { realStore } from '../git/repository.js';
import { worktreeRuns } from '../remove-worktrees.js';
import { factsOf } from '../worktree-facts.js';

/** Ids of runs whose branch holds something that no branch of a person has. */
export async function unappliedRuns(store: string): Promise<Set<string>> {
  const directory = realStore(store);
  const found = new Set<string>();
  for (const runId of worktreeRuns(directory)) {
    const record = readRecord(directory, runId);
    if (record !== null && factsOf(record).changed && !(await isElsewhere(record))) found.add(runId);
  }
  return found;
}

async function isElsewhere({ commonDir, branch }: WorktreeRecord): Promise<boolean> {
  const own = `refs/heads/${branchOf('')}`;
  const contained = ['for-each-ref', '--format=%(refname)', `--contains=refs/heads/${branch}`];
  try {
    const names = linesOf(await git({ cwd: commonDir, gitDir: commonDir }, contained));
    return names.some((name) => !name.startsWith(own));
  } catch (cause) {
    // The branch or its repository is gone: there is nothing left that could be lost.
    if (cause instanceof GitFailure) return true;
    throw cause;
  }
}
