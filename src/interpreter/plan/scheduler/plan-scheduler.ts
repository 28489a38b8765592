/**
 * Decides which calls of one plan may start. A plan means what its calls would do one after the other in the order of
 * their rank; the scheduler runs them at once without a difference in the outcome. It calls no tool and keeps no data:
 * `PlanData` has the data, and `WriteOrder` knows who waits for whom.
 *
 * 1. Each call is open, ready, running, settled (it has a result that is not written yet) or decided, in this order.
 *    It may leave some of these out, it never goes back, and its record never changes.
 * 2. A call becomes ready when all calls of lower rank are decided that may write what it reads: its parameters then are
 *    those that it would have in the order of rank.
 * 3. A result is written when all calls of lower rank are decided that may write the same: the order of writes to a path
 *    is the order of rank, whichever call ended first.
 * 4. A call that can never run is decided without running. That needs no timing either: an arm that was not taken
 *    decides at once, since nothing outweighs it; every other reason counts only when all that the call reads is decided.
 * 5. There is one loop, `advance`. Whatever changes from outside (an outcome, an approval) queues the calls that it
 *    concerns and then runs the loop until no call is left to look at.
 */
import type { Json } from '../../../machine/expression.js';
import type { Plan, PlanCall, PlanPath, ToolBinding } from '../../../machine/plan.js';
import { printPath } from '../../../prelude/reference.js';
import { unreachable } from '../../../prelude/unreachable.js';
import type { UnknownData } from '../../values/data-tree.js';
import { CallQueue } from './call-queue.js';
import {
  type CallRecord,
  type DataSink,
  doneRecord,
  failedRecord,
  nameInDocument,
  PlanData,
  type StartedCall,
  supersededRecord,
} from './plan-data.js';
import { chooseArm, type PlanOutcome } from './plan-outcome.js';
import { firstPaths, type PathRead, type ResolvedParameter, resolveParameter } from './resolve-parameter.js';
import { areDecided, countBefore, undecidedWriters } from './write-order.js';

/** A path without a value, and the calls that wait for people alone. */
interface OpenApproval {
  readonly path: PlanPath;
  readonly calls: ReadonlySet<number>;
}

export class Approvals {
  private readonly byKey = new Map<string, { readonly path: PlanPath; readonly calls: Set<number> }>();
  /** Who gave each path, if that is known. */
  private readonly people = new Map<string, string | undefined>();

  /** The approvals that calls wait for, in the order in which calls first asked for them. */
  listOpen(): OpenApproval[] {
    return [...this.byKey.values()];
  }

  get isEmpty(): boolean {
    return this.byKey.size === 0;
  }

  /** Everything else that the call reads is decided. */
  waitFor(paths: readonly PlanPath[], call: number): void {
    for (const path of paths) {
      const open = this.byKey.get(keyOf(path));
      if (open === undefined) this.byKey.set(keyOf(path), { path, calls: new Set([call]) });
      else open.calls.add(call);
    }
  }

  /** Takes an answer. Returns the calls that waited for any approval, because one answer may decide about another. */
  answer(path: PlanPath, by: string | undefined): number[] {
    this.people.set(keyOf(path), by ?? this.answeredBy(path));
    const waiting = new Set([...this.byKey.values()].flatMap(({ calls }) => [...calls]));
    this.byKey.clear();
    return [...waiting].sort((a, b) => a - b);
  }

  isAnswered(path: PlanPath): boolean {
    return this.people.has(keyOf(path));
  }

  /** Who answered, if that is known. */
  answeredBy(path: PlanPath): string | undefined {
    return this.people.get(keyOf(path));
  }
}

function keyOf(path: PlanPath): string {
  return path.join('\0');
}

interface SchedulerOptions {
  /** How many calls run at once if the plan does not say. */
  readonly limit: number;
  /** The data before any call, instead of what the plan gives. */
  readonly given?: Json;
  readonly sink?: DataSink;
  readonly unknown?: UnknownData | null;
}

type Phase =
  | { readonly kind: 'open' | 'running' | 'decided' }
  | { readonly kind: 'ready'; readonly parameters: StartedCall['parameters'] }
  /** `record`: what becomes of the call once its result is written; null for a call that is then done. */
  | { readonly kind: 'settled'; readonly arm: number; readonly value: Json; readonly record: CallRecord | null };

