/** `statedsl apply`: merges the changes that a returned run made in its worktree into the checkout. */
import { unreachable } from '../prelude/unreachable.js';
import { lockRun, ownerText } from '../runtime/store/run-lock.js';
import { RunRefused } from '../runtime/store/run-refused.js';
import { requireOwnStore } from '../runtime/store/store-ownership.js';
import { openStoredRun, readIndex, runIds, runStatus } from '../runtime/store/stored-run.js';
import { type Applied, applyBranch, removeBranch } from '../runtime/worktree/apply/apply.js';
import { GitFailure } from '../runtime/worktree/git/git.js';
import { listFiles } from '../runtime/worktree/refusal.js';
import { removeWorktrees } from '../runtime/worktree/remove-worktrees.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { findRunOrLatest, refusalsAsErrors, type StoreFlags, storeOf } from './stored-runs.js';
import { stderr, stdout } from './streams.js';
import { usageError } from './usage.js';

interface ApplyFlags extends StoreFlags {
  readonly cwd?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

/** The result of applying: success, or a problem with a next step. */
type ApplyText = { readonly done: string } | { readonly problem: string; readonly help?: string };

export async function applyCommand(name: string | undefined, flags: ApplyFlags): Promise<ExitCode> {
  return refusalsAsErrors(async () => {
    const store = storeOf(flags);
    const id = name === undefined ? latestReturned(store) : findRunOrLatest(name, store);
    await requireOwnStore(store, id);
    const status = runStatus(store, id, readIndex(store).get(id));
    if (status !== 'returned') {
      const help = status === 'running' ? 'wait until it ends' : `resume it: \`statedsl resume ${id}\``;
      await usageError(`run \`${id}\` has not returned: its status is ${status}`, help);
      return EXIT.failed;
    }
    try {
      const applied = await applyLocked(store, id, flags.cwd ?? process.cwd());
      return await report(id, applied, flags);
    } catch (cause) {
      if (!(cause instanceof GitFailure)) throw cause;
      await usageError(cause.message);
      return EXIT.failed;
    }
  });
}

function latestReturned(store: string): string {
  const index = readIndex(store);
  const latest = runIds(store)
    .reverse()
    .find((id) => runStatus(store, id, index.get(id)) === 'returned');
  if (latest !== undefined) return latest;
  throw new RunRefused('unknown', `no run in \`${store}\` has returned`, 'list the runs: `statedsl runs`');
}

/** Holds the lock of the run: two processes that apply it at the same time would write the same files. */
async function applyLocked(store: string, runId: string, cwd: string): Promise<Applied> {
  const { about, path } = openStoredRun(store, runId);
  const attempt = lockRun(path);
  if (!('lock' in attempt))
    throw new RunRefused('held', `run \`${runId}\` is in use by ${ownerText(attempt.owner)}`, 'wait until it ends');
  try {
    const message = `Merge run ${runId} of ${about.machine}`;
    const applied = await applyBranch({ cwd, store, runId, folder: path, message });
    if (applied.kind === 'applied' || applied.kind === 'contained') {
      // The checkout has all changes now. The branch is removed even if a person removed its worktree by hand.
      await removeWorktrees(store, runId);
      await removeBranch(cwd, runId);
    }
    return applied;
  } finally {
    attempt.lock.release();
  }
}

async function report(runId: string, applied: Applied, { json, quiet }: ApplyFlags): Promise<ExitCode> {
  const text = textOf(runId, applied);
  if (json) stdout.write(`${JSON.stringify({ run_id: runId, ...summaryOf(applied) })}\n`);
  if ('problem' in text) {
    await usageError(text.problem, text.help);
    return EXIT.failed;
  }
  if (!json && !quiet) stderr.write(`${text.done}\n`);
  return EXIT.returned;
}

function textOf(runId: string, applied: Applied): ApplyText {
  switch (applied.kind) {
    case 'applied': {
      const { files, into, commit } = applied;
      const amount = files.length === 1 ? '1 file' : `${files.length} files`;
      return { done: `applied  run ${runId}\n  merged into ${into} as ${commit.slice(0, 12)}: ${amount}` };
    }
    case 'contained':
      return { done: `nothing to apply: ${applied.commit.slice(0, 12)} already contains all changes of run ${runId}` };
    case 'conflict': {
      const problem = `the changes of run \`${runId}\` and of the checkout conflict in ${listFiles(applied.files)}`;
      return { problem, help: `nothing was changed; merge it by hand: \`git merge statedsl/${runId}\`` };
    }
    case 'refused':
      return { problem: applied.refusal.message, help: applied.refusal.help };
    default:
      return unreachable(applied);
  }
}

function summaryOf(applied: Applied): object {
  if (applied.kind !== 'refused') {
    const { kind, ...rest } = applied;
    return { status: kind, ...rest };
  }
  const { kind, message, files = [] } = applied.refusal;
  return { status: 'refused', reason: kind, message, files };
}
