/**
 * Checks output paths: reports a path inside another one, a path that several calls write, and a path with an initial
 * value.
 */
import type { Parameter, PlanPath, Read } from '../../../machine/plan.js';
import { printPath } from '../../../prelude/reference.js';
import { unreachable } from '../../../prelude/unreachable.js';
import { planMessages as words } from '../../source/catalogue/plan.js';
import type { Diagnostic, Label } from '../../source/diagnostic.js';
import type { Given } from './given.js';
import { describeType, valueAt } from './given.js';
import type { LoweredCall } from './lower-calls.js';
import type { PathTree, Writer } from './path-tree.js';
import type { Wiring } from './wiring.js';

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

/** Arms of a call, of which one must be taken, and the path that requires them. */
interface Need {
  readonly arms: ReadonlySet<number>;
  readonly path: PlanPath;
}
type Needs = ReadonlyMap<number, Need>;

/** Further needs are dropped: calls then count as able to run together, at the cost of a superfluous warning. */
const MAX_NEEDS = 200;
const NONE: Needs = new Map();

/** Whether two calls can never both run. */
type Exclusive = (a: number, b: number) => boolean;

/**
 * Finds calls that can never both run. A call that reads an arm requires that the call with this arm takes it, and
 * inherits the requirements of that call. Two calls that need different arms of one call exclude each other.
 */
export function findExclusiveCalls(
  calls: readonly LoweredCall[],
  tree: PathTree,
  { order, rank }: Wiring,
  { given, diagnostics }: { readonly given: Given; readonly diagnostics: Diagnostic[] },
): Exclusive {
  const needs: Needs[] = calls.map(() => NONE);
  for (const index of order) {
    const call = calls[index] as LoweredCall;
    const context: NeedContext = { calls, tree, rank, given, needs, own: rank[index] as number };
    const parts = [call.parameters, ...(call.inline === null ? [] : [call.inline])];
    const met = meet(parts.map((part) => parameterNeeds(part, context)));
    needs[index] = met.needs;
    if (met.conflict === null) continue;
    const [first, second] = met.conflict.map((path) => `†${printPath(path)}`) as [string, string];
    diagnostics.push(words.contradiction(call.node.tool?.span ?? call.node.node.span, { first, second }));
  }
  return (a, b) => {
    const [few, many] = [needs[a] ?? NONE, needs[b] ?? NONE].sort((x, y) => x.size - y.size) as [Needs, Needs];
    for (const [call, { arms }] of few) {
      const other = many.get(call);
      if (other !== undefined && ![...arms].some((arm) => other.arms.has(arm))) return true;
    }
    return false;
  };
}

interface NeedContext {
  readonly calls: readonly LoweredCall[];
  readonly tree: PathTree;
  readonly rank: readonly number[];
  readonly given: Given;
  readonly needs: readonly Needs[];
  readonly own: number;
}

interface NeedResult {
  readonly needs: Needs;
  readonly conflict: readonly [PlanPath, PlanPath] | null;
}

function parameterNeeds(parameter: Parameter, context: NeedContext): NeedResult {
  switch (parameter.op) {
    case 'literal':
      return { needs: NONE, conflict: null };
    case 'read':
      return readNeeds(parameter.of, context);
    case 'list':
      return meet(parameter.items.map((item) => parameterNeeds(item, context)));
    case 'object':
      return meet(parameter.entries.map(([, value]) => parameterNeeds(value, context)));
    default:
      return unreachable(parameter);
  }
}

function readNeeds(read: Read, context: NeedContext): NeedResult {
  if (read.op === 'path') return pathNeeds(read, context);
  if (read.op === 'all') return meet(read.of.map((part) => readNeeds(part, context)));
  // An alternative that contradicts itself never has a value.
  const possible = read.of.map((part) => readNeeds(part, context)).filter(({ conflict }) => conflict === null);
  return { needs: join(possible.map(({ needs }) => needs)), conflict: null };
}

function pathNeeds(read: Read & { readonly op: 'path' }, context: NeedContext): NeedResult {
  const { tree, rank, given, own, calls, needs } = context;
  if (read.gate || valueAt(given.values, read.path) !== undefined) return { needs: NONE, conflict: null };
  const ways: Needs[] = [];
  for (const { call, arm } of tree.findOverlapping(read.path)) {
    if ((rank[call] as number) >= own) continue;
    const writer = needs[call] as Needs;
    // A writer without needs makes the needs of other writers irrelevant.
    if (writer.size === 0 && (calls[call]?.arms.length ?? 0) < 2) return { needs: NONE, conflict: null };
    const arms = new Set([arm]);
    const adds = (calls[call]?.arms.length ?? 0) >= 2 && writer.size < MAX_NEEDS;
    ways.push(!adds ? writer : new Map([...writer, [call, { arms, path: read.path }]]));
  }
  return { needs: join(ways), conflict: null };
}

/** The needs that all ways have in common, each with the arms of any of them. */
function join(ways: readonly Needs[]): Needs {
  const [first, ...others] = ways;
  if (first === undefined) return NONE;
  if (others.length === 0) return first;
  const common = new Map<number, Need>();
  for (const [call, need] of first) {
    const all = others.map((way) => way.get(call));
    if (all.some((one) => one === undefined)) continue;
    common.set(call, {
      path: need.path,
      arms: new Set([...need.arms, ...all.flatMap((one) => [...(one?.arms ?? [])])]),
    });
  }
  return common;
}

/** The needs of all parts together, and two paths that exclude each other if there are such. */
function meet(parts: readonly NeedResult[]): NeedResult {
  const found = parts.filter(({ needs, conflict }) => needs.size > 0 || conflict !== null);
  const [only] = found;
  if (found.length <= 1) return only ?? { needs: NONE, conflict: null };
  let conflict = found.find((part) => part.conflict !== null)?.conflict ?? null;
  const together = new Map<number, Need>();
  for (const { needs } of found) {
    for (const [call, need] of needs) {
      const known = together.get(call);
      const arms = known === undefined ? need.arms : new Set([...known.arms].filter((arm) => need.arms.has(arm)));
      if (known !== undefined && arms.size === 0) conflict ??= [known.path, need.path];
      if (known !== undefined || together.size < MAX_NEEDS)
        together.set(call, { arms, path: known?.path ?? need.path });
    }
  }
  return { needs: together, conflict };
}
