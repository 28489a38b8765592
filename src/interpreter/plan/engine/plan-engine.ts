/**
 * A plan with all plans inside it, from its first call to its outcome. It says which calls are to be made outside and
 * takes what came of them. All of it follows from the plan, what it was given, and those outcomes in the order in which
 * they came: that list is its record, and from it the same state is made again.
 */
import type { Json } from '../../../machine/expression.js';
import type { OutputMethod, Plan, PlanCall, PlanPath, ToolBinding } from '../../../machine/plan.js';
import { CallQueue } from '../scheduler/call-queue.js';
import type { CallRecord, StartedCall } from '../scheduler/call-record.js';
import type { PlanOutcome } from '../scheduler/plan-outcome.js';
import { PlanScheduler } from '../scheduler/plan-scheduler.js';
import { resultSchema } from '../tool-request.js';
import { approvalName, sharedApprovals } from './approval-names.js';
import { belongsTo, CallLimits, isBelow } from './call-limits.js';
import { initialData } from './initial-data.js';
import {
  bindingOf,
  blamedKeys,
  type CallPath,
  callTitle,
  heldBack,
  type ItemParts,
  innerOutcome,
  isBefore,
  type LeafCall,
  type PlanNode,
  unrecovered,
  withItem,
} from './plan-node.js';

export interface PlanEngineOptions {
  /** Every plan that may be called, by the name under which calls know it. */
  readonly plans: { readonly [name: string]: Plan };
  readonly name: string;
  /** What is there when it begins, all kinds: see `initial-data.ts`. */
  readonly given: Json;
  /** Calls at once where the plan names no number. */
  readonly limit: number;
  /** How long the one call of a CALL may take; null: as its tool says. */
  readonly callTimeoutMs?: number | null;
  /** Told of what the outermost plan writes and finds. */
  readonly wrote: (path: PlanPath, value: Json, method: OutputMethod | null) => void;
  readonly found: (path: PlanPath) => void;
}

/** What was told to a plan: the outcome of a call, the value of a gate, or that the time of a call has run out. */
export type PlanEntry =
  | { readonly key: string; readonly outcome: PlanOutcome }
  | { readonly gate: string; readonly value: Json; readonly by?: string }
  | { readonly limit: string };

/** A gate that a person has to open. */
export interface PlanApproval {
  /** Which one, also where plans inside have gates of the same name. */
  readonly key: string;
  /** Below `†state`, as people write it; behind the numbers of calls where several places may ask for it. */
  readonly name: string;
  readonly path: PlanPath;
  readonly node: PlanNode;
}

export interface PlanResult {
  readonly value: Json;
  readonly failures: ReturnType<typeof unrecovered>;
  /** Keys of the calls outside that are to blame. */
  readonly blamed: readonly string[];
}

export interface CallReport extends CallRecord {
  readonly index: number;
  readonly tool: string | null;
  readonly instance?: string;
}

export class PlanEngine {
  readonly root: PlanNode;
  readonly log: PlanEntry[] = [];
  private readonly leaves = new Map<string, LeafCall>();
  private readonly queue = new CallQueue<LeafCall>(isBefore);
  private readonly waiting = new Set<PlanNode>();
  /** Plans that have something to do. */
  private readonly work: PlanNode[] = [];
  readonly limits = new CallLimits();
  private sharedNames: ReadonlySet<string> | null = null;
  private ending: PlanResult | null = null;

  constructor(private readonly options: PlanEngineOptions) {
    this.root = this.node(options.name, options.given, [], null);
    this.pump();
  }

  /** Null while calls run or people have to open gates. */
  get result(): PlanResult | null {
    return this.ending;
  }

  /** The calls that are to be made now, those of the plan's beginning first. */
  takeLaunches(): LeafCall[] {
    const launches: LeafCall[] = [];
    while (this.root.inFlight < this.root.max) {
      const leaf = this.queue.pop();
      if (leaf === undefined) break;
      if (leaf.phase !== 'queued') continue;
      const full = heldBack(leaf.node);
      if (full !== null) full.held.push(leaf);
      else launches.push(this.launched(leaf));
    }
    return launches;
  }

  /** A call that the record has, whether or not there is room for it. Null when it is not ready. */
  forceStart(key: string): LeafCall | null {
    const leaf = this.leaves.get(key);
    return leaf === undefined || leaf.phase !== 'queued' ? null : this.launched(leaf);
  }

  leaf(key: string): LeafCall | null {
    return this.leaves.get(key) ?? null;
  }

  settle(key: string, outcome: PlanOutcome): void {
    const leaf = this.leaves.get(key);
    if (leaf === undefined) throw new Error(`no call ${key} runs`);
    this.log.push({ key, outcome });
    this.leaves.delete(key);
    if (leaf.phase === 'launched') this.landed(leaf.node);
    leaf.phase = 'settled';
    this.settled(leaf, outcome);
    this.pump();
  }