const OPEN: Phase = { kind: 'open' };
const RUNNING: Phase = { kind: 'running' };
const DECIDED: Phase = { kind: 'decided' };

export class PlanScheduler {
  readonly data: PlanData;
  private readonly approvals = new Approvals();
  /** By index. */
  private readonly phases: Phase[];
  /** Ready calls, the first of the plan first. */
  private readonly ready = new CallQueue();
  /** Indexes of the calls that `advance` looks at next, in the order in which the reasons to look came up. */
  private readonly inbox: number[] = [];
  private running = 0;

  constructor(
    private readonly plan: Plan,
    private readonly options: SchedulerOptions,
  ) {
    const { calls, order } = plan;
    this.data = new PlanData(plan, options.given ?? plan.given, options.sink ?? null, options.unknown ?? null);
    this.phases = calls.map(() => OPEN);
    for (const index of order) this.admit(this.callAt(index));
    this.advance();
  }

  /** The calls to start now, in the order of the plan. When none starts and none runs, nothing is left to do. */
  next(): StartedCall[] {
    const started: StartedCall[] = [];
    const most = this.plan.max ?? this.options.limit;
    for (;;) {
      while (this.running < most && this.ready.size > 0) started.push(this.start(this.ready.pop() as number));
      if (this.running > 0 || !this.ruleOutAtRest()) return started;
    }
  }

  /** Takes the outcome of a call that runs. */
  settle(index: number, outcome: PlanOutcome): void {
    if (this.phases[index]?.kind !== 'running') throw new Error(`call ${index} does not run`);
    const call = this.callAt(index);
    this.running--;
    const choice = chooseArm(call, this.bindingOf(call), outcome);
    if (choice.arm === null) this.decide(call, failedRecord(choice.code, choice.message));
    else this.keepResult(call, choice.arm, choice.value);
    this.advance();
  }

  /** Takes the value that a person gives. From now on it counts as given from the beginning. */
  approve(path: PlanPath, value: Json, by?: string): void {
    if (this.data.canGive(path)) this.data.give(path, value);
    this.inbox.push(...this.approvals.answer(path, by));
    this.advance();
  }

  /** Calls that were started and have no outcome yet. */
  get active(): number {
    return this.running;
  }

  /** What people must give before more can be decided. */
  openApprovals(): readonly OpenApproval[] {
    return this.approvals.listOpen();
  }

  /** Why a call has not ended, in words; null: it has. */
  whyOpen(index: number): string | null {
    const phase = this.phases[index] as Phase;
    if (phase.kind === 'running') return 'is running';
    if (phase.kind === 'ready') return 'waits until another call has ended';
    if (phase.kind !== 'open') return null;
    const call = this.callAt(index);
    const paths = [...firstPaths(call.parameters), ...(call.inline === null ? [] : firstPaths(call.inline))];
    const waits = paths.flatMap((path) => {
      const lists = this.data.order.listsOf(path);
      const written = `\`†${printPath(path)}\``;
      if (areDecided(lists, call.rank)) return this.data.canGive(path) ? [`${written}, which a person gives`] : [];
      const writers = undecidedWriters(lists, call.rank).map((rank) => `call ${this.sourceAt(rank) + 1}`);
      return [`${written} of ${writers.join(' and ')}`];
    });
    return waits.length === 0
      ? 'waits for other calls that write the same'
      : `waits for ${[...new Set(waits)].join(', ')}`;
  }

  private sourceAt(rank: number): number {
    return this.callAt(this.plan.order[rank] as number).source;
  }

  get waitsForApproval(): boolean {
    return !this.approvals.isEmpty;
  }

  /** Looks at calls until none is left that something changed for. Looking at one may add others. */
  private advance(): void {
    const { inbox } = this;
    for (let at = 0; at < inbox.length; at++) this.visit(this.callAt(inbox[at] as number));
    inbox.length = 0;
  }

  private visit(call: PlanCall): void {
    const phase = this.phases[call.index] as Phase;
    const isFree = this.data.order.isFree(call);
    if (phase.kind === 'open' && isFree) this.consider(call);
    else if (phase.kind === 'open') this.considerEarly(call);
    // A call may be listed more than once, and early: invariant 3 holds only for one that waits for nothing.
    else if (phase.kind === 'settled' && isFree) this.writeResult(call, phase);
  }

