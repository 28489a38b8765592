/** Work of runs that only their own branches and worktrees hold: removing these would lose it. */
import { existsSync } from 'node:fs';
import { branchOf, readRecord, type WorktreeRecord } from '../checkout.js';
import { GitFailure, git, linesOf } from '../git/git.js';
import { realStore } from '../git/repository.js';
import { worktreeRuns } from '../remove-worktrees.js';
import { factsOf, hasLeftWork } from '../worktree-facts.js';

/** The ids of runs whose work is on no branch of the user. */
export async function unappliedRuns(store: string): Promise<Set<string>> {
  const directory = realStore(store);
  const found = new Set<string>();
  for (const runId of worktreeRuns(directory)) {
    const record = readRecord(directory, runId);
    if (record === null) continue;
    const committed = factsOf(record).changed && !(await isElsewhere(record));
    if (committed || (await hasLeftWork(record))) found.add(runId);
  }
  return found;
}

async function isElsewhere({ commonDir, branch }: WorktreeRecord): Promise<boolean> {
  // The repository was removed together with the branch.
  if (!existsSync(commonDir)) return true;
  const own = `refs/heads/${branchOf('')}`;
  const target = { cwd: commonDir, gitDir: commonDir };
  try {
    const tip = await git(target, ['rev-parse', '--verify', '-q', `refs/heads/${branch}`], { ok: [0, 1] });
    if (tip.exit !== 0) return true;
    const contained = ['for-each-ref', '--format=%(refname)', `--contains=refs/heads/${branch}`];
    return linesOf(await git(target, contained)).some((name) => !name.startsWith(own));
  } catch (cause) {
    // In doubt, it stays.
    if (cause instanceof GitFailure) return false;
    throw cause;
  }
}
