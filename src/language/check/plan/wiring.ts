/**
 * Finds which call waits for which. A call waits for every call that may write a value that it reads, wherever that
 * call is in the document. Only in a cycle, and for updates, does the order of the document decide: a read with an
 * earlier writer then does not wait for later ones. A remaining cycle is an error.
 */
import { printPath } from '../../../prelude/reference.js';
import { planMessages as words } from '../../source/catalogue/plan.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import { components } from '../graph/components.js';
import type { Given } from './given.js';
import { valueAt } from './given.js';
import type { LoweredCall } from './lower-calls.js';
import type { PathTree } from './path-tree.js';

export interface Wiring {
  /** For each call, the calls that it waits for, in ascending order. */
  readonly sources: readonly (readonly number[])[];
  /** The calls in the deciding order, and the position of each call in it. */
  readonly order: readonly number[];
  readonly rank: readonly number[];
}

export function wireCalls(
  calls: readonly LoweredCall[],
  tree: PathTree,
  { given, diagnostics }: { readonly given: Given; readonly diagnostics: Diagnostic[] },
): Wiring {
  const all = calls.map((call) => findSources(call, tree, () => false, given));
  const cycle = findCycles(all);
  const sources = cycle.some((id) => id >= 0)
    ? calls.map((call) => {
        const own = cycle[call.index] as number;
        return own < 0
          ? (all[call.index] as number[])
          : findSources(call, tree, (source) => cycle[source] === own && source >= call.index, given);
      })
    : all;
  const acyclic = breakCycles(calls, sources, tree, diagnostics);
  lintForwardReferences(calls, acyclic, tree, given, diagnostics);
  return { sources: acyclic, ...sortTopologically(acyclic) };
}

/** `droppable` sources are left out of reads that have another source or a given value. */
function findSources(
  { reads, index }: LoweredCall,
  tree: PathTree,
  droppable: (source: number) => boolean,
  given: Given,
): number[] {
  const found = new Set<number>();
  for (const { path } of reads) {
    const writers = tree.findOverlapping(path);
    const earlier = writers.some(({ call }) => call < index) || valueAt(given.values, path) !== undefined;
    for (const { call } of writers) if (!(earlier && droppable(call))) found.add(call);
  }
  return [...found].sort((a, b) => a - b);
}

/** For each call, the number of its cycle, or -1. */
function findCycles(sources: readonly (readonly number[])[]): number[] {
  const cycle = sources.map(() => -1);
  components(sources, () => false).forEach((nodes, id) => {
    const [only] = nodes;
    if (nodes.length === 1 && !sources[only as number]?.includes(only as number)) return;
    for (const node of nodes) cycle[node] = id;
  });
  return cycle;
}

function breakCycles(
  calls: readonly LoweredCall[],
  sources: readonly (readonly number[])[],
  tree: PathTree,
  diagnostics: Diagnostic[],
): readonly (readonly number[])[] {
  const cycle = findCycles(sources);
  if (cycle.every((id) => id < 0)) return sources;
  const reported = new Set<number>();
  for (const call of calls) {
    const id = cycle[call.index] as number;
    if (id < 0 || reported.has(id)) continue;
    reported.add(id);
    const cycleCalls = findShortestCycle(call.index, sources, (node) => cycle[node] === id);
    const before = cycleCalls[1] ?? call.index;
    const read = call.reads.find(({ path }) => tree.findOverlapping(path).some((writer) => writer.call === before));
    // The cycle is reported at its first call in the document, so the message starts there and follows the flow of
    // values.
    const names = [call.index, ...cycleCalls.slice(1).reverse()].map((index) => calls[index]?.title ?? '');
    const shown = names.length <= 8 ? names : [...names.slice(0, 4), '…', ...names.slice(-3)];
    if (read !== undefined)
      diagnostics.push(words.cycle(read.span, { path: `†${printPath(read.path)}`, names: shown }));
  }
  return sources.map((list, node) => list.filter((source) => cycle[node] === -1 || cycle[source] !== cycle[node]));
}

/** A shortest path from a call through its sources back to itself. The call is not repeated at the end. */
function findShortestCycle(
  start: number,
  sources: readonly (readonly number[])[],
  inside: (node: number) => boolean,
): number[] {
  const from = new Map<number, number>();
  const queue = [start];
  for (let at = 0; at < queue.length; at++) {
    const node = queue[at] as number;
    for (const next of sources[node] ?? []) {
      if (next === start) {
        const cycle = [node];
        for (let back = node; back !== start; ) {
          back = from.get(back) as number;
          cycle.push(back);
        }
        return cycle.reverse();
      }
      if (!inside(next) || from.has(next)) continue;
      from.set(next, node);
      queue.push(next);
    }
  }
  return [start];
}

function lintForwardReferences(
  calls: readonly LoweredCall[],
  sources: readonly (readonly number[])[],
  tree: PathTree,
  given: Given,
  diagnostics: Diagnostic[],
): void {
  for (const { index, reads } of calls) {
    if ((sources[index]?.at(-1) ?? -1) <= index) continue;
    for (const { path, span } of reads) {
      const writers = tree.findOverlapping(path);
      const first = calls[writers[0]?.call ?? -1];
      if (first === undefined || first.index <= index || valueAt(given.values, path) !== undefined) continue;
      diagnostics.push(words.forwardReference(span, { path: `†${printPath(path)}`, call: first.title }));
    }
  }
}

/** The calls in the order of the document, except that each follows the calls that it waits for. */
function sortTopologically(sources: readonly (readonly number[])[]): Pick<Wiring, 'order' | 'rank'> {
  const order: number[] = [];
  const rank = sources.map(() => -1);
  const entered = new Uint8Array(sources.length);
  const work: { readonly node: number; next: number }[] = [];
  for (let root = 0; root < sources.length; root++) {
    if (entered[root] === 1) continue;
    entered[root] = 1;
    work.push({ node: root, next: 0 });
    while (work.length > 0) {
      const at = work[work.length - 1] as (typeof work)[number];
      const source = sources[at.node]?.[at.next++];
      if (source === undefined) {
        rank[at.node] = order.length;
        order.push(at.node);
        work.pop();
      } else if (entered[source] === 0) {
        entered[source] = 1;
        work.push({ node: source, next: 0 });
      }
    }
  }
  return { order, rank };
}
