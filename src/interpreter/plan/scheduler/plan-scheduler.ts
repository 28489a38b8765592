/**
 * Runs the calls of a plan: says which may start, takes their outcomes, and knows what became of each. Who calls the
 * tools is none of its business. A call reads what the calls before it by rank have written, also when others were
 * faster, and results are written in that order wherever they meet; so the outcome is that of one call after another.
 */

import type { Json } from '../../../machine/expression.js';
import type { Plan, PlanCall, PlanPath, Read, ToolBinding } from '../../../machine/plan.js';
import { unreachable } from '../../../prelude/unreachable.js';
import { DataTree } from '../../values/data-tree.js';
import { describeMissing, reasonOf, type Writer, writtenName } from './absence.js';
import { Approvals, type OpenApproval } from './approvals.js';
import { DONE, done, failed, OPEN, type Phase, READY, RUNNING, superseded, untakenPaths } from './call-phase.js';
import { CallQueue } from './call-queue.js';
import { type CallRecord, isFailure, type SchedulerOptions, type StartedCall } from './call-record.js';
import { armOf, type PlanOutcome } from './plan-outcome.js';
import { filled, firstPaths, type Resolved, resolveParameter } from './resolve-parameter.js';
import { openPaths, writeAgain, writeAll } from './write-arm.js';
import { countBefore, NONE, ranksBefore, union, WriteOrder, type WriterList } from './write-order.js';

/** Calls that wait for more than this are looked at once they wait for nothing, so that it takes no square of time. */
const MOST_EARLY = 1000;

export class PlanScheduler {
  private readonly data: DataTree;
  /** What was there before any call, and what people gave since. */
  private given: Json;
  private readonly approvals = new Approvals();
  /** Gates that were met while parameters were looked up. */
  private met: PlanPath[] = [];
  /** Where the call that was decided last would have written if it had taken another arm. */
  private untaken = NONE;
  /** What has to be decided before the parameters that were looked up are known. */
  private further = NONE;
  private readonly log: WriteOrder;
  private readonly phases: Phase[];
  /** How many lists each call still waits for. */
  private readonly awaited: Int32Array;
  /** 1 for calls that write where calls before them may write. */
  private readonly contested: Uint8Array;
  private readonly parameters: (StartedCall['parameters'] | null)[];
  readonly values: (Json | null)[];
  private readonly ready = new CallQueue();
  private readonly released: number[] = [];
  private running = 0;
  /** Nothing runs any more: what is undecided now waits for a person. */
  private quiet = false;

  constructor(
    private readonly plan: Plan,
    private readonly options: SchedulerOptions,
  ) {
    const { calls, order } = plan;
    this.given = options.given ?? plan.given;
    this.data = new DataTree(this.given);
    this.log = new WriteOrder(calls, order, this.given);
    this.phases = calls.map(() => OPEN);
    this.awaited = new Int32Array(calls.length);
    this.contested = new Uint8Array(calls.length);
    this.parameters = calls.map(() => null);
    this.values = calls.map(() => null);
    for (const index of order) this.begin(calls[index] as PlanCall);
    this.drain();
  }

  /** The calls that start now, in the order of the plan. Nothing is left to do when none start and none run. */
  next(): StartedCall[] {
    const started: StartedCall[] = [];
    const most = this.plan.max ?? this.options.limit;
    for (;;) {
      while (this.running < most && this.ready.size > 0) {
        const call = this.plan.calls[this.ready.pop() as number] as PlanCall;
        this.phases[call.index] = RUNNING;
        this.running++;
        started.push({ call, parameters: this.parameters[call.index] ?? {} });
      }
      if (this.running > 0 || !this.settleQuiet()) return started;
    }
  }

  /** Takes the outcome of a call that runs. */
  settle(index: number, outcome: PlanOutcome): void {
    const call = this.plan.calls[index];
    if (call === undefined || this.phases[index]?.kind !== 'running') throw new Error(`call ${index} does not run`);
    this.running--;
    const taken = armOf(call, this.bindingOf(call), outcome);
    if (taken.arm === null) this.decide(call, failed(taken.code, taken.message));
    else this.keep(call, taken.arm, taken.value);
    this.drain();
  }

