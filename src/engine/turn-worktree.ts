/**
 * The worktree of a run, as entries of its turns: which commit it starts from, the commits that `replay --from` needs, and
 * what it has at the end of a turn. The effects themselves work in it where they are performed.
 */
import type { RunEvent } from '../interpreter/events/event.js';
import { ReplayPoints } from '../runtime/run/recording.js';
import type { WorktreeFacts } from '../runtime/worktree/worktree-facts.js';
import type { PerformContext } from './engine-context.js';

/** The commits of the worktrees of another run, from which those of a new run start. */
export interface CopiedWorktrees {
  /** The first commit of the worktree of the other run. */
  readonly base: string;
  /** By the paths of tasks; null is the run's own worktree. */
  readonly commits: readonly (readonly [string | null, string])[];
}

/** That a run has a worktree. */
export interface WantedWorktree {
  /** Absent: it starts from the commit that its worker has checked out. */
  readonly from?: CopiedWorktrees;
}

/** A turn that needs a worktree. */
export interface WorktreeOf {
  readonly runId: string;
  readonly turn: number;
  readonly wanted: WantedWorktree;
}

/** The worktree of a run where a turn begins. */
export interface BegunWorktree {
  /** The commit from which it started. */
  readonly base: string;
  /** The last commit of its branch. */
  readonly tip: string;
}

/**
 * How a turn ends. `returned`: the end commits all changes. `continues`: the next turn follows at once, so nobody else
 * changes files in between.
 */
export type TurnEnd = 'returned' | 'continues' | 'stops';

/** The worktrees of a process that executes turns. */
export interface TurnWorktrees {
  /** Makes it in the first turn of a run, and opens it in later ones. Rejects with a `ProgramRefused`. */
  begin(turn: WorktreeOf): Promise<BegunWorktree>;
  /** Why the process cannot continue a turn that another one has begun; null: it can. */
  problem(runId: string): Promise<string | null>;
  /** Commits the changes since the last commit. Null if there are none or git fails. */
  keepPoint(runId: string, label: string): Promise<string | null>;
  /** At the end of a turn. */
  end(runId: string, end: TurnEnd): Promise<WorktreeFacts>;
}

export class TurnWorktree {
  private readonly points: ReplayPoints;

  private seq: number;

  constructor(
    private readonly context: Pick<PerformContext, 'run'>,
    private readonly worktrees: TurnWorktrees,
    private readonly of: { readonly runId: string; readonly seq: number },
    { tip }: BegunWorktree,
  ) {
    const { runId, seq } = of;
    this.seq = seq;
    let known = tip;
    const keepPoint = async (label: string): Promise<string | null> => {
      const commit = await context.run('commit', () => worktrees.keepPoint(runId, label));
      // A process that continues a turn does not know what the worktree holds, so it may name a commit again.
      if (commit === known) return null;
      known = commit ?? known;
      return commit;
    };
    this.points = new ReplayPoints({ keepPoint }, seq);
  }

  /** Receives every event that is on record. */
  note(events: readonly RunEvent[]): void {
    for (const event of events) this.points.note(event, ++this.seq);
  }

  /** Commits if a state was entered and files may have changed. Returns the event that records it. */
  keepPoint(): Promise<RunEvent | null> {
    return this.points.keep();
  }

  async end(end: TurnEnd): Promise<WorktreeFacts> {
    return this.context.run('worktree', () => this.worktrees.end(this.of.runId, end));
  }
}