  /** Registers what the call waits for first. Later `consider` finds out whether it waits for more. */
  private admit(call: PlanCall): void {
    const { order } = this.data;
    const satisfied = this.data.findSatisfiedArm(call);
    if (satisfied !== null) {
      this.decide(call, { status: 'satisfied', arm: satisfied, reason: null, error: null });
      return;
    }
    const paths = firstPaths(call.parameters);
    if (call.inline !== null) paths.push(...firstPaths(call.inline));
    // Other calls may have written all that this one could. It does not run then, so it waits for them too.
    const mayBeSuperseded =
      call.method === null &&
      order.hasRivals(call) &&
      call.arms.every((arm) => arm.some((path) => this.isRival(call, path)));
    if (mayBeSuperseded) paths.push(...call.arms.flat());
    order.waitFor(call, order.listsOfAll(paths));
    this.queueIfFree(call);
  }

  /** Whether calls of lower rank may write there. */
  private isRival({ rank }: PlanCall, path: PlanPath): boolean {
    return this.data.order.listsOf(path).some((list) => countBefore(list, rank) > 0);
  }

  private queueIfFree(call: PlanCall): void {
    if (this.data.order.isFree(call)) this.inbox.push(call.index);
  }

  /** Decides what is next for an open call that waits for no list: to run, never to run, or to wait for more. */
  private consider(call: PlanCall): void {
    const resolved = this.resolve(call);
    switch (resolved.kind) {
      case 'pending':
        // The first alternatives are ruled out, and the next ones are not decided yet.
        this.data.order.waitFor(call, resolved.lists);
        return;
      case 'waiting':
        this.approvals.waitFor(resolved.approvals, call.index);
        return;
      case 'out':
        this.ruleOut(call, resolved);
        return;
      case 'value':
        this.makeReady(call, resolved.value);
        return;
      default:
        unreachable(resolved);
    }
  }

  /** The call still waits, but it may read an arm that was not taken: then it can never run. */
  private considerEarly(call: PlanCall): void {
    const resolved = this.resolve(call);
    if (resolved.kind === 'out' && resolved.reason === 'branch') this.ruleOut(call, resolved);
  }

  /** `value`: the parameters; of a call with an inline value a pair of both. */
  private makeReady(call: PlanCall, value: Json): void {
    if (this.data.isSuperseded(call)) {
      this.decide(call, supersededRecord(null));
      return;
    }
    if (call.inline !== null) {
      const [, inline] = value as [Json, Json];
      this.keepResult(call, call.arms.length === 0 ? -1 : 0, inline);
      return;
    }
    this.phases[call.index] = { kind: 'ready', parameters: value as StartedCall['parameters'] };
    this.ready.push(call.index);
  }

  private start(index: number): StartedCall {
    const phase = this.phases[index];
    if (phase?.kind !== 'ready') throw new Error(`call ${index} is not ready`);
    this.phases[index] = RUNNING;
    this.running++;
    return { call: this.callAt(index), parameters: phase.parameters };
  }

  /**
   * Nothing runs and nothing is ready, so only people can decide the rest. Calls that could not run even then are decided
   * now, so that a person is not asked in vain; calls that lack nothing but undecided values stay open, and so do denied
   * ones: what such a call writes must not depend on when people answer, and it may still read an arm that is not taken.
   * Returns whether other calls are ready because of that.
   */
  private ruleOutAtRest(): boolean {
    for (const index of this.plan.order) {
      if (this.phases[index]?.kind !== 'open') continue;
      const call = this.callAt(index);
      const resolved = this.resolve(call, { isAtRest: true });
      if (resolved.kind === 'out' && resolved.reason !== 'denied') this.ruleOut(call, resolved);
    }
    this.advance();
    return this.ready.size > 0;
  }

  /** The parameters of the call, and its inline value if it has one. */
  private resolve(call: PlanCall, { isAtRest = false } = {}): ResolvedParameter {
    const lookup = (read: PathRead): ResolvedParameter => this.lookup(call, read, isAtRest);
    if (call.inline === null) return resolveParameter(call.parameters, lookup);
    return resolveParameter({ op: 'list', items: [call.parameters, call.inline] }, lookup);
  }