  /** Calls that were started and have no outcome. */
  get active(): number {
    return this.running;
  }

  /** What people have to open before more can be decided. */
  openApprovals(): readonly OpenApproval[] {
    return this.approvals.approve();
  }

  /** A person gives a gate its value: from now on it is as if it had been there from the beginning. */
  open(path: PlanPath, value: Json, by?: string): void {
    if (this.hasPlace(path)) {
      this.data.write(path, value, null);
      this.approvals.answered = true;
      const given = new DataTree(this.given);
      given.write(path, value, null);
      this.given = given.read([]) as Json;
      this.options.wrote?.(path, value, null);
    }
    this.released.push(...this.approvals.answer(path, by));
    this.drain();
  }

  /** What became of each call. Those that are not decided wait. */
  records(): CallRecord[] {
    return this.plan.calls.map(({ index, arms, method }) => {
      const phase = this.phases[index] as Phase;
      if (phase.kind !== 'decided') return { status: 'waiting', arm: null, reason: 'waiting', error: null };
      const { record } = phase;
      const lacks = isFailure(record) && method === null;
      const filled = lacks && arms.some((paths) => paths.every((path) => this.data.has(path)));
      return filled ? { ...record, recovered: true } : record;
    });
  }

  /** All data by kind. */
  state(): Json {
    return this.data.read([]) as Json;
  }

  /** All data of one kind; of instances each one's. */
  kind(name: string): Json {
    return this.data.read([name]) ?? this.data.read(['instance']) ?? {};
  }

  /** The plan's `output`, with null for everything that is not there. */
  output(): Json {
    return this.plan.output === null ? null : filled(this.plan.output, (path) => this.data.read(path));
  }

  private begin(call: PlanCall): void {
    const there =
      call.method === null ? call.arms.findIndex((paths) => paths.every((path) => this.data.has(path))) : -1;
    if (there >= 0) {
      for (const path of call.arms[there] ?? []) this.options.found?.(path);
      this.decide(call, { status: 'satisfied', arm: there, reason: null, error: null });
      return;
    }
    let lists: readonly WriterList[] = NONE;
    const wait = ({ path }: { readonly path: PlanPath }): void => {
      lists = union(lists, this.log.overlapping(path));
    };
    firstPaths(call.parameters, wait);
    if (call.inline !== null) firstPaths(call.inline, wait);
    if (this.log.hasRivals(call.rank)) {
      this.contested[call.index] = 1;
      // Another call may have written all that this one could: then it does not run.
      if (call.method === null && call.arms.every((paths) => paths.some((path) => this.isRival(path, call))))
        for (const paths of call.arms) lists = this.listsOf(paths, lists);
    }
    this.waitFor(call, lists);
  }

  /** Whether calls before it may write there. */
  private isRival(path: PlanPath, { rank }: PlanCall): boolean {
    return this.log.overlapping(path).some((list) => countBefore(list, rank) > 0);
  }

  private listsOf(paths: readonly PlanPath[], others: readonly WriterList[]): readonly WriterList[] {
    let lists = others;
    for (const path of paths) lists = union(lists, this.log.overlapping(path));
    return lists;
  }

  /** Releases the call at once when it has to wait for nothing. */
  private waitFor(call: PlanCall, lists: readonly WriterList[]): void {
    let count = 0;
    for (const list of lists) {
      const before = countBefore(list, call.rank);
      if (list.decided >= before) continue;
      count++;
      list.waiting ??= new Array(list.ranks.length + 1);
      const waiting = list.waiting[before];
      if (waiting === undefined) list.waiting[before] = [call.index];
      else waiting.push(call.index);
    }
    this.awaited[call.index] = count;
    if (count === 0) this.released.push(call.index);
  }

  private drain(): void {
    const { released } = this;
    for (let at = 0; at < released.length; at++) {
      const index = released[at] as number;
      const call = this.plan.calls[index] as PlanCall;
      const phase = this.phases[index] as Phase;
      if (phase.kind === 'open' && this.awaited[index] === 0) this.consider(call);
      else if (phase.kind === 'open') this.considerEarly(call);
      else if (phase.kind === 'settled') this.write(call, phase);
    }
    released.length = 0;
  }

