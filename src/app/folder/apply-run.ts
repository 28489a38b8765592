/** Merges the changes that a returned run made in its worktree into a checkout. */
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { unreachable } from '../../prelude/unreachable.js';
import { readJournal } from '../../runtime/store/read-journal.js';
import { lockRun, ownerText } from '../../runtime/store/run-lock.js';
import { RunRefused } from '../../runtime/store/store-error.js';
import { requireOwnStore } from '../../runtime/store/store-ownership.js';
import { openStoredRun, type RunStatus, readIndex, runIds, runStatus } from '../../runtime/store/stored-run.js';
import { type Applied, applyBranch, isWorktreeOf, removeBranch } from '../../runtime/worktree/apply/apply.js';
import { changesOfBranch } from '../../runtime/worktree/apply/preview.js';
import { GitFailure } from '../../runtime/worktree/git/git.js';
import { listFiles } from '../../runtime/worktree/refusal.js';
import { type KeptFiles, removeWorktrees } from '../../runtime/worktree/remove-worktrees.js';
import { keptFacts } from '../../runtime/worktree/worktree-facts.js';
import { escapeControls, visibleLine } from '../../views/drawing/visible-text.js';
import { type Refused, type Result, refuse, resultWith } from '../result.js';
import type { AppliedRun, RunFiles } from '../runs.js';
import { findRun } from './find-run.js';

/** `by`: who asks for it. Rejects with a `RunRefused` or a `StoreError`. */
export async function applyRun(
  store: string,
  run: string | null,
  cwd: string,
  by?: string,
): Promise<Result<AppliedRun>> {
  const id = run === null ? latestReturned(store) : findRun(store, run);
  await requireOwnStore(store, id);
  const entry = readIndex(store).get(id);
  const status = runStatus(store, id, entry);
  if (status !== 'returned') return refuseUnreturned(store, id, status, entry?.cancelled === true);
  try {
    const worktrees = await worktreesFor(store, id);
    return resultFor(id, await applyLocked({ store, worktrees, runId: id, cwd, by }));
  } catch (cause) {
    if (!(cause instanceof GitFailure)) throw cause;
    return refuse('not-applied', cause.message);
  }
}

/** The folder with the worktree of a run: that of a worker on this machine which executed the run, or the store. */
async function worktreesFor(store: string, id: string): Promise<string> {
  const facts = keptFacts(openStoredRun(store, id).path);
  if (facts === null || !existsSync(facts.directory)) return store;
  const folder = dirname(dirname(facts.directory));
  await requireOwnStore(folder);
  return folder;
}

/** A run that can return is to be resumed. Throws a `StoreError` if its record is damaged, with which it cannot. */
function refuseUnreturned(store: string, id: string, status: RunStatus, isCanceled: boolean): Refused {
  const message = `run \`${id}\` has not returned: its status is ${status}`;
  if (status === 'running') return refuse('unfinished', message, 'wait until it ends');
  if (isCanceled)
    return refuse(
      'over',
      `run \`${id}\` was cancelled, so it does not return`,
      keptFacts(openStoredRun(store, id).path) === null
        ? 'it had no worktree, so there is nothing to merge'
        : `merge what it has done by hand: \`git merge statedsl/${id}\``,
    );
  readJournal(openStoredRun(store, id).journal, () => true);
  return refuse('unfinished', message, `resume it: \`statedsl resume ${id}\``);
}

function latestReturned(store: string): string {
  const index = readIndex(store);
  const latest = runIds(store)
    .reverse()
    .find((id) => runStatus(store, id, index.get(id)) === 'returned');
  if (latest !== undefined) return latest;
  throw new RunRefused('unknown', `no run in \`${store}\` has returned`, 'list the runs: `statedsl runs`');
}

interface Application {
  readonly store: string;
  /** The folder with the worktree. */
  readonly worktrees: string;
  readonly runId: string;
  readonly cwd: string;
  readonly by: string | undefined;
}

/** `left`: what of the worktree is still there, although the work is in the checkout. */
type AppliedAndLeft = Applied & { readonly left?: readonly KeptFiles[] };

/** Locks the run meanwhile: two applications at the same time would write the same files. */
async function applyLocked({ store, worktrees, runId, cwd, by }: Application): Promise<AppliedAndLeft> {
  const { about, path } = openStoredRun(store, runId);
  const attempt = lockRun(path);
  if (!('lock' in attempt))
    throw new RunRefused('held', `run \`${runId}\` is in use by ${ownerText(attempt.owner)}`, 'wait until it ends');
  try {
    const trailer = by === undefined ? '' : `\n\nApplied-by: ${escapeControls(by.replaceAll(/\s+/g, ' ').trim())}`;
    const message = `Merge run ${runId} of ${visibleLine(about.machine)}${trailer}`;
    const applied = await applyBranch({ cwd, store: worktrees, runId, folder: path, message });
    if (applied.kind === 'applied' || applied.kind === 'contained') {
      // The checkout has all changes now. The branch is removed even if a person removed its worktree by hand. The worktree of
      // another repository stays: the work has only been fetched from there.
      const left = (await isWorktreeOf(cwd, worktrees, runId)) ? await removeWorktrees(worktrees, runId) : [];
      await removeBranch(cwd, runId);
      if (left.length > 0) return { ...applied, left };
    }
    return applied;
  } finally {
    attempt.lock.release();
  }
}

function resultFor(run_id: string, applied: AppliedAndLeft): Result<AppliedRun> {
  switch (applied.kind) {
    case 'applied':
    case 'contained': {
      const { kind: status, ...rest } = applied;
      return resultWith({ run_id, status, ...rest } as AppliedRun);
    }
    case 'conflict': {
      const { files } = applied;
      const message = `the changes of run \`${run_id}\` and of the checkout conflict in ${listFiles(files)}`;
      const help = `nothing was changed; merge it by hand: \`git merge statedsl/${run_id}\``;
      return notApplied(message, help, { run_id, status: 'conflict', files });
    }
    case 'refused': {
      const { kind: reason, message, help, files = [] } = applied.refusal;
      return notApplied(message, help, { run_id, status: 'refused', reason, message, files });
    }
    default:
      return unreachable(applied);
  }
}

function notApplied(message: string, help: string | null, facts: object): Refused {
  return { ok: false, refusal: { code: 'not-applied', message, help, facts } };
}

/** What the run changed in files, and what `apply` would do. Rejects with a `RunRefused` or a `StoreError`. */
export async function filesOfRun(store: string, run: string | null, cwd: string): Promise<Result<RunFiles>> {
  const id = findRun(store, run);
  const { about, path } = openStoredRun(store, id);
  const base = about.options.worktree?.base;
  if (base === undefined)
    return refuse('wrong-use', `run \`${id}\` has no worktree`, 'only runs with a worktree know what they changed');
  try {
    const changes = await changesOfBranch({ cwd, runId: id, base, folder: path });
    if (changes === null)
      return refuse('unknown', `the branch of run \`${id}\` is not there anymore`, 'its steps still have their diffs');
    if ('refusal' in changes) return refuse('not-applied', changes.refusal.message, changes.refusal.help);
    return resultWith({ run_id: id, branch: `statedsl/${id}`, ...changes });
  } catch (cause) {
    if (!(cause instanceof GitFailure)) throw cause;
    return refuse('not-applied', cause.message);
  }
}
