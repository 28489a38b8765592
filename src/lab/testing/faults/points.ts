/**
 * The faults of a test: where its run is cut, which effects fail, and what ends in another order; and the world of a run with
 * one of them, in which everything else is as it was without it.
 */
import type { Outcome, RunEvent } from '../../../interpreter/events/event.js';
import { threadOf } from '../../../interpreter/events/facts.js';
import type { EffectContext, Effects, PerformedRequest } from '../../../runtime/effect-context.js';
import { endAsRecorded, pretendedWorld } from '../../../runtime/pretended-world.js';
import type { VirtualTime } from '../../../runtime/virtual-time.js';
import { callOf, type TestWorld } from '../test-world.js';
import { isProcess, keyOf, type PerformedEntry, type ReferenceRun } from './reference-run.js';

export const FAULT_KINDS = ['crash', 'fail', 'late', 'twice'] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

export interface FaultPoint {
  readonly kind: FaultKind;
  /** As `--fault` takes it: `crash@31`, `fail@12:timeout`. */
  readonly name: string;
  /** How many events are on record when the run is cut; null: it is not. */
  readonly cut: number | null;
  /** The request of `twice`, which was performed before the cut. */
  readonly performed: PerformedEntry | null;
  readonly changes: ReadonlyMap<PerformedEntry, FaultChange>;
  /** What happens, as a clause. */
  readonly what: string;
}

export function pointsOf(reference: ReferenceRun, kinds: ReadonlySet<FaultKind>): FaultPoint[] {
  const points: FaultPoint[] = [];
  if (kinds.has('crash')) points.push(...crashes(reference));
  if (kinds.has('fail')) points.push(...failures(reference));
  if (kinds.has('late')) points.push(...timersFirst(reference), ...swaps(reference));
  if (kinds.has('twice')) points.push(...repetitions(reference));
  return points;
}

/** A fault that cuts no run, and changes nothing unless `more` says it. */
function faultPoint(kind: FaultKind, where: string, what: string, more: Partial<FaultPoint>): FaultPoint {
  return { kind, name: `${kind}@${where}`, what, cut: null, performed: null, changes: new Map(), ...more };
}

/** After each event but the last. */
function crashes({ events }: ReferenceRun): FaultPoint[] {
  return events
    .slice(0, -1)
    .map((event, at) => faultPoint('crash', `${at + 1}`, `a crash after ${eventName(event)}`, { cut: at + 1 }));
}

function eventName(event: RunEvent): string {
  if (event.type === 'effect_requested') return `the request of \`${event.text}\` (line ${event.line})`;
  if (event.type === 'state_entered') return `entering ${event.state}`;
  return `\`${event.type}\``;
}

type FailureWay = 'exit' | 'nothing' | 'agent' | 'tool' | 'function' | 'timeout';

const CLAUSES: Readonly<Record<FailureWay, string>> = {
  exit: 'fails with an exit code',
  nothing: 'prints nothing',
  agent: 'reports a failure',
  tool: 'reports a failure',
  function: 'fails',
  timeout: 'times out',
};

/** Each effect fails once in each way that it can. */
function failures(reference: ReferenceRun): FaultPoint[] {
  return reference.performed.flatMap((entry) => {
    const { request, outcome } = entry;
    if (!isProcess(request) || outcome === null) return [];
    return waysToFail(entry).map(({ way, outcome: failed }) =>
      faultPoint('fail', `${eventOf(reference, entry)}:${way}`, `${nameOf(entry)} ${CLAUSES[way]}`, {
        changes: new Map([[entry, { outcome: failed }]]),
      }),
    );
  });
}

