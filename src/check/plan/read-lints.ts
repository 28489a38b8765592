/** What is wrong with what calls read, what has to be given for it, and what runs in no order. */

import type { Parameter, PlanPath, Read } from '../../machine/plan.js';
import { pathsOf } from '../../machine/plan.js';
import { unreachable } from '../../prelude/unreachable.js';
import { planMessages as words } from '../../source/catalogue/plan.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import { printPath } from '../../source/reference.js';
import { nearest } from '../../source/suggest.js';
import type { Given } from './given.js';
import { aType, stepInto, valueAt } from './json-of.js';
import type { LoweredCall, Lowering, PlacedRead } from './lower-calls.js';
import type { PathTree } from './path-tree.js';
import type { Wiring } from './wiring.js';

const MOST_PAIRS = 20;
/** Steps of a search over all pairs: beyond it no more pairs are looked for. */
const MOST_STEPS = 2_000_000;

export function isInput(path: PlanPath): boolean {
  return path[0] === 'input' || (path[0] === 'instance' && path[2] === 'input');
}

/** Reads that nothing can ever fill, inputs aside. */
export function unfilledReads(
  { calls, outputReads }: Lowering,
  tree: PathTree,
  { given, diagnostics }: { given: Given; diagnostics: Diagnostic[] },
): void {
  let written: string[] | null = null;
  const names = (): string[] => {
    written ??= [
      ...new Set(calls.flatMap(({ arms }) => arms.flat().map((path) => `†${printPath(writtenPath(path))}`))),
    ];
    return written;
  };
  const reads = [...calls.flatMap((call) => call.reads), ...outputReads];
  const isFilled = ({ path }: PlacedRead): boolean =>
    valueAt(given.values, path) !== undefined || tree.overlapping(path).length > 0;
  const canBe = (read: PlacedRead): boolean => read.gate || isInput(read.path) || isRoot(read.path) || isFilled(read);
  // What is written for one instance is merely absent for the others.
  const filled = new Set(reads.filter((read) => read.path[0] === 'instance' && isFilled(read)).map(placeOf));
  for (const read of reads) {
    const { path, gate, span } = read;
    if (isRoot(path) || valueAt(given.values, path) !== undefined) continue;
    const blocked = blockedBy(read, given);
    if (blocked !== null) diagnostics.push(blocked);
    else if (
      !gate &&
      !isInput(path) &&
      given.kinds.has(kindOf(path)) &&
      !isFilled(read) &&
      !filled.has(placeOf(read))
    ) {
      const name = `†${printPath(writtenPath(path))}`;
      const told = words.neverWritten(span, { path: name, near: nearest(name, names()) });
      // A way that is never there costs nothing where another one is.
      const isSpare = read.alternatives.some((others) => others.every(canBe));
      diagnostics.push(isSpare ? { ...told, severity: 'warning' } : told);
    }
  }
}

function placeOf({ span }: PlacedRead): string {
  return `${span.file} ${span.start}`;
}

/** As the document has it: which instance is meant, nobody writes. */
function writtenPath(path: PlanPath): PlanPath {
  return path[0] === 'instance' ? (path.slice(2) as unknown as PlanPath) : path;
}

/** A given value that is no container, on the way to what is read. */
function blockedBy({ path, span }: PlacedRead, given: Given): Diagnostic | null {
  let value: ReturnType<typeof valueAt> = given.values as never;
  for (let length = 1; length <= path.length; length++) {
    const next = stepInto(value, path[length - 1] as string);
    if (next === undefined) return null;
    if (length < path.length && (typeof next !== 'object' || next === null)) {
      const outer = `†${printPath(path.slice(0, length) as unknown as PlanPath)}`;
      return words.pathType(span, { path: `†${printPath(path)}`, outer, found: aType(next) });
    }
    value = next;
  }
  return null;
}

/** The name of the input that a path reads; undefined where it reads all of them. */
export function inputName(path: PlanPath): string | undefined {
  return path[0] === 'instance' ? path[3] : path[1];
}

function kindOf(path: PlanPath): string {
  return (path[0] === 'instance' ? path[2] : path[0]) ?? '';
}

