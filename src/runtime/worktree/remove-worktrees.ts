/**
 * The end of worktrees: files, what the repository knows of them, and branches. What is gone already is no problem, and
 * the record goes last, so that a removal that was cut short is found again.
 */
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { errorCode, storeError } from '../store/store-error.js';
import { branchOf, readRecord, removeFiles, worktreesFolder } from './checkout.js';
import { git } from './git/git.js';
import { stopLeftCalls } from './git/left-calls.js';
import { realStore } from './git/repository.js';
import { taskName } from './worktree.js';

/** A run makes its worktree before its folder; one without a run is left alone until it is older than this. */
const YOUNG_MS = 3_600_000;

/** Removes the worktrees of a run with their branches, also those of its tasks. What was merged elsewhere stays there. */
export async function removeWorktrees(store: string, runId: string): Promise<void> {
  const directory = realStore(store);
  for (const name of worktreeNames(directory)) if (runOf(name) === runId) await removeWorktree(directory, name);
}

/** Removes the worktree of one task and its branch. */
export async function discardTask(store: string, runId: string, task: string): Promise<void> {
  await removeWorktree(realStore(store), taskName(runId, task));
}

/** Removes the worktrees of runs that are not there any more. Gives the ids of these runs. */
export async function sweepWorktrees(store: string, isThere: (runId: string) => boolean): Promise<string[]> {
  const directory = realStore(store);
  const swept = new Set<string>();
  for (const name of worktreeNames(directory)) {
    if (isThere(runOf(name)) || isYoung(directory, name)) continue;
    await removeWorktree(directory, name);
    swept.add(runOf(name));
  }
  return [...swept];
}

/** Ids of runs that have worktrees. */
export function worktreeRuns(store: string): string[] {
  return [...new Set(worktreeNames(store).map(runOf))];
}

/** Names of all worktrees, also of those made by half; those of tasks come before that of their run. */
function worktreeNames(store: string): string[] {
  try {
    const files = readdirSync(worktreesFolder(store)).filter((file) => !file.startsWith('.'));
    const names = new Set(files.map((file) => file.replace(/\.json(\.new)?$/, '')));
    return [...names].sort((a, b) => b.length - a.length);
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return [];
    throw storeError('read', worktreesFolder(store), cause);
  }
}

function runOf(name: string): string {
  return name.replace(/--.*$/s, '');
}

function isYoung(store: string, name: string): boolean {
  const path = join(worktreesFolder(store), name);
  const newest = [path, `${path}.json`].map((one) => statSync(one, { throwIfNoEntry: false })?.mtimeMs ?? 0);
  return Date.now() - Math.max(...newest) < YOUNG_MS;
}

async function removeWorktree(store: string, name: string): Promise<void> {
  const root = join(worktreesFolder(store), name);
  const commonDir = readRecord(store, name)?.commonDir ?? linkedRepository(root);
  await stopLeftCalls(root);
  try {
    if (commonDir === null) rmSync(root, { recursive: true, force: true });
    else removeFiles(root, commonDir, name);
  } catch (cause) {
    throw storeError('remove', root, cause);
  }
  if (commonDir !== null && existsSync(commonDir))
    await git({ cwd: commonDir, gitDir: commonDir }, ['update-ref', '-d', `refs/heads/${branchOf(name)}`]);
  for (const record of [`${root}.json.new`, `${root}.json`]) rmSync(record, { force: true });
}

/** The repository of a worktree that has no record; null when it does not say. */
function linkedRepository(root: string): string | null {
  try {
    const link = readFileSync(join(root, '.git'), 'utf8').replace(/^gitdir: /, '');
    return dirname(dirname(resolve(root, link.replace(/\n$/, ''))));
  } catch {
    return null;
  }
}
