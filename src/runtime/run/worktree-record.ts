/** What the record of a run says about its worktrees: their commits, and the folders of those of tasks. */
import type { Outcome } from '../../interpreter/events/event.js';
import type { WorktreeRequest } from '../../interpreter/request.js';
import type { Json } from '../../machine/expression.js';
import { isJsonObject } from '../../prelude/json-object.js';
import { unreachable } from '../../prelude/unreachable.js';

/** The commit of each worktree, by the path of its task; null is the run's own. */
export type Commits = Map<string | null, string>;

/** Notes what was done to a worktree. */
export function noteCommit(commits: Commits, { task, action }: WorktreeRequest, outcome: Outcome): void {
  if (outcome.kind === 'changed') commits.set(task, outcome.commit);
  if (outcome.kind !== 'value') return;
  switch (action.do) {
    case 'reset':
      commits.set(task, action.to);
      break;
    case 'fork':
      commits.set(task, action.base);
      break;
    case 'merge':
      commits.set(task, textIn(outcome.value, 'commit') ?? action.onto);
      // They are no longer used.
      for (const merged of action.tasks) commits.delete(merged.task);
      break;
    case 'snapshot':
      break;
    default:
      unreachable(action);
  }
}

/**
 * An outcome for a run that continues from another run: the directory of a task becomes that of the new run's task, whose
 * path differs only by the id of the run.
 */
export function insteadOf(outcome: Outcome, before: string, now: string): Outcome {
  if (outcome.kind !== 'value') return outcome;
  const directory = textIn(outcome.value, 'directory');
  const start = `/worktrees/${before}--`;
  if (directory?.includes(start) !== true) return outcome;
  return { ...outcome, value: { directory: directory.replace(start, `/worktrees/${now}--`) } };
}

function textIn(value: Json, name: string): string | null {
  if (!isJsonObject(value)) return null;
  const found = value[name];
  return typeof found === 'string' ? found : null;
}
