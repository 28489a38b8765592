/**
 * The worktrees of the runs of a worker. They are in its folder and belong to the repository of its working directory, so
 * all turns of such a run come to this machine: the run has a home.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { omitUndefined } from '../prelude/omit-undefined.js';
import type { PerformedRequest } from '../runtime/effect-context.js';
import { copiedWorktree, knownWorktree, newWorktree } from '../runtime/run/working-directory.js';
import { RunRefused } from '../runtime/store/run-refused.js';
import { requireOwnStore } from '../runtime/store/store-ownership.js';
import type { RunWorktrees } from '../runtime/worktree/run-worktrees.js';
import type { WorktreeFacts } from '../runtime/worktree/worktree-facts.js';
import { RecentlyUsed } from './recently-used.js';
import { ProgramRefused } from './turn-host.js';
import type { BegunWorktree, TurnWorktrees, WantedWorktree, WorktreeOf } from './turn-worktree.js';

export interface WorkerWorktreesOptions {
  /** The working directory of the worker, in a checkout of the repository. */
  readonly cwd: string;
  /** The folder of the worker, in which the worktrees are. Absolute. */
  readonly folder: string;
  /** Which engine the runs are of: a worker of another one with the same folder knows nothing about them. */
  readonly engine: string;
}

interface OpenWorktrees {
  readonly worktrees: RunWorktrees;
  /** The last turn that ended with them in this process; 0: none. */
  endedTurn: number;
}

/** Runs whose worktrees stay open between turns. */
const MOST_OPEN = 200;
/** A file in the repository's directory of a worktree, with the engine of its run. */
const ENGINE_NOTE = 'statedsl-engine';

export class WorkerWorktrees implements TurnWorktrees {
  private readonly opened = new RecentlyUsed<Promise<OpenWorktrees | null>>(MOST_OPEN);

  constructor(private readonly options: WorkerWorktreesOptions) {}

  async begin({ runId, turn, wanted }: WorktreeOf): Promise<BegunWorktree> {
    const known = await this.opened.get(runId)?.catch(() => null);
    // Only if this process executed the previous turn does it know what the worktree holds.
    if (known != null && known.endedTurn === turn - 1) return begunWorktree(known.worktrees, wanted);
    const opening = turn === 1 ? this.make(runId, wanted) : this.reopen(runId);
    this.opened.set(runId, opening, 1);
    const opened = await opening;
    if (opened !== null) return begunWorktree(opened.worktrees, wanted);
    this.opened.delete(runId);
    const where = `which is not in \`${join(this.options.folder, 'worktrees')}\` of this worker`;
    throw new ProgramRefused(
      `run \`${runId}\` needs its worktree, ${where}: start the worker again that made it, with its \`--dir\``,
      false,
    );
  }

  async keepPoint(runId: string, label: string): Promise<string | null> {
    return (await this.must(runId)).worktrees.keepPoint(label);
  }

  async end(runId: string, turn: number, isReturned: boolean): Promise<WorktreeFacts> {
    const opened = await this.must(runId);
    opened.endedTurn = turn;
    const problem = isReturned ? await opened.worktrees.finish() : null;
    return { ...opened.worktrees.facts(), ...omitUndefined({ problem: problem ?? undefined }) };
  }

  /** The worktrees of a run that this worker has; null: it has none. */
  async of(runId: string): Promise<RunWorktrees | null> {
    let opening = this.opened.get(runId);
    if (opening === undefined) {
      opening = this.reopen(runId);
      this.opened.set(runId, opening, 1);
    }
    const opened = await opening.catch((cause: unknown) => {
      this.opened.delete(runId);
      throw cause;
    });
    if (opened === null) this.opened.delete(runId);
    return opened?.worktrees ?? null;
  }