function waysToFail({ request, outcome }: PerformedEntry): { readonly way: FailureWay; readonly outcome: Outcome }[] {
  if (!isProcess(request)) return [];
  const ways: { readonly way: FailureWay; readonly outcome: Outcome }[] = [];
  const output = { stdout: { text: '', bytes: 0 }, stderr: 'a fault', duration_ms: 0 };
  const { kind, ok = [0], timeoutMs: limit, idleMs } = request;
  const timeoutMs = limit ?? idleMs ?? null;
  const exited = outcome?.kind === 'exited' ? outcome : null;
  const hasFailed = exited === null ? outcome?.kind === 'failed' : ok !== 'any' && !ok.includes(exited.exit ?? -1);
  if (kind === 'shell' || kind === 'argv') {
    // The exit code of a CHECK is data, but it has to print something.
    if (ok === 'any') {
      if (exited?.stdout.bytes !== 0) ways.push({ way: 'nothing', outcome: { kind: 'exited', exit: 1, ...output } });
    } else if (!hasFailed) ways.push({ way: 'exit', outcome: { kind: 'exited', exit: otherThan(ok), ...output } });
  } else if (!hasFailed)
    // Without an `error_type`, it is a failure that the agent or the tool reports itself.
    ways.push({ way: kind, outcome: { kind: 'failed', message: 'a fault' } });
  if (timeoutMs !== null && outcome?.kind !== 'timed-out')
    ways.push({ way: 'timeout', outcome: { kind: 'timed-out', timeout_ms: timeoutMs, ...output } });
  return ways;
}

function otherThan(codes: readonly number[]): number {
  let code = 1;
  while (codes.includes(code)) code++;
  return code;
}

/** Each timer ends before everything else that was open. */
function timersFirst(reference: ReferenceRun): FaultPoint[] {
  return reference.performed.flatMap((entry) => {
    const { request, requestedAt, endedAt } = entry;
    const others = openDuring(reference, entry);
    if (request.kind !== 'timer' || others.length === 0) return [];
    const ended = endedAt < Number.POSITIVE_INFINITY ? {} : { outcome: timerEnd(requestedAt) };
    return faultPoint('late', `${eventOf(reference, entry)}`, 'a timer ends first', {
      changes: new Map([[entry, { endedAt: requestedAt, rank: -1, ...ended }]]),
    });
  });
}

const timerEnd = (value: number): Outcome => ({ kind: 'value', value });

/** Of two effects that are open at the same time and end one after the other, the second ends first. */
function swaps(reference: ReferenceRun): FaultPoint[] {
  const ended = reference.performed
    .filter(({ outcome, request }) => outcome !== null && (isProcess(request) || request.kind === 'timer'))
    .sort((one, other) => one.rank - other.rank);
  return ended.flatMap((second, at) => {
    const first = ended[at - 1];
    if (first === undefined || !isOpenWhen(second, first)) return [];
    const where = `${eventOf(reference, first)}+${eventOf(reference, second)}`;
    return faultPoint('late', where, `${nameOf(second)} ends before ${nameOf(first)}`, {
      changes: new Map([[second, { endedAt: first.endedAt, rank: first.rank - 0.5 }]]),
    });
  });
}

function nameOf({ request }: PerformedEntry): string {
  return 'text' in request && 'line' in request ? `\`${request.text}\` (line ${request.line})` : 'a timer';
}

/** Each process is performed, and its outcome is lost. */
function repetitions({ ends }: ReferenceRun): FaultPoint[] {
  return [...ends].flatMap(([entry, seq]) => {
    if (!isProcess(entry.request) || entry.outcome === null) return [];
    const what = `a crash after ${nameOf(entry)}, before its outcome is on record`;
    return faultPoint('twice', `${seq}`, what, { cut: seq - 1, performed: entry });
  });
}

function openDuring({ performed }: ReferenceRun, timer: PerformedEntry): PerformedEntry[] {
  return performed.filter((one) => one !== timer && isOpenWhen(one, timer) && one.request.kind !== 'clock');
}

/** Whether a request was open when another one ended, or was made while that one was open. */
function isOpenWhen(one: PerformedEntry, ended: PerformedEntry): boolean {
  if (one.requestedAfter > ended.requestedAfter && ended.rank > 0 && one.requestedAt > ended.endedAt) return false;
  const startedBefore = one.requestedAt <= ended.endedAt;
  const endedAfter = one.rank === 0 || ended.rank === 0 || one.rank > ended.rank;
  return startedBefore && endedAfter && isBranchOfAnother(one, ended);
}

/** Effects of one thread follow each other, except a timer with what it bounds. */
function isBranchOfAnother(one: PerformedEntry, other: PerformedEntry): boolean {
  return (
    threadOf(one.request.effect) !== threadOf(other.request.effect) ||
    [one, other].some(({ request }) => request.kind === 'timer' && request.bounds !== undefined)
  );
}

