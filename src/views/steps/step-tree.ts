/**
 * The steps of a state as a tree for pictures: steps of groups and workflows below the step that runs them, steps of
 * tasks in a box after their split. Gates are named at their step and not drawn.
 */
import type { Machine, State } from '../../machine/machine.js';
import { keyPath, stepPositions } from './step-positions.js';
import { type StepSummary, stepSummaries } from './step-summary.js';

export interface DrawnStep {
  /** `branches`: members that run in parallel, or one of them. */
  readonly kind: 'step' | 'each' | 'branches';
  readonly path: string;
  /** For a step: its name, its agent and its gates. For a box: its subject. */
  readonly lines: readonly string[];
  /** Entries of RETRY; empty without one. */
  readonly retry: readonly string[];
  /** Whether inner nodes run in parallel: all of them, or the nodes of one task with those of other tasks. */
  parallel: boolean;
  readonly inside: DrawnStep[];
}

const TASK = '/<task>';

export function stepTree(state: State, machine: Machine): DrawnStep[] {
  const summaries = stepSummaries(state, machine);
  if (summaries.length === 0) return [];
  const parallel = parallelIn(state);
  const roots: DrawnStep[] = [];
  const known = new Map<string, DrawnStep>();
  const position = (node: DrawnStep, path: string): void => {
    known.set(node.path, node);
    const around = aroundOf(path, known);
    (around === null ? roots : around.inside).push(node);
  };
  for (const summary of summaries) {
    const { path } = summary;
    if (/\.(gate\.[^.]+|retry)\.state\./.test(path)) continue;
    openTasks(path, known, parallel, position);
    position(stepNode(summary, parallel), path);
  }
  return roots;
}

/** Adds the missing boxes of the tasks that a path leads through. */
function openTasks(
  path: string,
  known: ReadonlyMap<string, DrawnStep>,
  parallel: ReadonlySet<string>,
  position: (node: DrawnStep, path: string) => void,
): void {
  for (let at = path.indexOf(`${TASK}/`); at >= 0; at = path.indexOf(`${TASK}/`, at + 1)) {
    const of = path.slice(0, at);
    const box = of + TASK;
    if (known.has(box)) continue;
    const together = parallel.has(of);
    const lines = [`each task of ${nameOf(of)}${together ? ', in parallel' : ''}`];
    position({ kind: 'each', path: box, lines, retry: [], parallel: together, inside: [] }, of);
  }
}

function stepNode(summary: StepSummary, parallel: ReadonlySet<string>): DrawnStep {
  const { path, type, agent, workflow, gates, retry, exit } = summary;
  const about = [
    ...(type === 'none' ? [] : [type]),
    ...(agent === null ? [] : [agent]),
    ...(workflow === null ? [] : [`workflow ${workflow}`]),
  ];
  const lines = [
    nameOf(path),
    ...(about.length === 0 ? [] : [about.join(', ')]),
    ...(gates.length === 0 ? [] : [`gates: ${gates.map(({ name }) => name).join(', ')}`]),
  ];
  const entries = retry.length === 0 && exit === 1 ? [] : [...retry, `exit: ${exit}`];
  return { kind: 'step', path, lines, retry: entries, parallel: parallel.has(path), inside: [] };
}

/** The parent of a node: the step or box with the longest path that leads to it; null is the state. */
function aroundOf(path: string, known: ReadonlyMap<string, DrawnStep>): DrawnStep | null {
  for (let at = path.length - 1; at > 0; at--) {
    if (path[at] !== '/' && !path.startsWith('.state.', at)) continue;
    const around = known.get(path.slice(0, at));
    if (around !== undefined) return around;
  }
  return null;
}

/** Paths of steps whose tasks or members run in parallel. */
function parallelIn(state: State): Set<string> {
  const positions = stepPositions(state);
  return new Set(
    state.code.flatMap((instruction, pc) => {
      if (instruction.op !== 'task-enter' || !instruction.parallel) return [];
      // Outside of the entered scopes the levels are the same.
      const position = positions[pc];
      return position === undefined ? [] : [keyPath(position, instruction.parent)];
    }),
  );
}

function nameOf(path: string): string {
  return path.split(/\/|\.state\./).at(-1) ?? path;
}
