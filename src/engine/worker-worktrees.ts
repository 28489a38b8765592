/**
 * The worktrees of the runs of a worker. They are in its folder and belong to the repository of its working directory, so
 * all turns of such a run come to this machine: the run has a home.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { omitUndefined } from '../prelude/omit-undefined.js';
import type { PerformedRequest } from '../runtime/effect-context.js';
import { copiedWorktree, knownWorktree, newWorktree } from '../runtime/run/working-directory.js';
import { writeOwn } from '../runtime/store/own-file.js';
import { RunRefused } from '../runtime/store/store-error.js';
import { requireOwnStore } from '../runtime/store/store-ownership.js';
import { engineOf, noteEngine } from '../runtime/worktree/engine-note.js';
import type { RunWorktrees } from '../runtime/worktree/run-worktrees.js';
import type { WorktreeFacts } from '../runtime/worktree/worktree-facts.js';
import { RecentlyUsed } from './recently-used.js';
import { ProgramRefused } from './turn-host.js';
import type { BegunWorktree, TurnEnd, TurnWorktrees, WantedWorktree, WorktreeOf } from './turn-worktree.js';
import { stopLeftRunning } from './worker-processes.js';

interface WorkerWorktreesOptions {
  /** The working directory of the worker, in a checkout of the repository. */
  readonly cwd: string;
  /** The folder of the worker, in which the worktrees are. Absolute. */
  readonly folder: string;
  /** Which engine the runs are of: a worker of another one with the same folder knows nothing about them. */
  readonly engine: string;
}

interface OpenWorktrees {
  /** Null: this worker has none. */
  readonly opening: Promise<RunWorktrees | null>;
  /** Set when they are open. */
  worktrees: RunWorktrees | null;
}

/** Runs whose worktrees stay open between turns. */
const MOST_OPEN = 200;
/** A file in the repository's directory of a worktree, with the process that had it open last. */
const HOLDER_NOTE = 'statedsl-worker';

export class WorkerWorktrees implements TurnWorktrees {
  private readonly opened = new RecentlyUsed<OpenWorktrees>(MOST_OPEN);

  private readonly holder = randomUUID();

  constructor(private readonly options: WorkerWorktreesOptions) {}

  async begin({ runId, turn, wanted }: WorktreeOf): Promise<BegunWorktree> {
    const worktrees = await this.open(runId, () => (turn === 1 ? this.make(runId, wanted) : this.reopen(runId)));
    if (worktrees !== null) return begunWorktree(worktrees, wanted);
    throw new ProgramRefused(this.absence(runId), false);
  }

  async problem(runId: string): Promise<string | null> {
    try {
      return (await this.of(runId)) === null ? this.absence(runId) : null;
    } catch (cause) {
      if (cause instanceof ProgramRefused) return cause.message;
      throw cause;
    }
  }

  async keepPoint(runId: string, label: string): Promise<string | null> {
    return (await this.must(runId)).keepPoint(label);
  }

  async end(runId: string, end: TurnEnd): Promise<WorktreeFacts> {
    const worktrees = await this.must(runId);
    const problem = end === 'returned' ? await worktrees.finish() : null;
    // Until it continues, people may change files and branches: then it is opened anew, as by `resume` without an engine.
    if (end !== 'continues') this.opened.delete(runId);
    return { ...worktrees.facts(), ...omitUndefined({ problem: problem ?? undefined }) };
  }

  /** The worktrees of a run that this worker has; null: it has none. */
  of(runId: string): Promise<RunWorktrees | null> {
    return this.open(runId, () => this.reopen(runId));
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
    const removed: string[] = [];
    for (const runId of gone)
      if (!unapplied.has(runId) && (await removeWorktrees(folder, runId)).length === 0) removed.push(runId);
    return removed;
  }

  /**
   * What this process knows of a worktree is true only as long as no other one has opened it: workers that share an address
   * and a folder continue each other's turns.
   */
  private async open(runId: string, make: () => Promise<RunWorktrees | null>): Promise<RunWorktrees | null> {
    const known = this.opened.get(runId);
    if (known !== undefined && (known.worktrees === null || this.isHeld(known.worktrees))) return known.opening;
    const one: OpenWorktrees = { opening: this.hold(make), worktrees: null };
    this.opened.set(runId, one, 1);
    try {
      one.worktrees = await one.opening;
      return one.worktrees;
    } finally {
      if (one.worktrees === null && this.opened.get(runId) === one) this.opened.delete(runId);
    }
  }

  private async hold(make: () => Promise<RunWorktrees | null>): Promise<RunWorktrees | null> {
    const worktrees = await make();
    if (worktrees === null) return null;
    const { gitDir } = worktrees.main;
    noteEngine(gitDir, this.options.engine);
    writeOwn(join(gitDir, HOLDER_NOTE), this.holder);
    return worktrees;
  }

  private isHeld({ main }: RunWorktrees): boolean {
    try {
      return readFileSync(join(main.gitDir, HOLDER_NOTE), 'utf8') === this.holder;
    } catch {
      return false;
    }
  }

  /** An attempt that broke off may have made it already. */
  private async make(runId: string, { from }: WantedWorktree): Promise<RunWorktrees> {
    const { cwd, folder } = this.options;
    await this.prepareFolder(runId);
    const worktrees =
      from === undefined
        ? await newWorktree(true, { cwd, dir: folder, runId })
        : await refusalsOf(runId, () =>
            copiedWorktree({ ...from, commits: new Map(from.commits) }, { cwd, dir: folder, runId }),
          );
    if ('reason' in worktrees) throw refusalFor(runId, worktrees.reason);
    return worktrees;
  }

  private async reopen(runId: string): Promise<RunWorktrees | null> {
    const { folder } = this.options;
    await this.prepareFolder(runId);
    const [{ readRecord }, { realStore }] = await Promise.all([
      import('../runtime/worktree/checkout.js'),
      import('../runtime/worktree/git/repository.js'),
    ]);
    const record = readRecord(realStore(folder), runId);
    if (record === null) return null;
    return refusalsOf(runId, () => knownWorktree({ base: record.base }, { dir: folder, runId, again: [] }));
  }

  private absence(runId: string): string {
    const where = `which is not in \`${join(this.options.folder, 'worktrees')}\` of this worker`;
    return `run \`${runId}\` needs its worktree, ${where}: start the worker again that made it, with its \`--dir\``;
  }

  private async prepareFolder(runId: string): Promise<void> {
    const { folder } = this.options;
    await refusalsOf(runId, () => requireOwnStore(folder));
    // What a killed worker left running would write into the files that this one restores.
    await stopLeftRunning(folder);
  }

  private async must(runId: string): Promise<RunWorktrees> {
    const worktrees = await this.of(runId);
    if (worktrees === null) throw missing(runId);
    return worktrees;
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
