/**
 * A plan with all plans inside it, from its first call to its end. The engine says which leaf calls to launch and takes
 * what came of them. It knows neither the run around it nor how calls are performed.
 *
 * 1. Everything follows from the plans, what was given, and `log`: the entries in the order in which they were applied.
 *    `replay` makes the same engine again from them.
 * 2. Entries are applied one after the other. Each ends with `advance`, which leaves nothing undecided that could be
 *    decided, so an entry never sees another one half applied.
 * 3. A leaf call is in `leaves` from the moment its scheduler starts it until its outcome is applied or a limit ends it.
 * 4. Schedulers have no limit of their own: how many calls run at once is decided over all plans together, in
 *    `LaunchQueue`. So limits change when calls run and never what they do.
 */
import type { Json } from '../../../machine/expression.js';
import type { Plan, PlanCall, PlanPath, ToolBinding } from '../../../machine/plan.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import type { UnknownData } from '../../values/data-tree.js';
import { CallQueue } from '../scheduler/call-queue.js';
import type { CallRecord, DataSink, StartedCall } from '../scheduler/plan-data.js';
import type { PlanOutcome } from '../scheduler/plan-outcome.js';
import { PlanScheduler } from '../scheduler/plan-scheduler.js';
import { CallLimits, isBelow, isCovered } from './call-limits.js';
import { initialData } from './initial-data.js';
import { approvalName, isReadAsValue, sharedApprovals } from './plan-approvals.js';
import type { CallReport, PlanEntry } from './plan-entry.js';
import { blamedKeys, type FailedCall, findFailures, innerOutcome } from './plan-entry.js';
import {
  type BlamedOutcome,
  bindingOf,
  type CallPath,
  callTitle,
  ItemResults,
  isBefore,
  type LeafCall,
  type PlanNode,
  resultSchema,
} from './plan-node.js';

/**
 * The leaf calls that are ready, and the permits that let them be launched: one of their own plan and one of every plan
 * around it. Permits decide when a call is launched and never what it does.
 *
 * 1. A queued call is in the queue, or held by exactly one plan that has no permit left.
 * 2. `inFlight` of a plan is the number of launched calls in it and below it. It exceeds `permits` only when calls were
 *    launched by force, because the record has them.
 */
export class LaunchQueue {
  private readonly queue = new CallQueue<LeafCall>(isBefore);

  add(leaf: LeafCall): void {
    this.queue.push(leaf);
  }

  /** Launches as many calls as permits allow, in their order. `root`: the outermost plan. */
  launchAll(root: PlanNode): LeafCall[] {
    const launched: LeafCall[] = [];
    while (root.inFlight < root.permits) {
      const leaf = this.queue.pop();
      if (leaf === undefined) break;
      // It was launched by force or ended while it was in the queue.
      if (leaf.phase !== 'queued') continue;
      const full = findFull(leaf.node);
      if (full !== null) full.held.push(leaf);
      else launched.push(this.launch(leaf));
    }
    return launched;
  }

  /** Launches a call whether or not there is a permit. */
  launch(leaf: LeafCall): LeafCall {
    leaf.phase = 'launched';
    for (const node of withOuter(leaf.node)) node.inFlight++;
    return leaf;
  }

  /** The call has ended: its permits go to others. */
  end(leaf: LeafCall): void {
    if (leaf.phase === 'launched') {
      for (const node of withOuter(leaf.node)) {
        node.inFlight--;
        for (const held of node.held) this.queue.push(held);
        node.held = [];
      }
    }
    leaf.phase = 'ended';
  }
}

/** The innermost plan around the call that has no permit left, or null. */
function findFull(from: PlanNode): PlanNode | null {
  for (const node of withOuter(from)) if (node.inFlight >= node.permits) return node;
  return null;
}

function* withOuter(from: PlanNode): Iterable<PlanNode> {
  for (let node: PlanNode | undefined = from; node !== undefined; node = node.parent?.node) yield node;
}

interface PlanEngineOptions {
  /** Every plan that may run, by the name under which calls know it. */
  readonly plans: { readonly [name: string]: Plan };
  readonly name: string;
  /** All data at the beginning, by kind: see `initial-data.ts`. */
  readonly given: Json;
  /** How many calls run at once if the plan does not say. */
  readonly limit: number;
  /** Time limit of the one call of a CALL; null: that of its tool. */
  readonly callTimeoutMs?: number | null;
  /** For data with values that are not known; null in a run. */
  readonly unknown?: UnknownData | null;
  /** Receives what the outermost plan writes. */
  readonly sink: DataSink;
}

