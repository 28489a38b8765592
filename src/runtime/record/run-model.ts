/**
 * The one reader of records: what a run did, from its events one by one. It knows visits of states, attempts of effects,
 * steps, waits, limits, cost and active time, and what a resume took back; reports, timelines and the status of a run at an
 * event only show it. An event costs the same whether it is the tenth or the millionth.
 *
 * It has all paid work: what a resumed run repeated is in it twice, and `isUndone` or the status says so.
 */
import { agentFailed } from '../../interpreter/agents/agent-output.js';
import { costOf, isBackedOff } from '../../interpreter/control/budget.js';
import type { EffectKind, Outcome, Waiting } from '../../interpreter/events/event.js';
import { threadOf, type UndoFacts } from '../../interpreter/events/facts.js';
import {
  ActiveTime,
  countsAsEffect,
  type EndStatus,
  statusAfter,
  WORK_EFFECTS,
} from '../../interpreter/events/status-after.js';
import { addCost } from '../../interpreter/run-state/run-usage.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { OpenWaits } from './open-waits.js';
import type {
  Attempt,
  EndedRollback,
  Ending,
  EventOf,
  LimitReached,
  Recorded,
  RecordedWait,
  Requested,
  Visit,
} from './record-facts.js';
import { StepStories } from './step-stories.js';

/** How a wait ended. `left`: its branch did something else. `discarded`: it began at an event that no longer counts. */
export type WaitEnd = 'met' | 'ran-out' | 'left' | 'discarded';

/** What draws a run while its events come. */
export interface RunWatcher {
  enterState(visit: Visit): void;
  leaveState(visit: Visit, end: 'succeeded' | 'failed' | 'interrupted'): void;
  beginAttempt(attempt: Attempt): void;
  endAttempt(attempt: Attempt): void;
  beginWait(wait: RecordedWait): void;
  endWait(wait: RecordedWait, end: WaitEnd): void;
  /** Before anything is taken back. */
  resume(event: EventOf<'run_resumed'>): void;
}

interface ModelOptions {
  readonly watcher?: RunWatcher;
  /** Of which effects the attempts are kept; absent: of all. A reader that keeps few has room for a million. */
  readonly keeps?: (request: Requested) => boolean;
}

export class RunModel {
  /** The number of the last event and its time. */
  seq = 0;
  at = '';
  private atMs = 0;
  status: 'running' | EndStatus = 'running';
  machine = '';
  readonly time = new ActiveTime();
  /** How long the run was executed of which this one is a copy, in milliseconds. */
  copiedMs = 0;
  /** The run that this one was copied from, and the event with which its own execution began. */
  copy: { readonly of: string; readonly seq: number } | null = null;
  /** The program with which the run started, and those in which it was resumed, with the event from which on each is executed. */
  readonly programs: { readonly seq: number; readonly digest: string }[] = [];
  readonly visits: Visit[] = [];
  /** Attempts of commands, functions, agents and tools, in their order. */
  attempts: Attempt[] = [];
  /** Attempts of all effects that have no outcome, by effect. */
  readonly open = new Map<string, Attempt>();
  /** Those that ended. */
  waits: RecordedWait[] = [];
  limits: LimitReached[] = [];
  rollbacks: EndedRollback[] = [];
  /** The UNDOs that a rollback of the failed run would perform, in order. */
  registered: readonly UndoFacts[] = [];
  /** How often each event was emitted. */
  emitted = new Map<string, number>();
  readonly steps = new StepStories();
  private readonly openWaits = new OpenWaits();
  /** What its branch seems to have left: calls of a plan share a branch, so its own event may still come. */
  private readonly leftWaits = new Map<string, RecordedWait>();
  /** The last attempts that ended of kept effects in this state, which an event may correct. */
  private readonly lastEnded = new Map<string, Attempt>();
  /**
   * The last requests of effects that are not kept, by the event that settled them: a resume may repeat them. There are two
   * generations, because a map whose first entry is removed again and again looks for it ever longer.
   */
  private settled = new Map<number, Requested>();
  private settledBefore = new Map<number, Requested>();
  /** Effects whose attempt is repeated without counting. */
  private readonly backedOff = new Set<string>();
  /** The events that began effects, as far as they count. */
  private readonly effectSeqs: number[] = [];
  private knownCost: number | null = null;
  private hasUnknownCost = false;
  /** The run has returned or failed, and no process has continued it since. */
  isOver = false;
  private end: { readonly seq: number; readonly event: EventOf<'run_returned' | 'run_failed'> } | null = null;
  /** Who started the rollback that runs. */
  private rollingBack: string | null = null;

  constructor(private readonly options: ModelOptions = {}) {}