  /** The calls before it are decided where it reads: it is ready, or will never run, or waits for more. */
  private consider(call: PlanCall): void {
    this.further = NONE;
    this.met = [];
    const resolved = this.resolve(call);
    if (resolved.kind === 'pending') {
      if (!this.quiet) this.waitFor(call, this.further);
      return;
    }
    if (resolved.kind === 'out') {
      if (resolved.reason !== 'waiting') this.ruleOut(call, resolved);
      else if (!this.quiet) this.approvals.waitFor(this.met, call.index);
      return;
    }
    // Now that nothing runs, only what can never run is decided: others wait on for what comes before them.
    if (this.quiet) return;
    if (this.isSuperseded(call)) {
      this.decide(call, superseded(null));
      return;
    }
    if (call.inline !== null) {
      const [, value] = resolved.value as [Json, Json];
      this.keep(call, call.arms.length === 0 ? -1 : 0, value);
      return;
    }
    this.parameters[call.index] = resolved.value as StartedCall['parameters'];
    this.phases[call.index] = READY;
    this.ready.push(call.index);
  }

  /** One of the arms that it reads was not taken, which settles it whatever else it waits for. */
  private considerEarly(call: PlanCall): void {
    const resolved = this.resolve(call);
    if (resolved.kind === 'out' && resolved.reason === 'branch') this.ruleOut(call, resolved);
  }

  /** The call never runs with its parameters. */
  private ruleOut(call: PlanCall, { reason, path }: Resolved & { readonly kind: 'out' }): void {
    switch (reason) {
      case 'unresolved':
        this.decide(call, {
          ...failed(
            reason,
            describeMissing(path as PlanPath, (part) => this.at(part, call.rank)),
          ),
          reason,
        });
        return;
      case 'denied':
        this.deny(call, path as PlanPath);
        return;
      case 'failed':
        this.decide(call, { status: 'blocked', arm: null, reason, error: null });
        return;
      case 'branch':
      case 'missing':
      case 'waiting':
        this.decide(call, { status: 'skipped', arm: null, reason, error: null });
        return;
      default:
        unreachable(reason);
    }
  }

  /** A denied call does not run; the arm that it has for failures is taken all the same. */
  private deny(call: PlanCall, path: PlanPath): void {
    const by = this.approvals.by(path);
    const error = {
      code: 'denied',
      message: `\`${writtenName(path)}\` was denied${by === undefined ? '' : ` by ${by}`}`,
    };
    const taken = armOf(call, this.bindingOf(call), { kind: 'failure', ...error });
    const record = { status: 'denied', arm: taken.arm, reason: 'denied', error } as const;
    if (taken.arm === null) this.decide(call, record);
    else this.keep(call, taken.arm, taken.value, record);
  }

  private bindingOf({ tool }: PlanCall): ToolBinding | null {
    return tool === null ? null : (this.plan.tools[tool] ?? null);
  }

  /** Whether all that it could write has come to be there since the beginning. */
  private isSuperseded({ index, method, arms, rank }: PlanCall): boolean {
    if (method !== null || arms.length === 0 || (this.contested[index] === 0 && !this.approvals.answered)) return false;
    return arms.every((paths) => paths.every((path) => this.at(path, rank) !== undefined));
  }

  private resolve(call: PlanCall): Resolved {
    const takesDenial = this.bindingOf(call)?.gate === 'value';
    const lookup = (read: Read & { readonly op: 'path' }): Resolved => {
      const found = this.lookup(read, call.rank);
      const isDenied = read.gate && found.kind === 'value' && found.value === false && !takesDenial;
      return isDenied ? { kind: 'out', reason: 'denied', path: read.path } : found;
    };
    if (call.inline === null) return resolveParameter(call.parameters, lookup);
    return resolveParameter({ op: 'list', items: [call.parameters, call.inline] }, lookup);
  }