  /** `isAtRest`: what is undecided waits for a person in the end, so it counts as an approval does. */
  private lookup(call: PlanCall, { path, gate: isApproval }: PathRead, isAtRest: boolean): ResolvedParameter {
    const { data } = this;
    const { rank } = call;
    const lists = data.order.listsOf(path);
    if (!areDecided(lists, rank)) return isAtRest ? { kind: 'waiting', approvals: [] } : { kind: 'pending', lists };
    const value = data.read(path, rank, lists);
    if (value === undefined && !isApproval) return { kind: 'out', reason: data.absenceReason(path, rank, lists), path };
    if (value === undefined)
      return data.canGive(path) ? { kind: 'waiting', approvals: [path] } : { kind: 'out', reason: 'unresolved', path };
    const isDenied = isApproval && this.bindingOf(call)?.gate !== 'value' && this.denies(path, value);
    return isDenied ? { kind: 'out', reason: 'denied', path } : { kind: 'value', value };
  }

  /** Answers were checked when people gave them. Of other values that the path may have, only `true` approves. */
  private denies(path: PlanPath, value: Json): boolean {
    const { unknown } = this.options;
    if (unknown !== undefined && unknown !== null) return unknown.isFalse(value);
    return this.approvals.isAnswered(path) ? value === false : value !== true;
  }

  /** Decides a call that can never run with its parameters. */
  private ruleOut(call: PlanCall, { reason, path }: ResolvedParameter & { readonly kind: 'out' }): void {
    switch (reason) {
      case 'unresolved': {
        const message = this.data.describeAbsence(path as PlanPath, call.rank);
        this.decide(call, { ...failedRecord(reason, message), reason });
        return;
      }
      case 'denied':
        this.deny(call, path as PlanPath);
        return;
      case 'failed':
        this.decide(call, { status: 'blocked', arm: null, reason, error: null });
        return;
      case 'branch':
      case 'missing':
        this.decide(call, { status: 'skipped', arm: null, reason, error: null });
        return;
      default:
        unreachable(reason);
    }
  }

  /** A denied call does not run, and takes the arm that it has for failures. */
  private deny(call: PlanCall, path: PlanPath): void {
    const by = this.approvals.answeredBy(path);
    const value = this.data.read(path, call.rank);
    const isAnswer = value === false || this.approvals.isAnswered(path);
    const message = isAnswer
      ? `\`${nameInDocument(path)}\` was denied${by === undefined ? '' : ` by ${by}`}`
      : `\`${nameInDocument(path)}\` is neither \`true\`, which approves, nor \`false\`, which denies`;
    const error = { code: 'denied', message };
    const choice = chooseArm(call, this.bindingOf(call), { kind: 'failure', ...error });
    const record = { status: 'denied', arm: choice.arm, reason: 'denied', error } as const;
    if (choice.arm === null) this.decide(call, record);
    else this.keepResult(call, choice.arm, choice.value, record);
  }

  /** Keeps a result until its turn to be written: invariant 3. */
  private keepResult(call: PlanCall, arm: number, value: Json, record: CallRecord | null = null): void {
    const { order } = this.data;
    this.phases[call.index] = { kind: 'settled', arm, value, record };
    order.waitFor(call, order.listsOfAll(order.hasRivals(call) ? (call.arms[arm] ?? []) : []));
    this.queueIfFree(call);
  }

  private writeResult(call: PlanCall, { arm, value, record }: Phase & { readonly kind: 'settled' }): void {
    const result = this.data.write(call, arm, value);
    if (result === 'written') this.decide(call, record ?? doneRecord(arm));
    else if (result === 'superseded') this.decide(call, supersededRecord(arm));
    else this.decide(call, failedRecord('bad_value', result.refused));
  }

  private decide(call: PlanCall, record: CallRecord): void {
    this.phases[call.index] = DECIDED;
    for (const index of this.data.decide(call, record)) this.inbox.push(index);
  }

  private callAt(index: number): PlanCall {
    return this.plan.calls[index] as PlanCall;
  }

  private bindingOf({ tool }: PlanCall): ToolBinding | null {
    return tool === null ? null : (this.plan.tools[tool] ?? null);
  }
}