  /**
   * Removes worktrees of runs that the engine no longer has, unless they hold work that is on no other branch. `isGone` says
   * whether a run was removed. Rejects with whatever `isGone` rejects with.
   */
  async removeGone(isGone: (runId: string) => Promise<boolean>): Promise<readonly string[]> {
    const { folder, engine } = this.options;
    await requireOwnStore(folder);
    const [{ removeWorktrees, worktreeRuns }, { readRecord }, { unappliedRuns }, { realStore }] = await Promise.all([
      import('../runtime/worktree/remove-worktrees.js'),
      import('../runtime/worktree/checkout.js'),
      import('../runtime/worktree/apply/unapplied.js'),
      import('../runtime/worktree/git/repository.js'),
    ]);
    const gone: string[] = [];
    for (const runId of worktreeRuns(folder)) {
      const gitDir = readRecord(realStore(folder), runId)?.gitDir ?? '';
      if (engineOf(gitDir) === engine && (await isGone(runId))) gone.push(runId);
    }
    if (gone.length === 0) return [];
    const unapplied = await unappliedRuns(folder);
    const removed = gone.filter((runId) => !unapplied.has(runId));
    for (const runId of removed) await removeWorktrees(folder, runId);
    return removed;
  }

  /** An attempt that broke off may have made it already. */
  private async make(runId: string, { from }: WantedWorktree): Promise<OpenWorktrees> {
    const { cwd, folder, engine } = this.options;
    await refusalsOf(runId, () => requireOwnStore(folder));
    const worktrees =
      from === undefined
        ? await newWorktree(true, { cwd, dir: folder, runId })
        : await refusalsOf(runId, () =>
            copiedWorktree({ ...from, commits: new Map(from.commits) }, { cwd, dir: folder, runId }),
          );
    if ('reason' in worktrees) throw refusalFor(runId, worktrees.reason);
    writeFileSync(join(worktrees.main.gitDir, ENGINE_NOTE), engine, { mode: 0o600 });
    return { worktrees, endedTurn: 0 };
  }

  private async reopen(runId: string): Promise<OpenWorktrees | null> {
    const { folder } = this.options;
    await refusalsOf(runId, () => requireOwnStore(folder));
    const [{ readRecord }, { realStore }] = await Promise.all([
      import('../runtime/worktree/checkout.js'),
      import('../runtime/worktree/git/repository.js'),
    ]);
    const record = readRecord(realStore(folder), runId);
    if (record === null) return null;
    const worktrees = await refusalsOf(runId, () =>
      knownWorktree({ base: record.base }, { dir: folder, runId, again: [] }),
    );
    return worktrees === null ? null : { worktrees, endedTurn: 0 };
  }

  private async must(runId: string): Promise<OpenWorktrees> {
    await this.of(runId);
    const opened = await this.opened.get(runId);
    if (opened == null) throw missing(runId);
    return opened;
  }
}

/** An attempt that comes to a worker without the worktree breaks off, so that the engine makes it again elsewhere. */
export function missing(runId: string): Error {
  return new Error(`the worktree of run \`${runId}\` is not on this worker`);
}

/**
 * Before an effect begins. The call of an agent that a killed worker left incomplete starts from the files that it had
 * before.
 */
export async function restoreFiles(worktrees: RunWorktrees, request: PerformedRequest): Promise<void> {
  if (request.kind !== 'agent') return;
  const { restoreCall } = await import('../runtime/worktree/restore-call.js');
  await restoreCall(worktrees.at(request.directory ?? worktrees.main.cwd), [request]);
}

async function begunWorktree({ main }: RunWorktrees, { from }: WantedWorktree): Promise<BegunWorktree> {
  const { branchCommit } = await import('../runtime/worktree/worktree.js');
  return { base: from?.base ?? main.base, tip: await branchCommit(main) };
}

async function refusalsOf<T>(runId: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (cause) {
    if (!(cause instanceof RunRefused)) throw cause;
    throw refusalFor(runId, cause.help === null ? cause.message : `${cause.message}; ${cause.help}`);
  }
}

/** Workers with a name are alike, so no other one can do better. */
function refusalFor(runId: string, reason: string): ProgramRefused {
  return new ProgramRefused(`the worker cannot make the worktree of run \`${runId}\`: ${reason}`, true);
}

function engineOf(gitDir: string): string | null {
  try {
    return readFileSync(join(gitDir, ENGINE_NOTE), 'utf8');
  } catch {
    return null;
  }
}
