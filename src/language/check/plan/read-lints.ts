/** Checks the reads of calls, finds the inputs that a run requires, and reports effects without an order. */
import type { Parameter, PlanPath, Read } from '../../../machine/plan.js';
import { pathsOf } from '../../../machine/plan.js';
import { nearest } from '../../../prelude/nearest.js';
import { printPath } from '../../../prelude/reference.js';
import { unreachable } from '../../../prelude/unreachable.js';
import { planMessages as words } from '../../source/catalogue/plan.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import type { Given } from './given.js';
import { describeType, memberAt, valueAt } from './given.js';
import type { LocatedRead, LoweredCall, Lowering } from './lower-calls.js';
import type { PathTree } from './path-tree.js';
import type { Wiring } from './wiring.js';

const MOST_PAIRS = 20;
/** The maximum number of comparisons in the search over all pairs. */
const MOST_COMPARISONS = 2_000_000;

export function isInput(path: PlanPath): boolean {
  return path[0] === 'input' || (path[0] === 'instance' && path[2] === 'input');
}

/** Reports reads that can never have a value. Inputs are checked elsewhere. */
export function lintReads(
  { calls, outputReads }: Lowering,
  tree: PathTree,
  { given, diagnostics }: { given: Given; diagnostics: Diagnostic[] },
): void {
  lintGivenApprovals(calls, given, diagnostics);
  lintNestedApprovals(calls, diagnostics);
  let written: string[] | null = null;
  const names = (): string[] => {
    written ??= [
      ...new Set(calls.flatMap(({ arms }) => arms.flat().map((path) => `†${printPath(writtenPath(path))}`))),
    ];
    return written;
  };
  const reads = [...calls.flatMap((call) => call.reads), ...outputReads];
  const hasSource = ({ path }: LocatedRead): boolean =>
    valueAt(given.values, path) !== undefined || tree.findOverlapping(path).length > 0;
  const mayHaveValue = (read: LocatedRead): boolean =>
    read.isApproval || isInput(read.path) || isRoot(read.path) || hasSource(read);
  // A path that calls write only for one instance is not a mistake for the others.
  const misnamed = outputsAsParameters(calls);
  const reported = new Set<string>();
  const filled = new Set(reads.filter((read) => read.path[0] === 'instance' && hasSource(read)).map(locationKey));
  for (const read of reads) {
    const { path, isApproval, span } = read;
    if (isRoot(path) || valueAt(given.values, path) !== undefined) continue;
    const blocked = findBlockingValue(read, given);
    if (blocked !== null) diagnostics.push(blocked);
    else if (
      !isApproval &&
      !isInput(path) &&
      given.kinds.has(kindOf(path)) &&
      !hasSource(read) &&
      !filled.has(locationKey(read))
    ) {
      const name = `†${printPath(writtenPath(path))}`;
      const member = misnamed.get(name);
      // The call that was meant to write it has the mistake.
      if (member !== undefined && reported.has(name)) continue;
      reported.add(name);
      const problem = words.neverWritten(span, { path: name, near: nearest(name, names()), member });
      // An alternative without a value is harmless if another one may have a value.
      const isSpare = read.alternatives.some((others) => others.every(mayHaveValue));
      diagnostics.push(isSpare ? { ...problem, severity: 'warning' } : problem);
    }
  }
}

/** An approval with a value from the beginning waits for nobody, so the value must be an answer. */
function lintGivenApprovals(calls: Lowering['calls'], given: Given, diagnostics: Diagnostic[]): void {
  for (const { binding, reads } of calls) {
    if (binding?.gate === 'value') continue;
    for (const { path, isApproval, span } of reads) {
      const value = isApproval ? valueAt(given.values, path) : undefined;
      if (value === undefined || typeof value === 'boolean') continue;
      const facts = { path: `†${printPath(writtenPath(path))}`, value: JSON.stringify(value) };
      diagnostics.push(words.givenApproval(span, facts));
    }
  }
}

/** An answer to the upper one would leave nothing below it, so the order of the answers would decide what runs. */
function lintNestedApprovals(calls: Lowering['calls'], diagnostics: Diagnostic[]): void {
  const reads = calls.flatMap((call) => call.reads.filter(({ isApproval }) => isApproval));
  const first = new Map<string, LocatedRead>();
  for (const read of reads) {
    const key = printPath(read.path);
    if (!first.has(key)) first.set(key, read);
  }
  for (const { path, span } of reads)
    for (let length = path.length - 1; length > 2; length--) {
      const outer = first.get(printPath(path.slice(0, length) as unknown as PlanPath));
      if (outer === undefined) continue;
      const [name, above] = [path, outer.path].map((one) => `†${printPath(writtenPath(one))}`) as [string, string];
      const own = `${above}_${path.slice(length).join('_')}`;
      const labels = [{ span: outer.span, text: 'the approval above it' }];
      diagnostics.push(words.nestedApproval(span, { path: name, above, own, labels }));
      break;
    }
}

/** What other tools call `_outputPath`. */
const LIKE_OUTPUT_PATH =
  /^_?(?:out(?:put)?(?:_?(?:path|to|ref))?|result(?:_?path)?|(?:save|store|write|assign)(?:_?(?:as|to))?|as|into)$/i;

