/**
 * Finishes an `apply` that was killed. It moved its branch first: if the branch has not moved, nothing was written; if it
 * has, files and index follow. Never overwrites files that the user changed since.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../git/file-name.js';
import { type GitTarget, git } from '../git/git.js';
import { bytesOf } from '../git/on-disk.js';
import type { Refused } from '../git/repository.js';
import { listFiles } from '../refusal.js';
import type { ApplyLock, Intent } from './apply-lock.js';
import { type ChangedFile, changedFiles, refuse } from './obstacles.js';
import { checkoutTarget, headOf, lockIndex, removeTraces, writeFiles, writeIndex } from './user-checkout.js';

/** Finishes what the note of the lock describes. Null if another `apply` can start. */
export async function finishEarlier(lock: ApplyLock, commonDir: string): Promise<Refused | null> {
  if (lock.left === null) return null;
  const { intent, since } = lock.left;
  if (existsSync(intent.root) && existsSync(intent.gitDir)) {
    await removeTraces(intent, commonDir, since);
    const refusal = (await headOf(intent)) === intent.commit ? await finish(intent) : null;
    if (refusal !== null) return refusal;
  }
  lock.note(null);
  return null;
}

async function finish(intent: Intent): Promise<Refused | null> {
  const target = checkoutTarget(intent);
  const changed = await changedFiles(target, intent.head, intent.commit);
  const unlock = await lockIndex(intent.gitDir, intent.run);
  try {
    // The index is written last: if it is complete, the files were written too.
    const staged = new Set(
      namesIn(
        (await git(target, ['diff-index', '--cached', '-z', '--name-only', '--no-renames', intent.commit])).stdout,
      ),
    );
    if (!changed.some(({ name }) => staged.has(name))) return null;
    const foreign = await foreignFiles(target, intent, changed);
    if (foreign.length > 0) return unfinishedBefore(intent, foreign);
    await writeFiles(intent, intent.commit, changed);
    await writeIndex(intent, changed);
    return null;
  } finally {
    unlock();
  }
}

/** Files that are neither unchanged nor in a state in which the killed `apply` can have left them. */
async function foreignFiles(target: GitTarget, intent: Intent, changed: readonly ChangedFile[]): Promise<string[]> {
  const foreign: string[] = [];
  for (const { name, status } of changed) {
    const found = bytesOf(join(intent.root, name));
    // Git removes a file before it writes the new one, and may have been stopped while it wrote.
    if (found === null) continue;
    if (status !== 'D' && (await text(target, intent.commit, name)).subarray(0, found.length).equals(found)) continue;
    if (status === 'A' || !(await text(target, intent.head, name)).equals(found)) foreign.push(name);
  }
  return foreign;
}

async function text(target: GitTarget, commit: string, name: string) {
  return (await git(target, ['cat-file', '--filters', `${commit}:${name}`])).stdout;
}

function unfinishedBefore({ run, root, commit }: Intent, files: readonly string[]): Refused {
  const message = `applying run \`${run}\` was interrupted in \`${root}\`, and ${listFiles(files)} changed since then`;
  const help = `save what you need elsewhere, then run \`git checkout ${commit.slice(0, 12)} -- FILE\``;
  return refuse('unfinished', message, help, files);
}