function isRoot(path: PlanPath): boolean {
  return path.length === (path[0] === 'instance' ? 3 : 1);
}

/** What has to be given before the plan can run: each entry is one path, or several of which one is enough. */
export function signatureOf({ calls, output }: Lowering, given: Given): PlanPath[][] {
  const found = new Map<string, PlanPath[]>();
  const missing = (path: PlanPath): boolean =>
    isInput(path) && !isRoot(path) && valueAt(given.values, path) === undefined;
  const walk = (read: Read): void => {
    if (read.op === 'path') {
      if (missing(read.path)) found.set(JSON.stringify([read.path]), [read.path]);
      return;
    }
    if (read.op === 'all') {
      for (const part of read.of) walk(part);
      return;
    }
    const paths: PlanPath[] = [];
    pathsOf({ op: 'read', of: read }, ({ path }) => paths.push(path));
    const there = paths.some((path) => isRoot(path) || valueAt(given.values, path) !== undefined);
    if (!there && paths.some(missing)) found.set(JSON.stringify(paths), paths);
  };
  const visit = (parameter: Parameter): void => {
    switch (parameter.op) {
      case 'literal':
        return;
      case 'read':
        return walk(parameter.of);
      case 'list':
        for (const item of parameter.items) visit(item);
        return;
      case 'object':
        for (const [, value] of parameter.entries) visit(value);
        return;
      default:
        return unreachable(parameter);
    }
  };
  for (const { parameters, inline } of calls) {
    visit(parameters);
    if (inline !== null) visit(inline);
  }
  if (output !== null) visit(output);
  return [...found.values()];
}

/** Pairs of calls of which one leaves no result, so that only the order of their effects can matter. */
export function unorderedCalls(calls: readonly LoweredCall[], wiring: Wiring, diagnostics: Diagnostic[]): void {
  const hasEffects = calls.map(({ arms, binding }) => arms.length === 0 && binding !== null && !binding.idempotent);
  if (!hasEffects.includes(true)) return;
  const readers: number[][] = calls.map(() => []);
  wiring.sources.forEach((list, call) => {
    for (const source of list) readers[source]?.push(call);
  });
  const counts = (a: number, b: number): boolean =>
    (hasEffects[a] === true || hasEffects[b] === true) && isKept(calls, a, hasEffects) && isKept(calls, b, hasEffects);
  let steps = MOST_STEPS;
  const pairs: (readonly [LoweredCall, LoweredCall])[] = [];
  for (const first of wiring.order) {
    const after = reachable(first, readers, () => --steps > 0);
    for (const second of wiring.order.slice((wiring.rank[first] as number) + 1)) {
      if (--steps <= 0 || pairs.length > MOST_PAIRS) break;
      if (counts(first, second) && !after.has(second))
        pairs.push([calls[first] as LoweredCall, calls[second] as LoweredCall]);
    }
    if (steps <= 0 || pairs.length > MOST_PAIRS) break;
  }
  const shown = pairs.slice(0, MOST_PAIRS);
  shown.forEach((pair, at) => {
    const [quiet, other] = hasEffects[pair[1].index] ? [pair[1], pair[0]] : pair;
    const more = at === MOST_PAIRS - 1 && pairs.length > MOST_PAIRS;
    const labels = [{ span: spanOf(other), text: 'not ordered with it' }];
    const facts = { first: pair[0].title, second: pair[1].title, more, labels };
    diagnostics.push(words.unordered(spanOf(quiet), facts));
  });
}

/** A value that is written in the call itself is no effect, and nothing waits for its order. */
function isKept(calls: readonly LoweredCall[], index: number, hasEffects: readonly boolean[]): boolean {
  const call = calls[index];
  return hasEffects[index] === true || (call !== undefined && call.arms.length > 0 && call.inline === null);
}

function spanOf({ node }: LoweredCall) {
  return node.tool?.span ?? node.delegate?.span ?? node.node.span;
}

function reachable(start: number, readers: readonly (readonly number[])[], goOn: () => boolean): Set<number> {
  const seen = new Set([start]);
  const queue = [start];
  for (let at = 0; at < queue.length && goOn(); at++) {
    for (const next of readers[queue[at] as number] ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      queue.push(next);
    }
  }
  return seen;
}