  take(record: Recorded): void {
    const { seq, time, event } = record;
    if (time !== this.at) this.atMs = Date.parse(time);
    const at = this.atMs;
    this.seq = seq;
    this.at = time;
    this.status = statusAfter(event) ?? 'running';
    this.steps.take(record, at);
    const added = this.time.take(at, event);
    const visit = this.visits[this.visits.length - 1];
    if (visit !== undefined) visit.activeMs += added;
    switch (event.type) {
      case 'run_started':
        this.machine = event.machine;
        this.programs.push({ seq, digest: event.digest });
        return;
      case 'state_entered':
        return this.enterState(seq, time, event);
      case 'effect_requested':
        return this.requestEffect(seq, time, at, event);
      case 'effect_settled':
        return this.settleEffect(seq, at, event);
      case 'effect_retried':
        return this.retryEffect(event);
      case 'asked': {
        const { effect, id, name, question, choices, show, deadline } = event;
        const waiting = omitUndefined({ kind: 'ask', id, name, question, choices, show, until: deadline } as const);
        return this.waitFor(seq, at, { kind: 'ask', effect, waiting, text: question, line: 0 });
      }
      case 'answered':
        return this.endWait(seq, at, event.effect);
      case 'signal_received': {
        const wait = this.openWaits.receive(event.name, event.id);
        if (wait !== null) this.closeWait(wait, seq, at, false);
        return;
      }
      case 'timer_set': {
        const { effect, until, account } = event;
        if (this.openWaits.takeDeadline(effect)) return;
        const waiting = omitUndefined({ kind: 'time', name: null, until, account } as const);
        return this.waitFor(seq, at, { kind: 'time', effect, waiting, text: 'WAIT', line: 0 });
      }
      case 'budget_exceeded':
        this.limits.push({ seq, scope: event.scope, limit: event.limit, used: event.used });
        return;
      case 'emitted':
        if (event.event !== null) this.emitted.set(event.event, (this.emitted.get(event.event) ?? 0) + 1);
        return;
      case 'run_resumed':
        return this.resumeRun(seq, time, event);
      case 'rollback_started':
        this.rollingBack = event.by;
        return;
      case 'rolled_back':
        this.rollbacks.push({ seq, at: time, by: this.rollingBack, done: event.done, failed: event.failed });
        return;
      case 'run_skipped':
        this.isOver = true;
        return;
      case 'run_failed':
        this.rollingBack = null;
        this.registered = event.undo ?? [];
        return this.endRun(seq, event);
      case 'run_returned':
        return this.endRun(seq, event);
      default:
    }
  }

  /** The visit of the state in which the run is, or was when it ended; null before the first one. */
  get visit(): Visit | null {
    return this.visits[this.visits.length - 1] ?? null;
  }

  /** The states that were entered, without those that a resume took back. */
  get states(): string[] {
    return this.visits.flatMap(({ entered, isUndone, state }) => (entered && !isUndone ? [state] : []));
  }

  /** How many commands, functions, agents and tools were started, without those that a resume took back. */
  get effects(): number {
    return this.effectSeqs.length;
  }

  /** US dollars; null if agents were called and none of them reported its cost. */
  get cost(): number | null {
    return this.knownCost ?? (this.hasUnknownCost ? null : 0);
  }

  /** How the run ended; null while it can continue. */
  get result(): EventOf<'run_returned' | 'run_failed'> | null {
    return this.end?.event ?? null;
  }

  /** What the run waited for when it ended, or waits for. */
  get stillOpen(): readonly RecordedWait[] {
    return this.openWaits.all;
  }

  /** What the run waits for. */
  get waiting(): readonly RecordedWait[] {
    return this.end === null ? this.openWaits.all : [];
  }

  private enterState(seq: number, time: string, { state, with: given }: EventOf<'state_entered'>): void {
    this.leave('succeeded');
    if (this.lastEnded.size > 0) this.lastEnded.clear();
    // What this state leaves stays until the next one, because a resume may take the failure back that led here.
    if (this.leftWaits.size > 0) this.leftWaits.clear();
    this.leaveWaits('', seq);
    this.visitState({ state, seq, time, entered: true, with: given ?? NO_VALUES });
  }

  private visitState(visited: Pick<Visit, 'state' | 'seq' | 'time' | 'entered' | 'with'>): void {
    // A run may enter a million states, and a spread is ten times slower.
    const { state, seq, time, entered, with: given } = visited;
    const visit = { state, seq, time, entered, with: given, activeMs: 0, isUndone: false, isCopied: false };
    this.visits.push(visit);
    this.options.watcher?.enterState(visit);
  }

  private leave(end: 'succeeded' | 'failed' | 'interrupted'): void {
    const { watcher } = this.options;
    if (watcher !== undefined && this.visit !== null) watcher.leaveState(this.visit, end);
  }

