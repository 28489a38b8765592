/** The graph of configurations: what was reached, by what, and what happened on the way. */
import type { RunEvent } from '../../interpreter/events/event.js';
import { isToolCall } from '../../interpreter/plan/call-request.js';
import type { Run, RunResult } from '../../interpreter/run.js';
import type { TimeSpan } from './spans.js';
import type { Rare } from './way.js';

/** Something that is counted on the way: the entry of a state, a call, a question. */
export interface CountedSite {
  readonly kind: 'state' | 'agent' | 'command' | 'tool' | 'ask';
  /** The name of a state, an agent, a tool or a question; the text of a command. */
  readonly name: string;
  readonly state: string;
  /** The other states with the same line of a pattern. */
  readonly alsoIn?: readonly string[];
  readonly line: number;
}

/** What an event counts; null: nothing. `agents` are the agents of tools. */
export function countedSite(event: RunEvent, agents: ReadonlyMap<string, string>): CountedSite | null {
  if (event.type === 'state_entered') return { kind: 'state', name: event.state, state: event.state, line: 0 };
  if (event.type === 'asked') return { kind: 'ask', name: event.name, state: '', line: 0 };
  if (event.type !== 'effect_requested') return null;
  const { state, line, tool, text } = event;
  switch (event.kind) {
    case 'agent':
      return { kind: 'agent', name: calledAgent(event, agents), state, line };
    case 'tool':
      return { kind: 'tool', name: tool ?? text, state, line };
    case 'shell':
    case 'argv':
    case 'function':
      return { kind: 'command', name: text, state, line };
    default:
      return null;
  }
}

/** The agent of a request, which is not the tool of a CALL. */
export function calledAgent(
  request: { readonly kind: string; readonly tool: string | null; readonly text: string },
  agents: ReadonlyMap<string, string>,
): string {
  const name = request.tool ?? request.text;
  return isToolCall(request) ? (agents.get(name) ?? name) : name;
}

/** A failure of an expression of the program. */
export interface Mistake {
  readonly kind: string;
  readonly message: string;
  readonly state: string;
  readonly line: number;
  /** Whether the run fails because of it. */
  readonly isFatal: boolean;
}

export interface Edge {
  readonly from: number;
  readonly to: number;
  /** The position among what the run waited for; -1: the run only continued. */
  readonly pending: number;
  readonly way: number;
  /** Indexes of the decisions. */
  readonly decisions: readonly number[];
  readonly isTime: boolean;
  /** How much at least, in milliseconds; 0: none is known to pass. */
  readonly takesMs: number;
  readonly isOutside: boolean;
  /** What is rare and happened; null: nothing. */
  readonly rare: Rare | null;
  /** Whether a list has the greatest length that is explored. */
  readonly isLongest: boolean;
  /** Indexes of counted sites, once for each time. */
  readonly counts: readonly number[];
  /** Indexes of failures in the program's own expressions. */
  readonly mistakes: readonly number[];
  /** How long what is asked for on it may take. */
  readonly span: TimeSpan;
}

export interface Node {
  readonly id: number;
  /** The edge by which it was reached first; null for the start. */
  readonly by: Edge | null;
  readonly state: string;
  readonly result: (Pick<RunResult, 'status' | 'state' | 'value'> & { readonly error: string | null }) | null;
  readonly out: Edge[];
  /** Whether its outcomes were explored. */
  isExpanded: boolean;
}

export function resultOf({ result }: Run): Node['result'] {
  if (result === null) return null;
  return { status: result.status, state: result.state, value: result.value, error: result.error?.kind ?? null };
}

/** Components of the edges that `follows` accepts, numbered so that an edge never leads to a larger number. */
export function componentsOf(nodes: readonly Node[], follows: (edge: Edge) => boolean): Int32Array {
  const first = new Int32Array(nodes.length + 1);
  const ends: number[] = [];
  nodes.forEach(({ out }, at) => {
    for (const edge of out) if (follows(edge)) ends.push(edge.to);
    first[at + 1] = ends.length;
  });
  return componentsIn(first, Int32Array.from(ends));
}

/** `ends`: of the edges of all nodes; those of a node begin at its number in `first`. */
function componentsIn(first: Int32Array, ends: Int32Array): Int32Array {
  const count = first.length - 1;
  const index = new Int32Array(count).fill(-1);
  const low = new Int32Array(count);
  const component = new Int32Array(count).fill(-1);
  const next = first.slice();
  const way = new Int32Array(count);
  const open = new Int32Array(count);
  let [entered, found, depth, opened] = [0, 0, 0, 0];
  const enter = (at: number): void => {
    index[at] = low[at] = entered++;
    open[opened++] = at;
    way[depth++] = at;
  };
  for (let root = 0; root < count; root++) {
    if (index[root] !== -1) continue;
    enter(root);
    while (depth > 0) {
      const at = way[depth - 1] as number;
      if ((next[at] as number) < (first[at + 1] as number)) {
        const to = ends[next[at] as number] as number;
        next[at] = (next[at] as number) + 1;
        if (index[to] === -1) enter(to);
        else if (component[to] === -1) low[at] = Math.min(low[at] as number, index[to] as number);
        continue;
      }
      depth--;
      if (low[at] === index[at]) {
        for (let one = -1; one !== at; ) {
          one = open[--opened] as number;
          component[one] = found;
        }
        found++;
      }
      const before = way[depth - 1] as number;
      if (depth > 0) low[before] = Math.min(low[before] as number, low[at] as number);
    }
  }
  return component;
}

/** The edges from the start to a node, by the shortest way. The first one begins the run. */
export function wayTo(nodes: readonly Node[], to: number): Edge[] {
  const edges: Edge[] = [];
  for (let by = nodes[to]?.by ?? null; by !== null; by = nodes[by.from]?.by ?? null) edges.push(by);
  return edges.reverse();
}

/** A shortest cycle through a node by edges that `follows` accepts; null: there is none. */
export function cycleThrough(nodes: readonly Node[], at: number, follows: (edge: Edge) => boolean): Edge[] | null {
  const by = new Map<number, Edge>();
  const queue = [at];
  for (const from of queue)
    for (const edge of (nodes[from] as Node).out) {
      if (!follows(edge)) continue;
      if (edge.to === at) {
        const edges = [edge];
        for (let one = from; one !== at; one = (by.get(one) as Edge).from) edges.unshift(by.get(one) as Edge);
        return edges;
      }
      if (by.has(edge.to)) continue;
      by.set(edge.to, edge);
      queue.push(edge.to);
    }
  return null;
}

/** The nodes that runs come to by edges that `follows` accepts. */
export function reachedBy(
  { nodes, begins }: { readonly nodes: readonly Node[]; readonly begins: readonly Edge[] },
  follows: (edge: Edge) => boolean,
): ReadonlySet<number> {
  const found = new Set(begins.flatMap((edge) => (follows(edge) ? [edge.to] : [])));
  for (const at of found) for (const edge of nodes[at]?.out ?? []) if (follows(edge)) found.add(edge.to);
  return found;
}