  /** Ends a call that is a plan with everything below it. Gives the keys of what was under way. */
  expire(key: string): string[] {
    const limit = this.limits.of(key);
    if (limit === null) return [];
    this.log.push({ limit: key });
    const { node, call, timeoutMs } = limit;
    const leaves = [...this.leaves.values()].filter((leaf) => belongsTo(leaf, limit));
    for (const leaf of leaves) {
      this.leaves.delete(leaf.key);
      if (leaf.phase === 'launched') this.landed(leaf.node);
      leaf.phase = 'settled';
    }
    const inner = [...leaves.map((leaf) => leaf.node), ...this.waiting].filter((one) => isBelow(one, limit));
    for (const one of inner) {
      for (let at = one; at !== node && at.parent !== null; at = at.parent.node) at.ended = true;
      this.waiting.delete(one);
    }
    node.items.delete(call);
    const message = `it took longer than ${timeoutMs} ms`;
    const keys = leaves.map((leaf) => leaf.key);
    this.give(node, call, { kind: 'broken', code: 'timeout', message }, keys);
    this.pump();
    return keys;
  }

  private settled({ node, call, parameters, binding, check, key }: LeafCall, outcome: PlanOutcome): void {
    if (check === null || outcome.kind !== 'result') this.give(node, call.index, outcome, [key]);
    else if (check.checks === 'parameters') this.enter(node, { call, parameters }, binding);
    else this.give(node, call.index, { kind: 'result', value: check.result }, []);
  }

  openApprovals(): PlanApproval[] {
    const found: PlanApproval[] = [];
    for (const node of this.waiting) {
      if (node.ended) continue;
      for (const { path } of node.scheduler.openApprovals()) {
        const own = approvalName(path);
        const key = node.prefix + own;
        found.push({ key, name: this.shared().has(own) ? key : own, path, node });
      }
    }
    return found;
  }

  /** Names of gates that several places may ask for. */
  private shared(): ReadonlySet<string> {
    this.sharedNames ??= sharedApprovals(this.options.plans, this.options.name);
    return this.sharedNames;
  }

  /** `by`: who gives the value. */
  approve(key: string, value: Json, by?: string): void {
    const gate = this.openApprovals().find((one) => one.key === key);
    if (gate === undefined) return;
    this.log.push({ gate: key, value, ...(by === undefined ? {} : { by }) });
    gate.node.scheduler.open(gate.path, value, by);
    this.work.push(gate.node);
    this.pump();
  }

  /** Makes the same again that was told to another run of the same plan. */
  replay(log: readonly PlanEntry[]): void {
    for (const entry of log) {
      if ('gate' in entry) this.approve(entry.gate, entry.value, entry.by);
      else if ('limit' in entry) this.expire(entry.limit);
      else this.settle(entry.key, entry.outcome);
    }
  }

  /** What became of the calls of the outermost plan. */
  reports(): CallReport[] {
    const records = this.root.scheduler.records();
    return this.root.plan.calls.map(({ index, tool, delegate, instance }) => ({
      index,
      tool: tool ?? delegate,
      ...(records[index] as CallRecord),
      ...(instance === null ? {} : { instance }),
    }));
  }

  /** Calls of the outermost plan that have failed, as far as they are decided. */
  failures(): ReturnType<typeof unrecovered> {
    return unrecovered(this.root.plan, this.root.scheduler.records());
  }

  private node(name: string, given: Json, at: CallPath, parent: PlanNode['parent']): PlanNode {
    const { limit, wrote, found } = this.options;
    const plan = this.plan(name);
    const hooks = parent === null ? { wrote, found } : {};
    // How many run at once is decided here, over all plans together.
    const unbounded = plan.max === null ? plan : { ...plan, max: null };
    const scheduler = new PlanScheduler(unbounded, {
      limit: Number.POSITIVE_INFINITY,
      given,
      ...hooks,
    });
    const max = plan.max ?? (parent === null ? limit : Number.POSITIVE_INFINITY);
    const node: PlanNode = {
      plan,
      scheduler,
      at,
      prefix: at.map((index) => `${index + 1}.`).join(''),
      parent,
      max,
      inFlight: 0,
      held: [],
      items: new Map(),
      failed: new Map(),
      ended: false,
    };
    this.work.push(node);
    return node;
  }

  private plan(name: string): Plan {
    const plan = this.options.plans[name];
    if (plan === undefined) throw new Error(`no plan ${name}`);
    return plan;
  }

  private pump(): void {
    for (let node = this.work.pop(); node !== undefined; node = this.work.pop()) {
      if (node.ended) continue;
      for (const started of node.scheduler.next()) this.begin(node, started);
      if (node.scheduler.openApprovals().length > 0) this.waiting.add(node);
      else this.waiting.delete(node);
      if (node.scheduler.active === 0 && !this.waiting.has(node)) this.end(node);
    }
  }

