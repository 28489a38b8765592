/**
 * The data of one plan under way, as each of its calls sees it, and what became of each call.
 *
 * 1. A call sees what calls of lower rank wrote, and never what others wrote, even if they were faster.
 * 2. A record that is set stays. A value that was read stays, because the tree copies before it changes it.
 * 3. What a person gives counts as given from the beginning: every call sees it.
 */
import type { Json } from '../../../machine/expression.js';
import type { OutputMethod, Plan, PlanCall, PlanPath } from '../../../machine/plan.js';
import { printPath } from '../../../prelude/reference.js';
import { missingField, missingIndex } from '../../failure.js';
import { DataTree, type UnknownData } from '../../values/data-tree.js';
import type { Value } from '../../values/value.js';
import { type AbsenceReason, fillParameter } from './resolve-parameter.js';
import { hasLaterWrite, ranksBefore, WriteOrder, type WriterList } from './write-order.js';

/**
 * Receives the writes of a plan in addition to its own data: the only dependency of a scheduler on its surroundings.
 */
export interface DataSink {
  write(path: PlanPath, value: Json, method: OutputMethod | null): void;
  /** The path is an output of a call and had a value before. */
  note(path: PlanPath): void;
}

/** `refused`: the data has no room for the value; `why` is a clause. */
type WriteResult = 'written' | 'superseded' | { readonly refused: string };

export class PlanData {
  readonly order: WriteOrder;
  private readonly tree: DataTree;
  /** The data before any call, with what people gave since. */
  private given: Json;
  /** A person gave a value. */
  private isAmended = false;
  private readonly records: (CallRecord | null)[];
  private readonly values: (Json | null)[];

  constructor(
    private readonly plan: Plan,
    given: Json,
    private readonly sink: DataSink | null,
    private readonly unknown: UnknownData | null,
  ) {
    this.given = given;
    this.tree = new DataTree(given, unknown);
    this.order = new WriteOrder(plan.calls, plan.order, given);
    this.records = plan.calls.map(() => null);
    this.values = plan.calls.map(() => null);
  }

  /** The value as the calls below this rank left it. `lists`: those of the path. */
  read(path: PlanPath, rank: number, lists = this.order.listsOf(path)): Json | undefined {
    if (!hasLaterWrite(lists, rank)) return this.tree.read(path);
    // A later call was faster. Its write is left out by making all earlier ones again: rare, and never wrong.
    const before = new DataTree(this.given, this.unknown);
    for (const { call, record } of this.writersBefore(lists, rank))
      if (hasWritten(record))
        writeAll(before, openPaths(before, call, record.arm as number), this.values[call.index] ?? null, call.method);
    return before.read(path);
  }

  /** Why the path has no value for a call of this rank, once all calls below the rank are decided. */
  absenceReason(path: PlanPath, rank: number, lists: readonly WriterList[]): Exclude<AbsenceReason, 'waiting'> {
    const given = new DataTree(this.given, this.unknown);
    return absenceReason(path, this.writersBefore(lists, rank), (part) => given.has(part));
  }

  describeAbsence(path: PlanPath, rank: number): string {
    return describeAbsence(path, (part) => this.read(part, rank));
  }

  /** Whether a value can be written at the path of an approval: an earlier answer may leave no room for it. */
  canGive(path: PlanPath): boolean {
    return this.tree.refusal(path, null, null) === null;
  }

  /** Writes what a person gives. */
  give(path: PlanPath, value: Json): void {
    this.tree.write(path, value, null);
    const given = new DataTree(this.given, this.unknown);
    given.write(path, value, null);
    this.given = given.read([]) as Json;
    this.isAmended = true;
    this.sink?.write(path, value, null);
  }

  /** The arm of the call whose paths all had values before it, or null. Such a call does not run. */
  findSatisfiedArm({ arms, method }: PlanCall): number | null {
    const arm = method === null ? arms.findIndex((paths) => paths.every((path) => this.tree.has(path))) : -1;
    if (arm < 0) return null;
    for (const path of arms[arm] ?? []) this.sink?.note(path);
    return arm;
  }

