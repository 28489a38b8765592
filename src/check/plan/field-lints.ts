/** Reports reads of fields that no result can have, by the schemas of the tools that write them. */
import type { PlanPath } from '../../machine/plan.js';
import { nearest } from '../../prelude/nearest.js';
import { printPath } from '../../prelude/reference.js';
import { planMessages as words } from '../../source/catalogue/plan.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import type { Given } from './given.js';
import { isObject, valueAt } from './json-of.js';
import type { LocatedRead, LoweredCall, Lowering } from './lower-calls.js';
import type { PathTree, Writer } from './path-tree.js';
import { impossibleField, memberSchema, type NoField, type Schema } from './tool-schema.js';

/** The fields of the value that a failure writes. */
const OF_FAILURES = new Set(['code', 'message']);

export function lintFields(
  { calls, outputReads }: Lowering,
  tree: PathTree,
  { given, diagnostics }: { readonly given: Given; readonly diagnostics: Diagnostic[] },
): void {
  const reads = [...calls.flatMap((call) => call.reads), ...outputReads];
  for (const read of reads) {
    if (valueAt(given.values, read.path) !== undefined) continue;
    const problem = findMissingField(read, tree.findOverlapping(read.path), calls);
    // Another alternative may have a value.
    if (problem !== null)
      diagnostics.push(read.alternatives.length > 0 ? { ...problem, severity: 'warning' } : problem);
  }
}

/** The field is certainly missing only if every call that may write the value excludes it. */
function findMissingField(
  { path, span }: LocatedRead,
  writers: readonly Writer[],
  calls: readonly LoweredCall[],
): Diagnostic | null {
  let first: { readonly call: LoweredCall; readonly found: NoField; readonly outer: PlanPath } | null = null;
  for (const writer of writers) {
    const call = calls[writer.call] as LoweredCall;
    const segments = path.slice(writer.path.length);
    if (
      writer.path.length >= path.length ||
      (OF_FAILURES.has(segments[0] as string) && mayTakeFailure(call, writer.arm))
    )
      return null;
    const found = call.method !== null || call.inline !== null ? null : impossibleField(resultOf(call), segments);
    if (found === null) return null;
    first ??= { call, found, outer: writer.path };
  }
  if (first === null) return null;
  const { call, found, outer } = first;
  const near = found.known === null ? undefined : nearest(found.segment, found.known);
  return words.noSuchField(span, {
    path: `†${printPath(path)}`,
    tool: call.tool ?? call.delegate ?? '',
    name: found.segment,
    known: found.known,
    near: near === undefined ? undefined : `†${printPath(replaceSegment(path, outer.length, [found.segment, near]))}`,
  });
}

/** The path with another name for one of its segments. */
function replaceSegment(path: PlanPath, from: number, [wrong, right]: readonly [string, string]): PlanPath {
  const at = path.indexOf(wrong, from);
  return path.map((segment, index) => (index === at ? right : segment)) as unknown as PlanPath;
}

function resultOf({ binding }: LoweredCall) {
  const schema = binding?.schema;
  return isObject(schema ?? undefined) ? memberSchema(schema as Schema, '_output') : undefined;
}

/** Whether a failure can take that arm. */
function mayTakeFailure({ binding, arms }: LoweredCall, arm: number): boolean {
  const { failure = null, outcomes = null } = binding ?? {};
  return failure !== null || outcomes !== null || (arms.length >= 2 && arm === arms.length - 1);
}