  private begin(node: PlanNode, started: StartedCall): void {
    const { call, parameters } = started;
    const binding = bindingOf(node.plan, call);
    const key = node.prefix + (call.index + 1);
    if (binding.calls.kind !== 'plan')
      this.enqueue({ call, parameters, key, binding, node, check: null, phase: 'queued' });
    else if (binding.schema === null) this.enter(node, started, binding);
    else {
      const check = { kind: 'plan', checks: 'parameters', result: null } as const;
      this.enqueue({ call, parameters, key, binding, node, check, phase: 'queued' });
    }
  }

  private enqueue(leaf: LeafCall): void {
    this.leaves.set(leaf.key, leaf);
    this.queue.push(leaf);
  }

  /** Begins the plan that a call runs, or one for each item. */
  private enter(node: PlanNode, { call, parameters }: StartedCall, { calls, timeoutMs }: ToolBinding): void {
    if (calls.kind !== 'plan') throw new Error(`${callTitle(call)} runs no plan`);
    const most = (node.parent === null ? this.options.callTimeoutMs : null) ?? timeoutMs;
    if (most !== null) this.limits.begin({ node, call: call.index, timeoutMs: most });
    const at = [...node.at, call.index];
    const { file, each } = calls;
    if (each === null) {
      this.node(file, initialData(this.plan(file), parameters, {}), at, { node, call: call.index, item: null });
      return;
    }
    const items = Object.hasOwn(parameters, each) ? parameters[each] : undefined;
    if (!Array.isArray(items)) {
      const message = `\`${each}\` is no list, and the plan runs for each of its items`;
      this.give(node, call.index, { kind: 'broken', code: 'bad_value', message }, []);
      return;
    }
    const { [each]: _, ...others } = parameters;
    node.items.set(call.index, { values: items.map(() => null), open: items.length, failure: null });
    if (items.length === 0) this.finish(node, call.index, { kind: 'result', value: [] }, []);
    // The last one is worked on first, so that calls of the first items stand first.
    for (let index = items.length - 1; index >= 0; index--) {
      const inputs = { ...others, item: items[index] as Json, index };
      this.node(file, initialData(this.plan(file), inputs, {}), [...at, index], {
        node,
        call: call.index,
        item: index,
      });
    }
  }

  /** What came of the plan that a call runs: a result that its schema describes is looked at first. */
  private finish(node: PlanNode, index: number, outcome: PlanOutcome, keys: readonly string[]): void {
    const call = node.plan.calls[index] as PlanCall;
    const binding = bindingOf(node.plan, call);
    if (outcome.kind !== 'result' || resultSchema(binding) === undefined) {
      this.give(node, index, outcome, keys);
      return;
    }
    const check = { kind: 'plan', checks: 'result', result: outcome.value } as const;
    const key = `${node.prefix}${index + 1}.result`;
    this.enqueue({ call, parameters: {}, key, binding, node, check, phase: 'queued' });
  }

  /** The outcome of a call, wherever it comes from. */
  private give(node: PlanNode, call: number, outcome: PlanOutcome, keys: readonly string[]): void {
    this.limits.end({ node, call });
    if (outcome.kind !== 'result') node.failed.set(call, keys);
    node.scheduler.settle(call, outcome);
    this.work.push(node);
  }

  private end(node: PlanNode): void {
    node.ended = true;
    const records = node.scheduler.records();
    const { parent } = node;
    if (parent === null) {
      const { plan, scheduler } = node;
      const blamed = blamedKeys(node, records);
      this.ending = { value: scheduler.output(), failures: unrecovered(plan, records), blamed };
      return;
    }
    const outcome = innerOutcome(node, records);
    const keys = outcome.kind === 'result' ? [] : blamedKeys(node, records);
    if (parent.item === null) this.finish(parent.node, parent.call, outcome, keys);
    else this.endItem(parent.node, parent.call, parent.item, { outcome, keys });
  }

  /** All items come to their end, also behind one that failed: what they do cannot be taken back. */
  private endItem(
    node: PlanNode,
    call: number,
    item: number,
    { outcome, keys }: { readonly outcome: PlanOutcome; readonly keys: readonly string[] },
  ): void {
    const parts = node.items.get(call) as ItemParts;
    parts.open--;
    if (outcome.kind === 'result') parts.values[item] = outcome.value;
    else if (parts.failure === null || item < parts.failure.item) parts.failure = { item, outcome, keys };
    if (parts.open > 0) return;
    node.items.delete(call);
    const { failure } = parts;
    if (failure === null) this.finish(node, call, { kind: 'result', value: parts.values as Json }, []);
    else this.finish(node, call, withItem(failure), failure.keys);
  }

  private launched(leaf: LeafCall): LeafCall {
    leaf.phase = 'launched';
    for (let node: PlanNode | undefined = leaf.node; node !== undefined; node = node.parent?.node) node.inFlight++;
    return leaf;
  }

  private landed(from: PlanNode): void {
    for (let node: PlanNode | undefined = from; node !== undefined; node = node.parent?.node) {
      node.inFlight--;
      for (const leaf of node.held) this.queue.push(leaf);
      node.held = [];
    }
  }
}