  /** Whether every path that the call could write got a value after the beginning, from others. */
  isSuperseded(call: PlanCall): boolean {
    const { method, arms, rank } = call;
    if (method !== null || arms.length === 0 || !(this.isAmended || this.order.hasRivals(call))) return false;
    return arms.every((paths) => paths.every((path) => this.read(path, rank) !== undefined));
  }

  /** Writes the result of a call to the paths of its arm, all or none. */
  write(call: PlanCall, arm: number, value: Json): WriteResult {
    const { method, index } = call;
    const paths = openPaths(this.tree, call, arm);
    if (arm >= 0 && paths.length === 0 && method === null) return 'superseded';
    const refused = writeAll(this.tree, paths, value, method);
    if (refused !== null) return { refused };
    for (const path of paths) this.sink?.write(path, value, method);
    this.values[index] = value;
    if (arm >= 0) this.order.markWritten(call);
    return 'written';
  }

  /** Sets the record of a call. Returns the indexes of the calls that may be decidable now. */
  decide(call: PlanCall, record: CallRecord): readonly number[] {
    this.records[call.index] = record;
    return this.order.decide(call, this.order.listsOfAll(untakenPaths(call, record)));
  }

  /** What became of each call. A call without a record waits. */
  callRecords(): CallRecord[] {
    return this.plan.calls.map(({ index, arms, method }) => {
      const record = this.records[index];
      if (record === null || record === undefined)
        return { status: 'waiting', arm: null, reason: 'waiting', error: null };
      const isLost = isFailure(record) && method === null;
      const isRecovered = isLost && arms.some((paths) => paths.every((path) => this.tree.has(path)));
      return isRecovered ? { ...record, recovered: true } : record;
    });
  }

  /** The result that the call wrote, or null. */
  resultOf(index: number): Json {
    return this.values[index] ?? null;
  }

  /** All data by kind. */
  all(): Json {
    return this.tree.read([]) as Json;
  }

  /** All data of one kind; in a plan with instances that of each instance. */
  kind(name: string): Json {
    return this.tree.read([name]) ?? this.tree.read(['instance']) ?? {};
  }

  /** The plan's `output`, with null for everything that is not there. */
  output(): Json {
    return this.plan.output === null ? null : fillParameter(this.plan.output, (path) => this.tree.read(path));
  }

  /** The decided calls below this rank that may write there, in their order. */
  private writersBefore(lists: readonly WriterList[], rank: number): DecidedWriter[] {
    return ranksBefore(lists, rank).flatMap((one) => {
      const call = this.plan.calls[this.plan.order[one] as number] as PlanCall;
      const record = this.records[call.index] ?? null;
      return record === null ? [] : [{ call, record }];
    });
  }
}

function hasWritten({ status, arm }: CallRecord): boolean {
  return (status === 'done' || status === 'denied') && arm !== null;
}

/** The paths of an arm that the call writes: without a method only those without a value. */
function openPaths(tree: DataTree, { arms, method }: PlanCall, arm: number): readonly PlanPath[] {
  const paths = arms[arm] ?? [];
  return method !== null || !paths.some((path) => tree.has(path)) ? paths : paths.filter((path) => !tree.has(path));
}

/** Writes to all paths or none. Returns a clause that says why not, or null. */
function writeAll(tree: DataTree, paths: readonly PlanPath[], value: Json, method: OutputMethod | null): string | null {
  for (const path of paths) {
    const refusal = tree.refusal(path, value, method);
    if (refusal !== null) return refusal;
  }
  for (const path of paths) tree.write(path, value, method);
  return null;
}

const NO_PATHS: readonly PlanPath[] = [];

/** The paths of the arms that a decided call did not take. A call that was skipped for such an arm took none. */
function untakenPaths({ arms }: PlanCall, { arm, reason }: CallRecord): readonly PlanPath[] {
  if (reason === 'branch') return arms.flat();
  return arm === null || arms.length < 2 ? NO_PATHS : arms.flatMap((paths, at) => (at === arm ? NO_PATHS : paths));
}