/** Parameters that were meant to be the output path of a call that has none, by the path in them. */
function outputsAsParameters(calls: Lowering['calls']): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { node } of calls)
    for (const { member } of node.output === null ? node.parameters : [])
      if (member.value.kind === 'text' && LIKE_OUTPUT_PATH.test(member.key)) found.set(member.value.value, member.key);
  return found;
}

function locationKey({ span }: LocatedRead): string {
  return `${span.file} ${span.start}`;
}

/** The path as in the document, without the instance. */
function writtenPath(path: PlanPath): PlanPath {
  return path[0] === 'instance' ? (path.slice(2) as unknown as PlanPath) : path;
}

/** Reports an initial value along the path that is not an object or a list. */
function findBlockingValue({ path, span }: LocatedRead, given: Given): Diagnostic | null {
  let value: ReturnType<typeof valueAt> = given.values as never;
  for (let length = 1; length <= path.length; length++) {
    const next = memberAt(value, path[length - 1] as string);
    if (next === undefined) return null;
    if (length < path.length && (typeof next !== 'object' || next === null)) {
      const outer = `†${printPath(path.slice(0, length) as unknown as PlanPath)}`;
      return words.pathType(span, { path: `†${printPath(path)}`, outer, found: describeType(next) });
    }
    value = next;
  }
  return null;
}

/** The name of the input that a path reads; undefined if it reads all of them. */
export function inputName(path: PlanPath): string | undefined {
  return path[0] === 'instance' ? path[3] : path[1];
}

function kindOf(path: PlanPath): string {
  return (path[0] === 'instance' ? path[2] : path[0]) ?? '';
}

function isRoot(path: PlanPath): boolean {
  return path.length === (path[0] === 'instance' ? 3 : 1);
}

/** The inputs that a run requires. Each entry is one path, or several of which one is enough. */
export function signatureOf({ calls, output }: Lowering, given: Given): PlanPath[][] {
  const found = new Map<string, PlanPath[]>();
  const isMissing = (path: PlanPath): boolean =>
    isInput(path) && !isRoot(path) && valueAt(given.values, path) === undefined;
  const walk = (read: Read): void => {
    if (read.op === 'path') {
      if (isMissing(read.path)) found.set(JSON.stringify([read.path]), [read.path]);
      return;
    }
    if (read.op === 'all') {
      for (const part of read.of) walk(part);
      return;
    }
    const paths: PlanPath[] = [];
    pathsOf({ op: 'read', of: read }, ({ path }) => paths.push(path));
    const there = paths.some((path) => isRoot(path) || valueAt(given.values, path) !== undefined);
    if (!there && paths.some(isMissing)) found.set(JSON.stringify(paths), paths);
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

/** Reports pairs of calls without an order if one of them has no result, so that only its effect matters. */
export function lintUnorderedCalls(calls: readonly LoweredCall[], wiring: Wiring, diagnostics: Diagnostic[]): void {
  const hasEffects = calls.map(({ arms, binding }) => arms.length === 0 && binding !== null && !binding.idempotent);
  if (!hasEffects.includes(true)) return;
  const readers: number[][] = calls.map(() => []);
  wiring.sources.forEach((list, call) => {
    for (const source of list) readers[source]?.push(call);
  });
  const counts = (a: number, b: number): boolean =>
    (hasEffects[a] === true || hasEffects[b] === true) &&
    isOrdered(calls, a, hasEffects) &&
    isOrdered(calls, b, hasEffects);
  let comparisons = MOST_COMPARISONS;
  const pairs: (readonly [LoweredCall, LoweredCall])[] = [];
  for (const first of wiring.order) {
    const after = findReachable(first, readers, () => --comparisons > 0);
    for (const second of wiring.order.slice((wiring.rank[first] as number) + 1)) {
      if (--comparisons <= 0 || pairs.length > MOST_PAIRS) break;
      if (counts(first, second) && !after.has(second))
        pairs.push([calls[first] as LoweredCall, calls[second] as LoweredCall]);
    }
    if (comparisons <= 0 || pairs.length > MOST_PAIRS) break;
  }
  const shown = pairs.slice(0, MOST_PAIRS);
  shown.forEach((pair, at) => {
    const [effect, other] = hasEffects[pair[1].index] ? [pair[1], pair[0]] : pair;
    const more = at === MOST_PAIRS - 1 && pairs.length > MOST_PAIRS;
    const labels = [{ span: spanOf(other), text: 'not ordered with it' }];
    const facts = { first: pair[0].title, second: pair[1].title, more, labels };
    diagnostics.push(words.unordered(spanOf(effect), facts));
  });
}

/** Whether the order of the call can matter: an inline value is not an effect. */
function isOrdered(calls: readonly LoweredCall[], index: number, hasEffects: readonly boolean[]): boolean {
  const call = calls[index];
  return hasEffects[index] === true || (call !== undefined && call.arms.length > 0 && call.inline === null);
}

function spanOf({ node }: LoweredCall) {
  return node.tool?.span ?? node.delegate?.span ?? node.node.span;
}

function findReachable(
  start: number,
  readers: readonly (readonly number[])[],
  mayContinue: () => boolean,
): Set<number> {
  const seen = new Set([start]);
  const queue = [start];
  for (let at = 0; at < queue.length && mayContinue(); at++) {
    for (const next of readers[queue[at] as number] ?? []) {
      if (seen.has(next)) continue;
      seen.add(next);
      queue.push(next);
    }
  }
  return seen;
}
