/**
 * Finds calls that can never both run. A call that reads an arm requires that the call with this arm takes it, and
 * inherits the requirements of that call. Two calls that need different arms of one call exclude each other.
 */

import type { Parameter, PlanPath, Read } from '../../machine/plan.js';
import { printPath } from '../../prelude/reference.js';
import { unreachable } from '../../prelude/unreachable.js';
import { planMessages as words } from '../../source/catalogue/plan.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import type { Given } from './given.js';
import { valueAt } from './json-of.js';
import type { LoweredCall } from './lower-calls.js';
import type { PathTree } from './path-tree.js';
import type { Wiring } from './wiring.js';

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
export type Exclusive = (a: number, b: number) => boolean;

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
