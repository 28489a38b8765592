/**
 * Keeps track of the open steps, so that log lines are indented under their step. Indentation cannot separate steps
 * that run in parallel: each of their lines names its step, even after the others have ended.
 */
import type { RunEvent } from '../../interpreter/events/event.js';

interface OpenStep {
  readonly path: string;
  attempt: number;
  agent: string | null;
}

interface StepLog {
  /** Updates the open steps. Call it before drawing the lines of the event. */
  take(event: RunEvent): void;
  /** The prefix of a line that belongs to a step. `named`: the line itself names the step. */
  lead(path: string | undefined, named?: boolean): string;
  /** The prefix of the line that starts a step. */
  head(path: string): string;
  /** The agent and the attempt of an open step, for a line that shows it while it runs. */
  describeRunning(path: string): string | null;
}

export function stepLog(toVisible: (text: string) => string): StepLog {
  const open = new Map<string, OpenStep>();
  /** Steps that were open in parallel with others. */
  const concurrent = new Set<string>();

  /** The open steps that contain the step. */
  const countAround = (path: string): number => [...open.keys()].filter((other) => isBelow(path, other)).length;

  function begin(path: string, attempt: number, agent: string | null): void {
    for (const other of open.keys()) {
      if (other === path || isBelow(path, other) || isBelow(other, path)) continue;
      concurrent.add(other);
      concurrent.add(path);
    }
    open.set(path, { path, attempt, agent });
  }

  const isConcurrent = (path: string): boolean =>
    [...concurrent].some((other) => other === path || isBelow(path, other));

  return {
    take(event) {
      if (open.size === 0) concurrent.clear();
      if (event.type === 'state_entered') open.clear();
      if (event.type === 'step_started') begin(event.step, event.attempt, event.agent);
      // A retry that begins with an earlier step leaves this one until it starts again.
      const isLeft = event.type === 'retry_triggered' && event.overrides.restart_from !== undefined;
      if (event.type === 'step_completed' || isLeft) open.delete(event.step);
    },
    lead(path, named = false) {
      if (path === undefined) return '  ';
      if (isConcurrent(path)) return named ? '  ' : `  ${toVisible(path)}: `;
      return '  '.repeat(countAround(path) + 1);
    },
    head: (path) => (isConcurrent(path) ? '' : '  '.repeat(countAround(path))),
    describeRunning(path) {
      const step = open.get(path);
      if (step === undefined) return null;
      const { attempt, agent } = step;
      return `${toVisible(path)}${agent === null ? '' : ` ${toVisible(agent)}`}${attempt > 1 ? `, attempt ${attempt}` : ''}`;
    },
  };
}

/**
 * Whether a step is below another: one of its steps, of its tasks, or of a workflow that it runs or that validates it.
 */
function isBelow(path: string, other: string): boolean {
  return (
    path.length > other.length && path.startsWith(other) && (path[other.length] === '/' || path[other.length] === '.')
  );
}
