/**
 * Makes the commits of a run's worktree that `replay --from STATE` needs. Steps request their own, but states do not,
 * because a transition is not an effect. So the runtime commits before anything is done in the new state.
 */
import type { RunEvent } from '../../interpreter/events/event.js';
import type { RunWorktrees } from '../worktree/run-worktrees.js';

export class ReplayPoints {
  /** The number of the event of the last outcome. */
  private settled: number;
  /** The state that was entered since the last commit. */
  private entered: string | null = null;

  /** `seq`: the number of the last event on record. */
  constructor(
    private readonly worktrees: Pick<RunWorktrees, 'keepPoint'> | null,
    seq: number,
  ) {
    this.settled = seq;
  }

  /** Without a worktree there is nothing to commit. */
  get areKept(): boolean {
    return this.worktrees !== null;
  }

  /** Receives every event with its number. */
  note(event: RunEvent, seq: number): void {
    if (event.type === 'effect_settled') this.settled = seq;
    else if (event.type === 'state_entered') this.entered = event.state;
  }

  /** Commits if a state was entered and files may have changed. Returns the event that records it. */
  async keep(): Promise<RunEvent | null> {
    const { entered, settled, worktrees } = this;
    if (entered === null || worktrees === null) return null;
    this.entered = null;
    const commit = await worktrees.keepPoint(`before ${entered}`);
    return commit === null ? null : { type: 'worktree_committed', commit, since: settled };
  }
}