/** A path that a person must give. */
interface PlanApproval {
  /** Unique among all plans inside, also where several have an approval of the same name. */
  readonly key: string;
  /** As people write it, below `†state`; after the numbers of the calls around it if several plans may ask for it. */
  readonly name: string;
  readonly path: PlanPath;
  readonly node: PlanNode;
}

export interface PlanResult {
  readonly value: Json;
  readonly failures: readonly FailedCall[];
  /** Keys of the leaf calls that are to blame. */
  readonly blamed: readonly string[];
}

export class PlanEngine {
  readonly root: PlanNode;
  readonly log: PlanEntry[] = [];
  readonly limits = new CallLimits();
  /** Those that have not ended. */
  private readonly nodes = new Set<PlanNode>();
  private readonly leaves = new Map<string, LeafCall>();
  private readonly launchQueue = new LaunchQueue();
  private readonly waitingForApproval = new Set<PlanNode>();
  /** Plans whose scheduler may have calls to start. The last one is next, so a plan inside starts before its siblings. */
  private readonly inbox: PlanNode[] = [];
  private sharedNames: ReadonlySet<string> | null = null;
  private ending: PlanResult | null = null;

  constructor(private readonly options: PlanEngineOptions) {
    this.root = this.addNode(options.name, options.given, [], null);
    this.advance();
  }

  /** Null while calls run or people must give approvals. */
  get result(): PlanResult | null {
    return this.ending;
  }

  /** Launches the calls that are ready and have a permit, those of the plan's beginning first. */
  launchReady(): LeafCall[] {
    return this.launchQueue.launchAll(this.root);
  }

  /** Launches a call that the record has, whether or not there is a permit. Null when it is not ready. */
  forceStart(key: string): LeafCall | null {
    const leaf = this.leaves.get(key);
    return leaf?.phase === 'queued' ? this.launchQueue.launch(leaf) : null;
  }

  leaf(key: string): LeafCall | null {
    return this.leaves.get(key) ?? null;
  }

  /** Applies the outcome of a leaf call. */
  settle(key: string, outcome: PlanOutcome): void {
    const leaf = this.leaves.get(key);
    if (leaf === undefined) throw new Error(`no call ${key} runs`);
    this.log.push({ key, outcome });
    this.endLeaf(leaf);
    const { node, call, parameters, binding, check } = leaf;
    if (check === null || outcome.kind !== 'result') this.settleCall(node, call.index, { outcome, keys: [key] });
    else if (check.checks === 'parameters') this.startInnerPlans(node, { call, parameters }, binding);
    else this.settleCall(node, call.index, resultOutcome(check.result));
    this.advance();
  }

  /** Applies the value that a person gives. `by`: who. */
  approve(key: string, value: Json, by?: string): void {
    const approval = this.openApprovals().find((one) => one.key === key);
    if (approval === undefined) return;
    this.log.push({ gate: key, value, ...omitUndefined({ by }) });
    approval.node.scheduler.approve(approval.path, value, by);
    this.inbox.push(approval.node);
    this.advance();
  }

  /**
   * Applies that the time of a call that runs plans is over: it fails, and everything below it ends. Returns the keys of
   * the leaf calls that end.
   */
  expire(key: string): string[] {
    const limit = this.limits.get(key);
    if (limit === null) return [];
    this.log.push({ limit: key });
    const { node, call, timeoutMs } = limit;
    const leaves = [...this.leaves.values()].filter((leaf) => isCovered(leaf, limit));
    for (const leaf of leaves) this.endLeaf(leaf);
    // Without leaf calls and approvals nothing reaches the plans below any more.
    for (const one of this.waitingForApproval) if (isBelow(one, limit)) this.waitingForApproval.delete(one);
    const message = `it took longer than ${timeoutMs} ms`;
    const keys = leaves.map((leaf) => leaf.key);
    this.settleCall(node, call, { outcome: { kind: 'broken', code: 'timeout', message }, keys });
    this.advance();
    return keys;
  }

