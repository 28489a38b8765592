/**
 * The facts of a run, gathered from its events: visits of states, attempts of effects, waits and limits. Reports only
 * count these facts. They include all paid work: work that a resumed run repeated counts twice, and work that a run
 * took over from another run does not count.
 */

import { agentFailed } from '../../interpreter/agents/agent-output.js';
import { costOf } from '../../interpreter/control/budget.js';
import type { EffectKind, Outcome, RunEvent } from '../../interpreter/events/event.js';
import type { UndoFacts } from '../../interpreter/events/facts.js';
import { ActiveTime, WORK_EFFECTS } from '../../interpreter/events/status-after.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { isStopped } from '../log/outcome-words.js';
import { StepFacts } from '../steps/step-facts.js';
import { OpenWaits } from './open-waits.js';
import type { Attempt, EndedRollback, Ending, LimitReached, Recorded, Requested, Visit, Wait } from './report-facts.js';

/** Gathers the facts of one run; its events are taken in order. */
export class RunFacts {
  readonly time = new ActiveTime();
  visits: Visit[] = [];
  attempts: Attempt[] = [];
  waits: Wait[] = [];
  limits: LimitReached[] = [];
  rollbacks: EndedRollback[] = [];
  /** The UNDOs that a rollback of the failed run would perform, in order. */
  registered: readonly UndoFacts[] = [];
  /** How often each event was emitted. */
  emitted = new Map<string, number>();
  readonly steps = new StepFacts();
  machine = '';
  /** The run that this one was copied from, up to the point where its own execution began. */
  copyOf: string | null = null;
  /** Attempts without an outcome, by effect. */
  private openAttempts = new Map<string, Attempt>();
  /** Effects whose attempt is repeated without counting. */
  private readonly backedOff = new Set<string>();
  private readonly openWaits = new OpenWaits<Wait>();
  private returned = false;
  /** Who started the rollback that runs. */
  private rollingBack: string | null = null;

  take(record: Recorded): void {
    const { seq, time, event } = record;
    this.steps.take(record);
    const at = Date.parse(time);
    const added = this.time.take(at, event);
    const visit = this.visits[this.visits.length - 1];
    if (visit !== undefined) visit.activeMs += added;
    switch (event.type) {
      case 'run_started':
        this.machine = event.machine;
        return;
      case 'state_entered':
        this.visits.push({ state: event.state, seq, time, entered: true, with: event.with ?? {}, activeMs: 0 });
        return;
      case 'effect_requested':
        this.requestEffect(seq, time, at, event);
        return;
      case 'effect_settled':
        this.settleEffect(seq, at, event.effect, event.outcome, event.stopped === true);
        return;
      case 'effect_retried':
        this.retryEffect(event);
        return;
      case 'asked':
        this.waitFor(event.effect, { kind: 'ask', name: event.name, seq, beganMs: at });
        return;
      case 'answered':
        this.endWait(event.effect, at);
        return;
      case 'signal_received': {
        const wait = this.openWaits.receive(event.name);
        if (wait !== null) this.closeWait(wait, at, false);
        return;
      }
      case 'timer_set':
        this.setTimer(event.effect, seq, at);
        return;
      case 'budget_exceeded':
        this.limits.push({ seq, scope: event.scope, limit: event.limit, used: event.used });
        return;
      case 'emitted':
        if (event.event !== null) this.emitted.set(event.event, (this.emitted.get(event.event) ?? 0) + 1);
        return;
      case 'run_resumed':
        this.resumeRun(seq, time, event);
        return;
      case 'rollback_started':
        this.rollingBack = event.by;
        return;
      case 'rolled_back':
        this.rollbacks.push({ seq, at: time, by: this.rollingBack, done: event.done, failed: event.failed });
        return;
      case 'run_failed':
        this.rollingBack = null;
        this.registered = event.undo ?? [];
        return;
      case 'run_returned':
        this.returned = true;
        return;
      default:
    }
  }

  private requestEffect(seq: number, time: string, at: number, request: Requested): void {
    const [next, ...later] = this.registered;
    // A rollback that was interrupted leaves the UNDOs that it has not begun.
    if (request.undo === true && next?.line === request.line && next.state === request.state) this.registered = later;
    if (request.kind === 'signal') {
      this.waitFor(request.effect, {
        kind: 'signal',
        name: request.text.replace(/^WAIT: signal /, ''),
        seq,
        beganMs: at,
      });
      return;
    }
    if (WORK_EFFECTS.has(request.kind)) this.begin(seq, time, request, this.backedOff.delete(request.effect));
  }

  private begin(seq: number, time: string, request: Requested, again: boolean): void {
    const visit = this.visits.length - 1;
    const begun = { ending: 'open', outcome: null, durationMs: null, settledSeq: null, retried: null } as const;
    const attempt: Attempt = { seq, time, request, visit, again, ...begun };
    this.attempts.push(attempt);
    this.openAttempts.set(request.effect, attempt);
    if (request.step !== undefined) this.steps.recordCall(request.step, attempt);
  }

