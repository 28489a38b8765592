/**
 * Checks output paths: reports a path inside another one, a path that several calls write, and a path with an initial
 * value.
 */
import type { PlanPath } from '../../machine/plan.js';
import { printPath } from '../../prelude/reference.js';
import { planMessages as words } from '../../source/catalogue/plan.js';
import type { Diagnostic, Label } from '../../source/diagnostic.js';
import type { Exclusive } from './exclusive-calls.js';
import type { Given } from './given.js';
import { describeType, valueAt } from './json-of.js';
import type { LoweredCall } from './lower-calls.js';
import type { PathTree, Writer } from './path-tree.js';

/**
 * Each call is compared with at most this many others, so that a path of a thousand calls is not reported a million
 * times.
 */
const MOST_COMPARED = 50;

export function lintOutputs(
  calls: readonly LoweredCall[],
  tree: PathTree,
  { exclusive, given, diagnostics }: { exclusive: Exclusive; given: Given; diagnostics: Diagnostic[] },
): void {
  for (const call of calls) {
    lintPreset(call, given, diagnostics);
    const own = findInnerOutput(call);
    if (own !== null) diagnostics.push(own);
    const problems = call.arms.flatMap((paths, arm) =>
      paths.map((path) => {
        const writer = { call: call.index, arm, path };
        return findSharedOutput(writer, tree.findOverlapping(path), calls, exclusive);
      }),
    );
    const first =
      problems.find((diagnostic) => diagnostic?.severity === 'error') ?? problems.find((one) => one !== null);
    if (first != null) diagnostics.push(first);
  }
}

function lintPreset({ arms, method, outputSpan }: LoweredCall, given: Given, diagnostics: Diagnostic[]): void {
  for (const path of arms.flat()) {
    for (let length = 1; length < path.length; length++) {
      const outer = valueAt(given.values, path.slice(0, length));
      if (outer === undefined) break;
      if (typeof outer === 'object' && outer !== null) continue;
      const found = {
        path: printReference(path),
        outer: `†${printPath(path.slice(0, length) as unknown as PlanPath)}`,
      };
      diagnostics.push(words.pathType(outputSpan, { ...found, found: describeType(outer) }));
      break;
    }
  }
  const there = arms.find((paths) => paths.every((path) => valueAt(given.values, path) !== undefined));
  if (method !== null) return;
  if (there !== undefined) diagnostics.push(words.preset(outputSpan, { path: printReference(there[0] as PlanPath) }));
  else for (const paths of arms) lintPartlyPreset(paths, outputSpan, given, diagnostics);
}

/** Reports paths that are written together if some of them have an initial value, which they keep. */
function lintPartlyPreset(
  paths: readonly PlanPath[],
  span: LoweredCall['outputSpan'],
  given: Given,
  diagnostics: Diagnostic[],
): void {
  const there = paths.find((path) => valueAt(given.values, path) !== undefined);
  const others = paths.filter((path) => valueAt(given.values, path) === undefined).map(printReference);
  if (there !== undefined && others.length > 0)
    diagnostics.push(words.presetPart(span, { path: printReference(there), others }));
}

function findInnerOutput({ arms, outputSpan }: LoweredCall): Diagnostic | null {
  // In sorted order, a path comes directly before the paths inside it, or before other paths inside the same outer one.
  const paths = arms.flat().sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  for (const outer of paths) {
    const inner = paths.find((path) => isInside(path, outer));
    if (inner !== undefined)
      return words.outputPrefix(outputSpan, { outer: printReference(outer), inner: printReference(inner), labels: [] });
  }
  return null;
}

/** The nearest earlier call that writes the same path and can also run. */
function findSharedOutput(
  writer: Writer,
  others: readonly Writer[],
  calls: readonly LoweredCall[],
  exclusive: Exclusive,
): Diagnostic | null {
  let at = indexOfFirst(others, writer.call) - 1;
  for (let left = MOST_COMPARED; at >= 0 && left > 0; at--, left--) {
    const other = others[at] as Writer;
    if (exclusive(other.call, writer.call)) continue;
    return clash(writer, other, calls);
  }
  return null;
}

function clash(writer: Writer, other: Writer, calls: readonly LoweredCall[]): Diagnostic | null {
  const call = calls[writer.call] as LoweredCall;
  const earlier = calls[other.call] as LoweredCall;
  // A call with a method deliberately changes the existing value.
  if (call.method !== null) return null;
  const free = earlier.method !== null;
  const labels: Label[] = [{ span: earlier.outputSpan, text: 'the earlier call' }];
  const path = printReference(writer.path);
  if (writer.path.length !== other.path.length) {
    if (free) return words.contended(call.outputSpan, { path, labels });
    const [outer, inner] =
      writer.path.length < other.path.length ? [path, printReference(other.path)] : [printReference(other.path), path];
    return words.outputPrefix(call.outputSpan, { outer, inner, labels });
  }
  const own = call.arms[writer.arm] ?? [];
  const theirs = earlier.arms[other.arm] ?? [];
  if (!free && !samePaths(own, theirs)) return words.overlap(call.outputSpan, { path, labels });
  return call.arms.length > 1 && earlier.arms.length > 1
    ? words.sharedArm(call.outputSpan, { path, labels })
    : words.contended(call.outputSpan, { path, labels });
}

/** The index of the first writer that is this call or a later one, by binary search. */
function indexOfFirst(writers: readonly Writer[], call: number): number {
  let low = 0;
  let high = writers.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((writers[middle] as Writer).call < call) low = middle + 1;
    else high = middle;
  }
  return low;
}

function samePaths(a: readonly PlanPath[], b: readonly PlanPath[]): boolean {
  const keys = new Set(a.map((path) => JSON.stringify(path)));
  return a.length === b.length && b.every((path) => keys.has(JSON.stringify(path)));
}

function isInside(path: PlanPath, outer: PlanPath): boolean {
  return path.length > outer.length && outer.every((segment, at) => path[at] === segment);
}

function printReference(path: PlanPath): string {
  return `†${printPath(path)}`;
}
