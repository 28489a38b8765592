/**
 * Restores the files after the call of an agent was interrupted: how far it came is unknown, so it starts again from the
 * same files. This is done only for a call that worked alone in its worktree; otherwise the work of others would be lost.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gitTargetOf, type Worktree } from './checkout.js';
import { namesIn } from './git/file-name.js';
import { type GitTarget, git } from './git/git.js';
import { findRepository, outsideStore, realStore } from './git/repository.js';
import { resetWorktree, statOf } from './git/tree-snapshot.js';

/** The name of a file in the repository's directory of the worktree. */
export const CALL_NOTE = 'statedsl-call';

/** The last call that started alone in a worktree. */
export interface CallNote {
  readonly effect: string;
  readonly attempt: number;
  /** The commit with the content of the worktree before the call. */
  readonly commit: string;
}

/** Restores a worktree to its content before one of these calls. False if none of them worked there alone. */
export async function restoreCall(worktree: Worktree, calls: readonly Omit<CallNote, 'commit'>[]): Promise<boolean> {
  const note = readNote(worktree);
  if (note === null || !calls.some(({ effect, attempt }) => effect === note.effect && attempt === note.attempt))
    return false;
  await resetWorktree(worktree, note.commit);
  return true;
}

function readNote({ gitDir }: Worktree): CallNote | null {
  try {
    return JSON.parse(readFileSync(join(gitDir, CALL_NOTE), 'utf8')) as CallNote;
  } catch {
    // No call was noted, or the process died while noting one: then the call had not started.
    return null;
  }
}

/** Returns a file that differs from its content at the beginning, or null. */
type Look = () => Promise<string | null>;

/** The state at one moment: the commit that is checked out, and each file that differs from it with its time stamp. */
interface Sight {
  readonly commit: string;
  readonly files: ReadonlyMap<string, string>;
  /** The error for a folder that git cannot examine. */
  readonly unseen: boolean;
}

/** The present state of a worktree of a run. */
export async function lookAt(worktree: Omit<Worktree, 'trees'>): Promise<Sight> {
  return look(gitTargetOf(worktree), []);
}

/** Starts to watch a worktree of a run. */
export async function watchWorktree(worktree: Worktree, except?: string): Promise<Look> {
  return watch(gitTargetOf(worktree), outsideOf(except));
}

/** Starts to watch the repository of a folder; null if it has none. */
export async function watchFolder(folder: string, store: string | null, except?: string): Promise<Look | null> {
  const found = await findRepository(folder);
  if (found.kind === 'refused') return null;
  const { root, gitDir } = found.repository;
  return watch({ cwd: root, gitDir, workTree: root }, [
    ...(store === null ? [] : outsideStore(root, realStore(store))),
    ...outsideOf(except),
  ]);
}

/** A folder that may be anywhere below the root, since the run need not work there. */
function outsideOf(folder: string | undefined): string[] {
  return folder === undefined ? [] : [`:(top,exclude,glob)**/${folder}/**`];
}

async function watch(target: GitTarget, without: readonly string[]): Promise<Look> {
  const before = await look(target, without);
  return async () => {
    const now = await look(target, without);
    for (const [name, stamp] of now.files) if (before.files.get(name) !== stamp) return name;
    for (const name of before.files.keys()) if (!now.files.has(name)) return name;
    return now.commit === before.commit ? null : differingFile(target, before.commit, now.commit);
  };
}

async function look(target: GitTarget, without: readonly string[]): Promise<Sight> {
  const form = ['status', '--porcelain=v2', '--branch', '-z', '--no-renames', '--ignore-submodules=dirty'];
  const done = await git(target, [...form, '--untracked-files=all', '--', ':(top)', ...without]);
  let commit = '';
  const files = new Map<string, string>();
  for (const entry of namesIn(done.stdout)) {
    if (entry.startsWith('# branch.oid ')) commit = entry.slice('# branch.oid '.length);
    if (entry.startsWith('#')) continue;
    const name = nameIn(entry);
    files.set(name, `${entry} ${stampOf(join(target.cwd, name))}`);
  }
  return { commit, files, unseen: done.stderr.includes('could not open directory') };
}

/** How many words come before the name: for a changed file, for an unmerged file, for an untracked file. */
const WORDS: Readonly<Record<string, number>> = { '1': 8, u: 10, '?': 1 };

function nameIn(entry: string): string {
  let at = 0;
  for (let words = WORDS[entry[0] as string] ?? 1; words > 0; words--) at = entry.indexOf(' ', at) + 1;
  return entry.slice(at);
}

/** A file that differed already may be changed again. */
function stampOf(path: string): string {
  const stat = statOf(path);
  return stat === null ? 'gone' : `${stat.size} ${stat.mtimeMs} ${stat.ctimeMs} ${stat.ino} ${stat.mode}`;
}

/** A file that differs in another commit; the commit itself if no file differs. */
async function differingFile(target: GitTarget, before: string, now: string): Promise<string> {
  const done = await git(target, ['diff-tree', '-r', '-z', '--name-only', '--no-renames', before, now], {
    ok: [0, 128],
  });
  const [name] = namesIn(done.stdout);
  return name ?? now;
}