  private settleEffect(seq: number, at: number, effect: string, outcome: Outcome, stopped: boolean): void {
    const attempt = this.openAttempts.get(effect);
    this.openAttempts.delete(effect);
    if (attempt === undefined) {
      this.endWait(effect, at);
      return;
    }
    attempt.outcome = outcome;
    attempt.settledSeq = seq;
    attempt.ending = endingOf(outcome, attempt.request.kind, stopped);
    const duration = 'duration_ms' in outcome ? outcome.duration_ms : undefined;
    attempt.durationMs = outcome.kind === 'not-started' ? null : (duration ?? at - Date.parse(attempt.time));
    if (attempt.request.kind === 'agent') Object.assign(attempt, spentBy(outcome));
  }

  private retryEffect({
    effect,
    attempt: number,
    error,
    until_ms: untilMs,
  }: Extract<RunEvent, { type: 'effect_retried' }>): void {
    const attempt = this.attempts.findLast(({ request }) => request.effect === effect && request.attempt === number);
    if (attempt === undefined) return;
    if (untilMs !== undefined) {
      attempt.ending = 'put-off';
      this.backedOff.add(effect);
      return;
    }
    attempt.retried = error;
    // An outcome that the instruction cannot use, such as text instead of JSON, is also a failure.
    attempt.ending = 'failed';
  }

  private waitFor(effect: string, begun: Pick<Wait, 'kind' | 'name' | 'seq' | 'beganMs'>): void {
    const state = this.visits[this.visits.length - 1]?.state ?? '';
    this.openWaits.begin(effect, { ...begun, state, ms: null, ranOut: false });
  }

  private setTimer(effect: string, seq: number, at: number): void {
    if (!this.openWaits.takeDeadline(effect)) this.waitFor(effect, { kind: 'time', name: null, seq, beganMs: at });
  }

  private endWait(effect: string, at: number): void {
    const ended = this.openWaits.end(effect);
    if (ended !== null) this.closeWait(ended.wait, at, ended.ranOut);
  }

  private closeWait(wait: Wait, at: number, ranOut: boolean): void {
    wait.ms = at - wait.beganMs;
    wait.ranOut = ranOut;
    this.waits.push(wait);
  }

  /**
   * The run is resumed before `from`: effects in flight at that point, and those whose outcomes no longer count, run
   * again.
   */
  private resumeRun(seq: number, time: string, event: Extract<RunEvent, { type: 'run_resumed' }>): void {
    const { from, of, without = [] } = event;
    if (from === undefined) return;
    this.registered = [];
    const visit = this.visits.findLast((one) => one.seq < from);
    const again = this.attempts.filter(({ settledSeq }) => settledSeq !== null && without.includes(settledSeq));
    const open = [...this.openAttempts.values()].filter((attempt) => attempt.seq < from);
    this.openAttempts = new Map();
    if (of !== undefined) this.forget(of);
    if (visit !== undefined) this.visits.push({ ...visit, seq, time, entered: false, activeMs: 0 });
    this.openWaits.keepBefore(from);
    for (const { request } of [...again, ...open]) this.begin(seq, time, request, of === undefined);
  }

  /** Another run executed everything up to here. */
  private forget(of: string): void {
    this.copyOf = of;
    this.visits = [];
    this.attempts = [];
    this.waits = [];
    this.limits = [];
    this.rollbacks = [];
    this.emitted = new Map();
    this.time.ms = 0;
  }

  /** Questions and signals that the run still waits for in its current state. */
  get open(): Wait[] {
    if (this.returned) return [];
    const { state } = this.visits[this.visits.length - 1] ?? { state: '' };
    const since = this.visits.findLast((visit) => visit.entered && visit.state === state)?.seq ?? 0;
    return this.openWaits.all.filter(({ kind, seq }) => kind !== 'time' && seq > since);
  }
}

function spentBy(outcome: Outcome): Partial<Pick<Attempt, 'cost' | 'tokens' | 'turns' | 'sessionId' | 'denied'>> {
  const cost = costOf(outcome);
  if (outcome.kind !== 'exited' && outcome.kind !== 'timed-out') return { cost };
  const { tokens, turns, session_id: sessionId, denied } = outcome;
  return {
    cost,
    ...omitUndefined({ tokens, turns, sessionId, denied }),
  };
}

/** `wasStopped`: the run stopped the effect, because its result was no longer needed. */
export function endingOf(
  outcome: Outcome,
  kind: EffectKind,
  wasStopped: boolean,
): Extract<Ending, 'succeeded' | 'failed' | 'stopped'> {
  if (wasStopped || isStopped(outcome)) return 'stopped';
  return hasFailed(outcome, kind) ? 'failed' : 'succeeded';
}

function hasFailed(outcome: Outcome, kind: EffectKind): boolean {
  if (kind === 'agent') return agentFailed(outcome);
  return outcome.kind === 'exited' ? outcome.exit !== 0 : outcome.kind !== 'value';
}
