/**
 * The data of a plan when it starts, and what limits and approvals its calls have. The data is what the plan gives
 * itself, what the run has written before, and the inputs; an instance sees those for all instances and, with
 * precedence, those for itself.
 */
import type { Json, JsonObject } from '../../../machine/expression.js';
import { type Plan, type PlanPath, pathsOf } from '../../../machine/plan.js';
import { printPath } from '../../../prelude/reference.js';
import { DataTree } from '../../values/data-tree.js';
import { decode } from '../../values/json.js';
import { define, isObject, type Value, type ValueObject } from '../../values/value.js';
import { bindingOf, type LeafCall, type PlanNode } from './plan-node.js';

export function initialData(plan: Plan, inputs: JsonObject, data: JsonObject): Json {
  const { targeted } = plan;
  const given = writtenData(plan) as JsonObject;
  const kinds = joinMembers(given, data);
  const all = { ...kinds, input: joinMembers(membersOf(given.input), inputs) };
  if (targeted === null) return all;
  const instances: { [id: string]: Value } = {};
  for (const [id, own] of Object.entries(membersOf(given.instance))) {
    const input = joinMembers(
      joinMembers(all.input, membersOf((own as JsonObject).input)),
      joinMembers(inputs, targeted[id] ?? {}),
    );
    define(instances, id, { ...(own as JsonObject), input } as Value);
  }
  return { ...all, instance: instances as Json };
}

/** What the plan gives itself, with numbers as they were written. */
function writtenData({ given, printed = [] }: Plan): Json {
  if (printed.length === 0) return given;
  const data = new DataTree(given);
  for (const { path, text } of printed) data.write(path, decode(text) as Json, null);
  return data.read([]) as Json;
}

/** The members of both; those of `over` take precedence. */
function joinMembers(under: JsonObject, over: JsonObject): JsonObject {
  const result: { [key: string]: Value } = {};
  for (const source of [under, over]) for (const key of Object.keys(source)) define(result, key, source[key] as Value);
  return result as JsonObject;
}

function membersOf(value: Json | undefined): JsonObject {
  return isObject(value as Value | undefined) ? (value as ValueObject as JsonObject) : {};
}

interface CallLimit {
  readonly node: PlanNode;
  readonly call: number;
  readonly timeoutMs: number;
}

const KEY_ENDING = '.limit';

/** Time limits of calls that run plans: which limits are open, and which calls lie below the call of each. */
export function isLimitKey(key: string): boolean {
  return key.endsWith(KEY_ENDING);
}

/** By the key of the limit: the key of the call with an ending that neither calls nor approvals have. */
export class CallLimits {
  private readonly open = new Map<string, CallLimit>();
  private started: string[] = [];

  start(limit: CallLimit): void {
    const key = keyOf(limit);
    this.open.set(key, limit);
    this.started.push(key);
  }

  end(call: Pick<CallLimit, 'node' | 'call'>): void {
    if (this.open.size > 0) this.open.delete(keyOf(call));
  }

  get(key: string): CallLimit | null {
    return this.open.get(key) ?? null;
  }

  /** The limits that started since the last call of this, if they are still open. */
  takeStarted(): string[] {
    const { started } = this;
    if (started.length > 0) this.started = [];
    return started.filter((key) => this.open.has(key));
  }
}

function keyOf({ node, call }: Pick<CallLimit, 'node' | 'call'>): string {
  return `${node.prefix}${call + 1}${KEY_ENDING}`;
}

/** Whether the plan is one that the call runs, or lies below one. */
export function isBelow(from: PlanNode, { node, call }: CallLimit): boolean {
  for (let at = from.parent; at !== null; at = at.node.parent) if (at.node === node && at.call === call) return true;
  return false;
}

/** Whether the leaf lies below the call of the limit, or checks its parameters or result. */
export function isCovered(leaf: LeafCall, limit: CallLimit): boolean {
  return isBelow(leaf.node, limit) || (leaf.node === limit.node && leaf.call.index === limit.call);
}

/** The names that more than one plan may ask for, among the plan with this name and all plans inside it. */
export function sharedApprovals(plans: { readonly [name: string]: Plan }, name: string): ReadonlySet<string> {
  const counts = countsOf(plans, name, new Map());
  return new Set([...counts].flatMap(([approval, count]) => (count > 1 ? [approval] : [])));
}

type CountByName = ReadonlyMap<string, number>;

/** How often each name may be asked for; 2 means several times. No plan calls itself, and each is looked at once. */
function countsOf(
  plans: { readonly [name: string]: Plan },
  name: string,
  counted: Map<string, CountByName>,
): CountByName {
  const before = counted.get(name);
  if (before !== undefined) return before;
  const plan = plans[name];
  const counts = new Map<string, number>(plan?.gates.map((path) => [approvalName(path), 1]));
  for (const { tool, delegate } of plan?.calls ?? []) {
    const target = tool === null ? undefined : plan?.tools[tool]?.calls;
    const inner = delegate ?? (target?.kind === 'plan' ? target.file : null);
    if (inner === null) continue;
    const times = delegate === null && target?.kind === 'plan' && target.each !== null ? 2 : 1;
    for (const [approval, count] of countsOf(plans, inner, counted))
      counts.set(approval, Math.min(2, (counts.get(approval) ?? 0) + times * count));
  }
  counted.set(name, counts);
  return counts;
}

/** The path as people write it: below `†state`. */
export function approvalName(path: PlanPath): string {
  return printPath(path).replace(/^state\./, '');
}

/**
 * Whether every call of the plan that reads the path takes its value, whatever it is (`gate: value`). All other approvals are
 * answered with `true` or `false`.
 */
export function isReadAsValue(plan: Plan, path: PlanPath): boolean {
  const name = printPath(path);
  return plan.calls.every((call) => {
    let reads = false;
    for (const value of call.inline === null ? [call.parameters] : [call.parameters, call.inline])
      pathsOf(value, (read) => {
        reads ||= read.gate && printPath(read.path) === name;
      });
    return !reads || (call.inline === null && bindingOf(plan, call).gate === 'value');
  });
}