  private lookup({ path, gate }: Read & { readonly op: 'path' }, rank: number): Resolved {
    const lists = this.log.overlapping(path);
    if (lists.some((list) => list.decided < countBefore(list, rank))) {
      if (this.quiet) return { kind: 'out', reason: 'waiting', path };
      this.further = union(this.further, lists);
      return { kind: 'pending' };
    }
    const value = this.at(path, rank, lists);
    if (value !== undefined) return { kind: 'value', value };
    if (!gate) return { kind: 'out', reason: reasonOf(path, this.writersBefore(lists, rank), this.given), path };
    // What was given to a gate around it may leave no place for this one.
    if (!this.hasPlace(path)) return { kind: 'out', reason: 'unresolved', path };
    this.met.push(path);
    return { kind: 'out', reason: 'waiting', path };
  }

  private hasPlace(gate: PlanPath): boolean {
    return this.data.refusal(gate, null, null) === null;
  }

  /** The value as the calls before this rank have left it. */
  private at(path: PlanPath, rank: number, lists = this.log.overlapping(path)): Json | undefined {
    if (lists.every((list) => list.written < rank)) return this.data.read(path);
    const before = new DataTree(this.given);
    for (const { call, record } of this.writersBefore(lists, rank))
      writeAgain(before, call, record, this.values[call.index] ?? null);
    return before.read(path);
  }

  /** The decided calls before this rank that may write there, in their order. */
  private writersBefore(lists: readonly WriterList[], rank: number): Writer[] {
    return ranksBefore(lists, rank).flatMap((one) => {
      const call = this.plan.calls[this.plan.order[one] as number] as PlanCall;
      const record = this.recordOf(call.index);
      return record === null ? [] : [{ call, record }];
    });
  }

  /** Keeps a result until the calls before are decided where they write the same. */
  private keep(call: PlanCall, arm: number, value: Json, record: CallRecord | null = null): void {
    this.phases[call.index] = { kind: 'settled', arm, value, record };
    this.waitFor(call, this.contested[call.index] === 0 ? NONE : this.listsOf(call.arms[arm] ?? [], NONE));
  }

  private write(call: PlanCall, { arm, value, record }: Phase & { readonly kind: 'settled' }): void {
    const paths = openPaths(this.data, call, arm);
    if (arm >= 0 && paths.length === 0 && call.method === null) {
      this.decide(call, superseded(arm));
      return;
    }
    const refusal = writeAll(this.data, paths, value, call.method);
    if (refusal !== null) {
      this.decide(call, failed('bad_value', refusal));
      return;
    }
    const { wrote } = this.options;
    if (wrote !== undefined) for (const path of paths) wrote(path, value, call.method);
    this.values[call.index] = value;
    if (arm >= 0) this.log.wrote(call.rank);
    this.decide(call, record ?? (arm === 0 ? DONE.record : done(arm < 0 ? null : arm)));
  }

  private decide(call: PlanCall, record: CallRecord): void {
    this.phases[call.index] = record === DONE.record ? DONE : { kind: 'decided', record };
    this.untaken = this.listsOf(untakenPaths(call, record), NONE);
    this.log.decide(call.rank, this.isDecided, this.release);
  }

  private readonly isDecided = (rank: number): boolean =>
    this.phases[this.plan.order[rank] as number]?.kind === 'decided';

  /** The call waits for one list less; it need not wait for the others where it may read an arm that was not taken. */
  private readonly release = (call: number, list: WriterList): void => {
    const left = (this.awaited[call] as number) - 1;
    this.awaited[call] = left;
    if (left === 0 || (left < MOST_EARLY && this.untaken.includes(list))) this.released.push(call);
  };

  private recordOf(index: number): CallRecord | null {
    const phase = this.phases[index] as Phase;
    return phase.kind === 'decided' ? phase.record : null;
  }

  /** Calls that wait for a person and could not run even then are decided; true when that lets others start. */
  private settleQuiet(): boolean {
    this.quiet = true;
    for (const index of this.plan.order) {
      if (this.phases[index]?.kind === 'open') this.consider(this.plan.calls[index] as PlanCall);
    }
    this.quiet = false;
    this.drain();
    return this.ready.size > 0;
  }
}