/** The number of the event of a request. */
function eventOf({ events }: ReferenceRun, { request }: PerformedEntry): number {
  let index = numbers.get(events);
  if (index === undefined) {
    index = new Map();
    for (const [at, event] of events.entries()) {
      if (event.type === 'timer_set') index.set(event.effect, at + 1);
      else if (event.type === 'effect_requested') index.set(`${event.effect} ${event.attempt}`, at + 1);
    }
    numbers.set(events, index);
  }
  const { effect, attempt } = request;
  return index.get(`${effect} ${attempt}`) ?? index.get(effect) ?? 0;
}

const numbers = new WeakMap<readonly RunEvent[], Map<string, number>>();

/** What is different from the reference. Members that are left out are as they were. */
interface FaultChange {
  readonly outcome?: Outcome;
  readonly endedAt?: number;
  readonly rank?: number;
}

interface FaultRecordOptions {
  readonly performed: readonly PerformedEntry[];
  /** Those with an outcome on record. */
  readonly settled: ReadonlySet<PerformedEntry>;
  readonly changes: ReadonlyMap<PerformedEntry, FaultChange>;
  /** Answers what the reference did not ask for. */
  readonly others: TestWorld;
  readonly time: VirtualTime;
  /** A request that was made again is not as it was. */
  readonly onOther?: () => void;
}

/** The record of the run without a fault, read for one with it: each request gets what it got then, at the same time and in the same order. */
export class FaultRecord {
  readonly world: Effects;
  /** Requests that were made although their outcome was on record. */
  readonly repeated: PerformedRequest[] = [];
  private readonly left = new Map<string, PerformedEntry[]>();
  private readonly settled = new Set<string>();
  /** Requests that were answered without the others, which do not know it yet. */
  private readonly played: PerformedRequest[] = [];

  constructor(private readonly options: FaultRecordOptions) {
    this.world = pretendedWorld({
      recall: (request, context) => this.giveRecorded(request, context),
      ...{ clock: null, chance: null, answer: () => null },
      others: { perform: (request, context) => this.performOther(request, context) },
    });
    for (const entry of options.performed) {
      const key = keyOf(entry.request);
      if (options.settled.has(entry)) {
        this.settled.add(key);
        this.played.push(entry.request);
        continue;
      }
      const list = this.left.get(key);
      if (list === undefined) this.left.set(key, [entry]);
      else list.push(entry);
    }
  }

  private giveRecorded(request: PerformedRequest, context: EffectContext): Outcome | Promise<Outcome> | null {
    const key = keyOf(request);
    const entry = this.left.get(key)?.shift();
    if (entry === undefined && this.settled.has(key) && isProcess(request)) this.repeated.push(request);
    if (entry === undefined || !isSame(entry.request, request)) return null;
    this.played.push(entry.request);
    if (isProcess(request)) this.options.others.calls.push(callOf(request));
    if (!hasSameTime(entry.request, request)) this.options.onOther?.();
    return this.play(entry, context);
  }

  private performOther(request: PerformedRequest, context: EffectContext): Outcome | Promise<Outcome> {
    const { others } = this.options;
    for (const one of this.played.splice(0)) others.consume(one);
    return others.perform(request, context);
  }

  private play(entry: PerformedEntry, { stop }: EffectContext): Outcome | Promise<Outcome> {
    const { time, changes } = this.options;
    const { outcome, endedAt, rank } = { ...entry, ...changes.get(entry) };
    const { request } = entry;
    if (request.kind === 'timer') {
      const until = Math.min(endedAt, outcome === null ? (request.until ?? endedAt) : endedAt);
      return time.sleep(until, stop, rank).then(() => ({ kind: 'value', value: Math.max(time.now, until) }));
    }
    // What takes no time.
    if (request.kind === 'clock' || request.kind === 'uuid' || request.kind === 'random')
      return outcome ?? { kind: 'value', value: null };
    return endAsRecorded({ outcome, endedAt, rank }, time, stop);
  }
}

/** A timer that no event ends has to have the same point in time. */
function hasSameTime(one: PerformedRequest, other: PerformedRequest): boolean {
  return one.kind !== 'timer' || other.kind !== 'timer' || one.until === other.until;
}

/** After another end of an effect, the next one with its number may be a different one. */
function isSame(one: PerformedRequest, other: PerformedRequest): boolean {
  if (!('text' in one) || !('text' in other)) return true;
  if (one.kind === 'schema' || other.kind === 'schema') return one.text === other.text;
  return one.text === other.text && one.line === other.line;
}
