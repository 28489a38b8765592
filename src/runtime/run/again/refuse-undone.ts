/** Refuses what a rollback makes impossible: a run cannot rely on what was undone, and nothing is undone twice. */
import type { Run } from '../../../interpreter/run.js';
import type { Undone } from '../../../interpreter/run-state/undo-entry.js';
import { RunRefused } from '../../store/run-refused.js';

/** Refuses to resume a failed run at a point whose effects were undone since. `before` is the run at that point. */
export function refuseUndone(runId: string, before: Run, { undo, states }: Run): void {
  const { undone } = undo;
  if (undone !== null && undone.count > (before.undo.undone?.count ?? 0)) refuse(runId, undone, states);
}

/** A rollback follows the end of a run, so every point of the run is before it. */
export function refuseAfterRollback(runId: string, { undo, states }: Run): void {
  const { lateRollback, undone } = undo;
  if (lateRollback !== null && undone !== null) refuse(runId, undone, states);
}

function refuse(runId: string, undone: Undone, states: readonly string[]): never {
  const { state, transitions } = undone;
  const entry = states.slice(0, transitions + 1).filter((name) => name === state).length;
  const point = entry > 1 ? `${state}#${entry}` : state;
  throw new RunRefused(
    'over',
    `run \`${runId}\` has undone what it did in \`${state}\`, so it cannot be resumed after that`,
    `start a new run from a point before that: \`statedsl replay ${runId} --from ${point}\``,
  );
}

/** Refuses a rollback if there is nothing to undo, or if the run may still need what it did. */
export function refuseRollback(runId: string, { result, undo }: Run): void {
  // An interrupted rollback is finished.
  if (undo.endedAs !== null) return;
  if (result === null)
    throw new RunRefused(
      'wrong-use',
      `run \`${runId}\` is not over and may still need what it did`,
      `resume it with \`statedsl resume ${runId}\`, or end it with \`statedsl cancel ${runId}\``,
    );
  if (result.status === 'returned')
    throw new RunRefused('over', `run \`${runId}\` has returned, and only failed or cancelled runs can be rolled back`);
  if (undo.newest === null) throw new RunRefused('over', `run \`${runId}\` has nothing to undo`);
}
