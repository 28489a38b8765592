/** What a run says about the nodes of its graph: how often a state was entered, what became of a step or of a call of a plan. */
import type { Machine } from '../../machine/machine.js';
import type { DrawnEdge, PictureNode } from '../../views/picture/picture.js';
import type { PageRun } from '../data/page-data.js';
import type { EdgeCounts, TakenEdge } from '../history/edge-counts.js';
import type { PlanExecution } from './plan-calls.js';

export type NodeMark = 'done' | 'failed' | 'running' | 'waiting' | 'skipped';

export interface NodeFacts {
  /** What the node is, and what became of it; for those who cannot see it. */
  readonly words: string;
  /** How often it was entered or finished. */
  readonly count: number;
  readonly mark: NodeMark | null;
  /** Nothing of it has happened, or will happen. */
  readonly isDim: boolean;
  /** Whether there is an event to show. */
  readonly canChoose: boolean;
}

/** Null: the run says nothing about this node. */
export type FactsOf = (node: PictureNode) => NodeFacts | null;

type Steps = NonNullable<PageRun['steps']>;
type ShownCalls = NonNullable<PageRun['calls']>;

const MARK_OF_STEP: Readonly<Record<Steps[number]['status'], NodeMark>> = {
  pass: 'done',
  fail: 'failed',
  fatal: 'failed',
  running: 'running',
};

const MARK_OF_CALL: Readonly<Record<ShownCalls[number]['status'], NodeMark>> = {
  done: 'done',
  failed: 'failed',
  denied: 'failed',
  waiting: 'waiting',
  blocked: 'waiting',
  skipped: 'skipped',
  superseded: 'skipped',
  satisfied: 'skipped',
};

/** The index of the state that a node represents; -1: none. */
export function stateOf(id: string): number {
  return Number(new RegExp(`^${LEAD} state (\\d+)$`).exec(id)?.[1] ?? -1);
}

/** The index of the call of a plan that a node represents; -1: none. */
export function callOf(id: string): number {
  return Number(/^c(\d+)$/.exec(id)?.[1] ?? -1);
}

export function programFacts(machine: Machine, edges: EdgeCounts, steps: Steps): FactsOf {
  return (node) => {
    const state = machine.states[stateOf(node.id)]?.name;
    if (node.step !== undefined) return stepFacts(node.step, steps);
    return state === undefined ? null : stateFacts(state, edges.entriesOf(state));
  };
}

function stateFacts(name: string, count: number): NodeFacts {
  const words = count === 0 ? 'not entered' : `entered ${count} ${count === 1 ? 'time' : 'times'}`;
  return { words: `State ${name}, ${words}`, count, mark: null, isDim: count === 0, canChoose: count > 0 };
}

/** A step of tasks is there once for each of them. */
function stepFacts(path: string, steps: Steps): NodeFacts {
  const all = steps.filter((step) => isStep(path, step.path));
  const marks = all.map(({ status }) => MARK_OF_STEP[status]);
  const mark = (['failed', 'running', 'done'] as const).find((one) => marks.includes(one)) ?? null;
  const words = all.map((step) => `${step.path} ${step.status}`).join(', ') || 'not begun';
  const done = marks.filter((one) => one === 'done').length;
  return { words: `Step ${words}`, count: done, mark, isDim: mark === null, canChoose: mark !== null };
}

/** Whether the path of a step of a run belongs to the path in a program, which does not know the names of tasks. */
export function isStep(written: string, path: string): boolean {
  const [parts, names] = [written.split('/'), path.split('/')];
  return parts.length === names.length && parts.every((part, at) => part === '<task>' || part === names[at]);
}

/** `executed`: what the record says of calls; it has more than the status for those that are running. */
export function planFacts(
  calls: readonly Pick<ShownCalls[number], 'index' | 'status'>[],
  executed: PlanExecution['calls'],
): FactsOf {
  const known = new Map(calls.map((call) => [call.index, call.status]));
  return ({ id, title }) => {
    const index = callOf(id);
    if (index < 0) return null;
    const found = executed.get(index);
    const status = found?.status === 'running' ? found.status : (known.get(index) ?? found?.status);
    const mark = status === undefined ? null : status === 'running' ? status : MARK_OF_CALL[status];
    const isDim = mark === null || mark === 'skipped';
    const words = `Call ${title}, ${status ?? 'not begun'}`;
    return { words, count: 1, mark, isDim, canChoose: found !== undefined };
  };
}

/** Begins the ids of nodes and edges in the picture of a program with one machine. */
export const LEAD = 'm0';

/** Counts by the ids of edges. A transition that no edge shows is left out. */
export function takenEdges(
  machine: Machine,
  taken: readonly TakenEdge[],
  edges: readonly DrawnEdge[],
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const indexes = new Map(machine.states.map(({ name }, index) => [name, index]));
  const add = (id: string, count: number): void => void counts.set(id, (counts.get(id) ?? 0) + count);
  for (const { from, to, afterFailure, count } of taken) {
    const target = to === null ? `${LEAD} ${afterFailure ? 'failure' : 'end'}` : `${LEAD} state ${indexes.get(to)}`;
    if (from === null) {
      add(`${LEAD} start`, count);
      continue;
    }
    const source = `${LEAD} state ${indexes.get(from)}`;
    const between = edges.filter(({ edge }) => edge.from === source && edge.to === target);
    const wanted = between.find(({ edge }) => (edge.kind === 'failure') === afterFailure) ?? between[0];
    if (wanted !== undefined) add(wanted.edge.id, count);
    else if (afterFailure) add(`${LEAD} failures`, count);
  }
  return counts;
}