  /** Applies the log of another engine for the same plan. */
  replay(log: readonly PlanEntry[]): void {
    for (const entry of log) {
      if ('gate' in entry) this.approve(entry.gate, entry.value, entry.by);
      else if ('limit' in entry) this.expire(entry.limit);
      else this.settle(entry.key, entry.outcome);
    }
  }

  /** Whether only calls that take the value of the answer, whatever it is, read this approval. */
  takesAnyAnswer(key: string): boolean {
    const approval = this.openApprovals().find((one) => one.key === key);
    return approval !== undefined && isReadAsValue(approval.node.plan, approval.path);
  }

  openApprovals(): PlanApproval[] {
    const found: PlanApproval[] = [];
    for (const node of this.waitingForApproval) {
      for (const { path } of node.scheduler.openApprovals()) {
        const own = approvalName(path);
        const key = node.prefix + own;
        found.push({ key, name: this.sharedApprovalNames().has(own) ? key : own, path, node });
      }
    }
    return found;
  }

  /** All plans that have not ended, and why each of their calls has not ended either. */
  *openCalls(): Iterable<{ readonly node: PlanNode; readonly call: PlanCall; readonly why: string }> {
    for (const node of this.nodes) {
      for (const call of node.plan.calls) {
        const why = node.scheduler.whyOpen(call.index);
        if (why === null) continue;
        const isQueued = this.leaves.get(node.prefix + (call.index + 1))?.phase === 'queued';
        yield { node, call, why: isQueued ? 'waits until another call has ended' : why };
      }
    }
  }

  /** What became of the calls of the outermost plan. */
  reports(): CallReport[] {
    const records = this.root.scheduler.data.callRecords();
    return this.root.plan.calls.map(({ index, tool, delegate, instance }) => ({
      index,
      tool: tool ?? delegate,
      ...(records[index] as CallRecord),
      ...omitUndefined({ instance: instance ?? undefined }),
    }));
  }

  /** The calls of the outermost plan that have failed so far. */
  failures(): FailedCall[] {
    return findFailures(this.root.plan, this.root.scheduler.data.callRecords());
  }

  /** Starts the calls that schedulers let start, and ends the plans in which nothing is left to do. */
  private advance(): void {
    for (let node = this.inbox.pop(); node !== undefined; node = this.inbox.pop()) {
      if (node.ended) continue;
      const { scheduler } = node;
      for (const started of scheduler.next()) this.startCall(node, started);
      if (scheduler.waitsForApproval) this.waitingForApproval.add(node);
      else this.waitingForApproval.delete(node);
      if (scheduler.active === 0 && !scheduler.waitsForApproval) this.endNode(node);
    }
  }

  private startCall(node: PlanNode, started: StartedCall): void {
    const { call, parameters } = started;
    const binding = bindingOf(node.plan, call);
    const key = node.prefix + (call.index + 1);
    if (binding.calls.kind === 'plan' && binding.schema === null) {
      this.startInnerPlans(node, started, binding);
      return;
    }
    const check =
      binding.calls.kind === 'plan' ? ({ kind: 'plan', checks: 'parameters', result: null } as const) : null;
    this.addLeaf({ call, parameters, key, binding, node, check, phase: 'queued' });
  }

  /** Starts the plan that a call runs, or one for each item. */
  private startInnerPlans(node: PlanNode, { call, parameters }: StartedCall, { calls, timeoutMs }: ToolBinding): void {
    if (calls.kind !== 'plan') throw new Error(`${callTitle(call)} runs no plan`);
    const most = (node.parent === null ? this.options.callTimeoutMs : null) ?? timeoutMs;
    if (most !== null) this.limits.start({ node, call: call.index, timeoutMs: most });
    const at = [...node.at, call.index];
    const { file, each } = calls;
    if (each === null) {
      const given = initialData(this.plan(file), parameters, {});
      this.addNode(file, given, at, { node, call: call.index, item: null });
      return;
    }
    const given = Object.hasOwn(parameters, each) ? parameters[each] : undefined;
    const items = given === undefined ? undefined : (this.options.unknown?.open(given) ?? given);
    if (!Array.isArray(items)) {
      const message = `\`${each}\` must be a list, because the plan runs once for each item`;
      this.settleCall(node, call.index, { outcome: { kind: 'broken', code: 'bad_value', message }, keys: [] });
      return;
    }
    const { [each]: _, ...others } = parameters;
    node.items.set(call.index, new ItemResults(items.length));
    if (items.length === 0) this.endItems(node, call.index);
    // The inbox is taken from its end, so the plan of the first item is added last.
    for (let index = items.length - 1; index >= 0; index--) {
      const data = initialData(this.plan(file), { ...others, item: items[index] as Json, index }, {});
      this.addNode(file, data, [...at, index], { node, call: call.index, item: index });
    }
  }

