/**
 * One plan under way inside a plan engine: its scheduler, the plans that its calls run, and its place in the tree of
 * plans. A call that runs a plan, or one plan for each item of a list, has its parts here until all of them have ended.
 */
import type { Json } from '../../../machine/expression.js';
import type { Plan, PlanCall, ToolBinding } from '../../../machine/plan.js';
import { isJsonObject } from '../../../prelude/json-object.js';
import type { StartedCall } from '../scheduler/plan-data.js';
import type { PlanOutcome } from '../scheduler/plan-outcome.js';
import type { PlanScheduler } from '../scheduler/plan-scheduler.js';

/** Indexes of calls from the outermost plan inwards; for a call that runs a plan for each item also the index of the item. */
export type CallPath = readonly number[];

/** A call that the world performs: every call but those that run plans. */
export interface LeafCall extends StartedCall {
  /** The numbers of the calls around it and its own, counted from 1: `3.1.2`. */
  readonly key: string;
  readonly binding: ToolBinding;
  readonly node: PlanNode;
  /** Not null when the tool is a plan, and this only checks parameters or result against its schema. */
  readonly check: PlanCheck | null;
  phase: 'queued' | 'launched' | 'ended';
}

export interface PlanNode {
  /** The name under which calls know the plan: its file. */
  readonly name: string;
  readonly plan: Plan;
  readonly scheduler: PlanScheduler;
  /** The call that runs the plan; empty for the outermost. */
  readonly at: CallPath;
  /** What the keys of its calls begin with. */
  readonly prefix: string;
  /** `item`: the index of the item, if the call runs a plan for each. */
  readonly parent: { readonly node: PlanNode; readonly call: number; readonly item: number | null } | null;
  /** Permits: how many calls in it and in the plans below it may be in flight at once. */
  readonly permits: number;
  inFlight: number;
  /** Queued calls that wait for a permit of this plan. */
  held: LeafCall[];
  /** By call that runs a plan for each item. */
  readonly items: Map<number, ItemResults>;
  /** By failed call: the keys of the leaf calls that made it fail. */
  readonly failed: Map<number, readonly string[]>;
  ended: boolean;
}

/** How messages name a call. */
export function callTitle({ source, tool, delegate }: PlanCall): string {
  const name = tool ?? delegate;
  return `call ${source + 1}${name === null ? '' : ` (\`${name}\`)`}`;
}

export function bindingOf(plan: Plan, call: PlanCall): ToolBinding {
  if (call.delegate !== null) {
    const calls = { kind: 'plan', file: call.delegate, each: null } as const;
    return { calls, outcomes: null, failure: null, timeoutMs: null, idempotent: null, schema: null };
  }
  const binding = call.tool === null ? undefined : plan.tools[call.tool];
  if (binding === undefined) throw new Error(`${callTitle(call)} has no tool`);
  return binding;
}

/** The order of calls over all plans: by the path of indexes from the outermost plan. */
export function isBefore(a: LeafCall, b: LeafCall): boolean {
  if (a.node === b.node) return a.call.index < b.call.index;
  const left = [...a.node.at, a.call.index];
  const right = [...b.node.at, b.call.index];
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) if (left[i] !== right[i]) return (left[i] as number) < (right[i] as number);
  return left.length < right.length;
}

/** The outermost value of a tool's schema that describes its result; undefined when it says nothing about it. */
export function resultSchema({ schema }: ToolBinding): Json | undefined {
  const own = memberOf(schema, '_output');
  return memberOf(memberOf(schema, 'properties'), '_output') ?? own;
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  if (!isJsonObject(value)) return undefined;
  return Object.hasOwn(value, name) ? value[name] : undefined;
}

/** An outcome with the keys of the leaf calls that made it a failure. */
export interface BlamedOutcome {
  readonly outcome: PlanOutcome;
  readonly keys: readonly string[];
}

export class ItemResults {
  private readonly values: (Json | null)[];
  private open: number;
  /** Of several failures that of the first item, whichever came first. */
  private failure: (BlamedOutcome & { readonly item: number }) | null = null;

  constructor(count: number) {
    this.values = new Array<Json | null>(count).fill(null);
    this.open = count;
  }

  /** Takes the outcome of one item. Every item runs to its end, even after a failure: what it does cannot be undone. */
  add(item: number, { outcome, keys }: BlamedOutcome): void {
    this.open--;
    if (outcome.kind === 'result') this.values[item] = outcome.value;
    else if (this.failure === null || item < this.failure.item) this.failure = { item, outcome, keys };
  }

  /** The list of results in the order of the items, or the first failure; null while items run. */
  get outcome(): BlamedOutcome | null {
    if (this.open > 0) return null;
    if (this.failure === null) return { outcome: { kind: 'result', value: this.values as Json }, keys: [] };
    const { item, outcome, keys } = this.failure;
    const named = 'message' in outcome ? { ...outcome, message: `item ${item + 1}: ${outcome.message}` } : outcome;
    return { outcome: named, keys };
  }
}

/** Whether the parameters or the result of a nested plan are what its schema asks for. */
export interface PlanCheck {
  readonly kind: 'plan';
  readonly checks: 'parameters' | 'result';
  /** Null when the parameters are checked. */
  readonly result: Json;
}