  private requestEffect(seq: number, time: string, at: number, request: Requested): void {
    const { effect, id, kind, text, line } = request;
    const [next, ...later] = this.registered;
    // A rollback that was interrupted leaves the UNDOs that it has not begun.
    if (request.undo === true && next?.line === line && next.state === request.state) this.registered = later;
    if (kind === 'signal') {
      const name = text.replace(/^WAIT: signal /, '');
      return this.waitFor(seq, at, { kind, effect, waiting: omitUndefined({ kind, id, name }), text, line });
    }
    if (countsAsEffect(request)) this.effectSeqs.push(seq);
    // What a rollback does is not in any branch.
    if (request.undo !== true) this.leaveWaits(threadOf(effect), seq);
    this.begin(seq, time, request, this.backedOff.delete(effect));
  }

  private begin(seq: number, time: string, request: Requested, again: boolean): void {
    const visit = this.visits.length - 1;
    const begun = { ending: 'open', outcome: null, durationMs: null, settledSeq: null, retried: null } as const;
    const attempt: Attempt = { seq, time, request, visit, again, ...begun };
    this.open.set(request.effect, attempt);
    if (this.keeps(request)) {
      this.attempts.push(attempt);
      if (request.step !== undefined) this.steps.recordCall(request.step, attempt);
    }
    this.options.watcher?.beginAttempt(attempt);
  }

  private keeps(request: Requested): boolean {
    return WORK_EFFECTS.has(request.kind) && this.options.keeps?.(request) !== false;
  }

  private settleEffect(seq: number, at: number, { effect, outcome, stopped }: EventOf<'effect_settled'>): void {
    const attempt = this.open.get(effect);
    if (attempt === undefined) return this.endWait(seq, at, effect);
    const { kind } = attempt.request;
    this.open.delete(effect);
    attempt.outcome = outcome;
    attempt.settledSeq = seq;
    attempt.ending = endingOf(outcome, kind, stopped === true);
    const duration = 'duration_ms' in outcome ? outcome.duration_ms : undefined;
    attempt.durationMs = outcome.kind === 'not-started' ? null : (duration ?? at - Date.parse(attempt.time));
    if (kind === 'agent') this.spend(attempt, outcome);
    if (this.keeps(attempt.request)) this.lastEnded.set(effect, attempt);
    else if (WORK_EFFECTS.has(kind)) this.remember(seq, attempt.request);
    this.options.watcher?.endAttempt(attempt);
  }

  private remember(seq: number, request: Requested): void {
    if (this.settled.size === MOST_SETTLED) [this.settledBefore, this.settled] = [this.settled, new Map()];
    this.settled.set(seq, request);
  }

  private spend(attempt: Attempt, outcome: Outcome): void {
    const cost = costOf(outcome);
    attempt.cost = cost;
    if (isBackedOff(outcome)) return;
    if (cost === null) this.hasUnknownCost = true;
    else this.knownCost = addCost(this.knownCost ?? 0, cost);
    if (outcome.kind !== 'exited' && outcome.kind !== 'timed-out') return;
    const { tokens, turns, session_id: sessionId, denied } = outcome;
    Object.assign(attempt, omitUndefined({ tokens, turns, sessionId, denied }));
  }

  private retryEffect({ effect, attempt, error, until_ms: untilMs }: EventOf<'effect_retried'>): void {
    const last = this.lastEnded.get(effect);
    if (last?.request.attempt !== attempt) return;
    if (untilMs !== undefined) {
      last.ending = 'put-off';
      this.backedOff.add(effect);
      return;
    }
    last.retried = error;
    // An outcome that the instruction cannot use, such as text instead of JSON, is also a failure.
    last.ending = 'failed';
  }

  private waitFor(
    seq: number,
    at: number,
    begun: Pick<RecordedWait, 'kind' | 'effect' | 'text' | 'line'> & { readonly waiting: Waiting },
  ): void {
    // A plan waits for several approvals at once.
    const isApproval = !/(^|\.)\d+$/.test(begun.effect);
    if (!isApproval) this.leaveWaits(threadOf(begun.effect), seq);
    const { name = null } = begun.waiting;
    const state = this.visit?.state ?? '';
    this.beginWait({ ...begun, isApproval, name, state, seq, beganMs: at, ms: null, ranOut: false, endSeq: null });
  }

  private beginWait(wait: RecordedWait): void {
    this.openWaits.begin(wait);
    this.options.watcher?.beginWait(wait);
  }

  /** A branch that does something no longer waits. */
  private leaveWaits(thread: string, seq: number): void {
    for (const wait of this.openWaits.endOf(thread)) {
      wait.endSeq = seq;
      this.leftWaits.set(wait.effect, wait);
      this.options.watcher?.endWait(wait, 'left');
    }
  }