  private addNode(name: string, given: Json, at: CallPath, parent: PlanNode['parent']): PlanNode {
    const { limit, sink, unknown } = this.options;
    const plan = this.plan(name);
    const scheduler = new PlanScheduler(plan.max === null ? plan : { ...plan, max: null }, {
      limit: Number.POSITIVE_INFINITY,
      given,
      unknown: unknown ?? null,
      ...omitUndefined({ sink: parent === null ? sink : undefined }),
    });
    const node: PlanNode = {
      name,
      plan,
      scheduler,
      at,
      prefix: at.map((index) => `${index + 1}.`).join(''),
      parent,
      permits: plan.max ?? (parent === null ? limit : Number.POSITIVE_INFINITY),
      inFlight: 0,
      held: [],
      items: new Map(),
      failed: new Map(),
      ended: false,
    };
    this.nodes.add(node);
    this.inbox.push(node);
    return node;
  }

  private endNode(node: PlanNode): void {
    node.ended = true;
    this.nodes.delete(node);
    const records = node.scheduler.data.callRecords();
    const { plan, scheduler, parent } = node;
    if (parent === null) {
      const blamed = blamedKeys(node, records);
      this.ending = { value: scheduler.data.output(), failures: findFailures(plan, records), blamed };
      return;
    }
    const outcome = innerOutcome(node, records);
    const ended = { outcome, keys: outcome.kind === 'result' ? [] : blamedKeys(node, records) };
    if (parent.item === null) {
      this.endInnerPlan(parent.node, parent.call, ended);
      return;
    }
    parent.node.items.get(parent.call)?.add(parent.item, ended);
    this.endItems(parent.node, parent.call);
  }

  /** Ends the call when the plan of its last item has ended. */
  private endItems(node: PlanNode, call: number): void {
    const ended = node.items.get(call)?.outcome ?? null;
    if (ended === null) return;
    node.items.delete(call);
    this.endInnerPlan(node, call, ended);
  }

  /** The plan that a call runs has ended. If a schema describes the result, the world checks it first. */
  private endInnerPlan(node: PlanNode, index: number, ended: BlamedOutcome): void {
    const call = node.plan.calls[index] as PlanCall;
    const binding = bindingOf(node.plan, call);
    if (ended.outcome.kind !== 'result' || resultSchema(binding) === undefined) {
      this.settleCall(node, index, ended);
      return;
    }
    const check = { kind: 'plan', checks: 'result', result: ended.outcome.value } as const;
    const key = `${node.prefix}${index + 1}.result`;
    this.addLeaf({ call, parameters: {}, key, binding, node, check, phase: 'queued' });
  }

  /** Gives a call its outcome, wherever it comes from. */
  private settleCall(node: PlanNode, call: number, { outcome, keys }: BlamedOutcome): void {
    this.limits.end({ node, call });
    if (outcome.kind !== 'result') node.failed.set(call, keys);
    node.scheduler.settle(call, outcome);
    this.inbox.push(node);
  }

  private addLeaf(leaf: LeafCall): void {
    this.leaves.set(leaf.key, leaf);
    this.launchQueue.add(leaf);
  }

  private endLeaf(leaf: LeafCall): void {
    this.leaves.delete(leaf.key);
    this.launchQueue.end(leaf);
  }

  private plan(name: string): Plan {
    const plan = this.options.plans[name];
    if (plan === undefined) throw new Error(`no plan ${name}`);
    return plan;
  }

  /** Names of approvals that several plans may ask for. */
  private sharedApprovalNames(): ReadonlySet<string> {
    this.sharedNames ??= sharedApprovals(this.options.plans, this.options.name);
    return this.sharedNames;
  }
}

function resultOutcome(value: Json): BlamedOutcome {
  return { outcome: { kind: 'result', value }, keys: [] };
}
