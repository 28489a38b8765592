/**
 * Writing into the checkout of the user. Git writes a copy of the index, under a lock that the user's own commands
 * respect and that says whose it is, so that one that was left behind is known again.
 */
import {
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { errorCode, storeError } from '../../store/store-error.js';
import { GitFailure, type GitPlace, git } from '../git/git.js';
import { stopLeftCalls } from '../git/left-calls.js';
import { bytesOf, statOf } from '../git/on-disk.js';
import type { Repository } from '../git/repository.js';

/** How long the lock of a branch may stand before nobody is behind it. */
const LOCK_MS = 1000;

/** Writes files and index. `again`: some of it may be written already. */
export async function writeCheckout(
  place: GitPlace,
  gitDir: string,
  { head, commit, again }: { readonly head: string; readonly commit: string; readonly again: boolean },
): Promise<void> {
  const index = join(gitDir, 'index');
  const copy = join(gitDir, 'statedsl-apply-index');
  rmSync(`${copy}.lock`, { force: true });
  if (existsSync(index)) {
    const { mtimeMs } = statSync(index);
    rmSync(copy, { force: true });
    copyFileSync(index, copy);
    // No later than the original: git takes files that are older than the index for unchanged.
    utimesSync(copy, Math.floor(mtimeMs / 1000), Math.floor(mtimeMs / 1000));
  }
  const own = { ...place, index: copy, mark: markOf(place.cwd) };
  await git(own, ['update-index', '-q', '--refresh'], { ok: [0, 1] });
  await git(own, again ? ['read-tree', '--reset', '-u', commit] : ['read-tree', '-m', '-u', head, commit]);
  renameSync(copy, index);
}

/** Takes the lock of the user's index; gives what releases it. One that this run left when it was killed is taken over. */
export function lockIndex(gitDir: string, runId: string): () => void {
  const lock = join(gitDir, 'index.lock');
  const text = `statedsl apply ${runId}\n`;
  try {
    writeFileSync(lock, text, { flag: 'wx' });
  } catch (cause) {
    if (errorCode(cause) !== 'EEXIST') throw storeError('write', lock, cause);
    if (bytesOf(lock)?.toString('utf8') !== text)
      throw new GitFailure(`another git is at work in the checkout, or died there: \`${lock}\` exists`, '');
  }
  return () => rmSync(lock, { force: true });
}

/** Moves what is checked out from one commit to the other, and fails when it is not there any more. */
export async function moveHead(
  place: GitPlace,
  { head, commit }: { readonly head: string; readonly commit: string },
  why: string,
): Promise<void> {
  await git({ ...place, mark: markOf(place.cwd) }, ['update-ref', '-m', why, 'HEAD', commit, head]);
}

/**
 * What an application that was cut short may have left beside files. Locks of HEAD and of branches are held for a moment
 * only: one that stays, and is no older than the note, was ours.
 */
export async function removeTraces({ root, gitDir, commonDir }: Repository, note: string): Promise<void> {
  await stopLeftCalls(markOf(root));
  const begun = statOf(note)?.mtimeMs ?? Number.POSITIVE_INFINITY;
  const branch = /^ref: (.*)\n$/.exec(readFileSync(join(gitDir, 'HEAD'), 'utf8'))?.[1];
  const locks = [join(gitDir, 'HEAD.lock'), ...(branch === undefined ? [] : [join(commonDir, `${branch}.lock`)])];
  for (const lock of locks) {
    let stat = statOf(lock);
    while (stat !== null && stat.mtimeMs >= begun && Date.now() - stat.mtimeMs < LOCK_MS) {
      await new Promise((resolve) => setTimeout(resolve, LOCK_MS / 10));
      stat = statOf(lock);
    }
    if (stat !== null && stat.mtimeMs >= begun) rmSync(lock, { force: true });
  }
}

function markOf(root: string): string {
  return `apply ${root}`;
}