  private endWait(seq: number, at: number, effect: string): void {
    const ended = this.openWaits.end(effect);
    const left = ended === null ? this.leftWaits.get(effect) : undefined;
    if (ended !== null) this.closeWait(ended.wait, seq, at, ended.ranOut);
    else if (left !== undefined && this.leftWaits.delete(effect)) this.closeWait(left, seq, at, false);
  }

  private closeWait(wait: RecordedWait, seq: number, at: number, ranOut: boolean): void {
    wait.ms = at - wait.beganMs;
    wait.ranOut = ranOut;
    wait.endSeq = seq;
    this.waits.push(wait);
    this.options.watcher?.endWait(wait, ranOut ? 'ran-out' : 'met');
  }

  private endRun(seq: number, event: EventOf<'run_returned' | 'run_failed'>): void {
    this.end = { seq, event };
    this.isOver = true;
    this.leave(event.type === 'run_failed' ? 'failed' : 'succeeded');
  }

  /**
   * The run is resumed before `from`: effects in flight at that point, and those whose outcomes no longer count, run
   * again.
   */
  private resumeRun(seq: number, time: string, event: EventOf<'run_resumed'>): void {
    const { from, of, without = [], digest } = event;
    this.options.watcher?.resume(event);
    this.isOver = false;
    if (digest !== undefined) this.programs.push({ seq, digest });
    if (from === undefined) return;
    this.registered = [];
    if (this.end !== null && this.end.seq >= from) this.end = null;
    while ((this.effectSeqs.at(-1) ?? 0) >= from) this.effectSeqs.pop();
    const requests = without.flatMap((one) => this.settled.get(one) ?? this.settledBefore.get(one) ?? []);
    const again = [
      ...this.settledBy(without, without.length - requests.length),
      ...requests.map((request) => ({ request })),
    ];
    const open = [...this.open.values()].filter((attempt) => attempt.seq < from);
    this.open.clear();
    this.takeBackWaits(from);
    if (of !== undefined) this.forget(of, seq);
    this.takeBackVisits(seq, time, from);
    for (const { request } of [...again, ...open]) this.begin(seq, time, request, of === undefined);
  }

  /** Kept attempts by the events of their outcomes. They are among the last, so the search begins at the end. */
  private settledBy(seqs: readonly number[], most: number): Attempt[] {
    const found: Attempt[] = [];
    for (let at = this.attempts.length - 1; at >= 0 && found.length < most; at--) {
      const attempt = this.attempts[at] as Attempt;
      if (attempt.settledSeq !== null && seqs.includes(attempt.settledSeq)) found.push(attempt);
    }
    return found.reverse();
  }

  private takeBackWaits(from: number): void {
    for (const wait of this.openWaits.endFrom(from)) this.options.watcher?.endWait(wait, 'discarded');
    for (const wait of [...this.waits, ...this.leftWaits.values()]) {
      if (wait.seq >= from || (wait.endSeq ?? 0) < from) continue;
      // Another resume must not open it once more.
      wait.endSeq = null;
      this.beginWait({ ...wait, ms: null, ranOut: false });
    }
  }

  private takeBackVisits(seq: number, time: string, from: number): void {
    this.leave('interrupted');
    let at = this.visits.length - 1;
    for (; at >= 0 && (this.visits[at] as Visit).seq >= from; at--) (this.visits[at] as Visit).isUndone = true;
    const visit = this.visits[at];
    if (visit !== undefined) this.visitState({ ...visit, seq, time, entered: false });
  }

  /** Another run executed everything up to here. */
  private forget(of: string, seq: number): void {
    this.copy = { of, seq };
    for (const visit of this.visits) visit.isCopied = true;
    this.attempts = [];
    this.waits = [];
    this.limits = [];
    this.rollbacks = [];
    this.emitted = new Map();
    this.copiedMs += this.time.ms;
    this.time.ms = 0;
  }
}

const NO_VALUES = {};
/** What a failure has to do with is among the last. */
const MOST_SETTLED = 10_000;

/** `wasStopped`: the run stopped the effect, because its result was no longer needed. */
export function endingOf(
  outcome: Outcome,
  kind: EffectKind,
  wasStopped: boolean,
): Extract<Ending, 'succeeded' | 'failed' | 'stopped'> {
  // The log has a copy of this condition: starting a run would have to load one that both share.
  const isStopped = outcome.kind === 'failed' && outcome.error_type === 'cancelled';
  if (wasStopped || isStopped) return 'stopped';
  return hasFailed(outcome, kind) ? 'failed' : 'succeeded';
}

function hasFailed(outcome: Outcome, kind: EffectKind): boolean {
  if (kind === 'agent') return agentFailed(outcome);
  return outcome.kind === 'exited' ? outcome.exit !== 0 : outcome.kind !== 'value';
}