/** A decided call that may write the path. */
interface DecidedWriter {
  readonly call: PlanCall;
  readonly record: CallRecord;
}

/** `given`: the data before any call. A failed writer counts most, because its result is what is missing. */
export function absenceReason(
  path: PlanPath,
  writers: readonly DecidedWriter[],
  isGiven: (part: readonly string[]) => boolean,
): Exclude<AbsenceReason, 'waiting'> {
  let found: Exclude<AbsenceReason, 'waiting'> | null = null;
  for (const { call, record } of writers) {
    const { status, arm, reason } = record;
    if (isFailure(record) || status === 'blocked') return 'failed';
    const paths = arm === null ? [] : (call.arms[arm] ?? []);
    if (paths.some((one) => one.length <= path.length && one.every((segment, i) => segment === path[i])))
      found = 'unresolved';
    else found ??= reason === null || reason === 'waiting' ? 'branch' : reason;
  }
  return found ?? (isFieldOf(path, isGiven) ? 'unresolved' : 'missing');
}

/** Whether the value is there that the path names a part of. */
function isFieldOf(path: PlanPath, isGiven: (part: readonly string[]) => boolean): boolean {
  const start = countFixedSegments(path) + 1;
  return path.length > start && isGiven(path.slice(0, start));
}

/** The segments before the first name that a document chose: the kind, and for an instance also its id. */
function countFixedSegments(path: PlanPath): number {
  return path[0] === 'instance' ? 3 : 1;
}

/** A clause that says what is there instead of the path. */
function describeAbsence(path: PlanPath, read: (part: PlanPath) => Json | undefined): string {
  for (let length = path.length - 1; length >= countFixedSegments(path); length--) {
    const outer = path.slice(0, length) as unknown as PlanPath;
    const value = read(outer);
    if (value === undefined) continue;
    const segment = path[length] as string;
    const name = nameInDocument(outer);
    return (Array.isArray(value) ? missingIndex : missingField)(name, value as Value, segment).message;
  }
  return `\`${nameInDocument(path)}\` has no value`;
}

/** The path as a document writes it. */
export function nameInDocument(path: PlanPath): string {
  return `†${printPath(path[0] === 'instance' ? (path.slice(2) as unknown as PlanPath) : path)}`;
}

/** How a call of a plan ended, or what it waits for. `denied`: a person said no to what the call reads. */
export type CallStatus = 'done' | 'failed' | 'denied' | 'skipped' | 'blocked' | 'waiting' | 'superseded' | 'satisfied';

/** What became of a call of a plan. */
export interface CallRecord {
  readonly status: CallStatus;
  /** The arm that the call took, from 0. */
  readonly arm: number | null;
  readonly reason: AbsenceReason | null;
  readonly error: { readonly code: Json; readonly message: string } | null;
  /** The call failed, and another call wrote what it should have written. */
  readonly recovered?: true;
}

/** The call has no result, and took no arm for failures. */
export function isFailure({ status, arm }: CallRecord): boolean {
  return status === 'failed' || (status === 'denied' && arm === null);
}

/** A call to make now. */
export interface StartedCall {
  readonly call: PlanCall;
  readonly parameters: { readonly [name: string]: Json };
}

/** The record of most calls, shared by all of them. */
const DONE_FIRST_ARM: CallRecord = { status: 'done', arm: 0, reason: null, error: null };

/** `arm`: -1 for a call without output paths. */
export function doneRecord(arm: number): CallRecord {
  return arm === 0 ? DONE_FIRST_ARM : { ...DONE_FIRST_ARM, arm: arm < 0 ? null : arm };
}

export function failedRecord(code: Json, message: string): CallRecord {
  return { status: 'failed', arm: null, reason: null, error: { code, message } };
}

export function supersededRecord(arm: number | null): CallRecord {
  return { status: 'superseded', arm, reason: null, error: null };
}
