/**
 * Guesses the resume point of a failed run of an earlier version, whose record does not say what caused the failure. The
 * outcomes that seem to have made it fail no longer count; everything else with an outcome stays done.
 */

import type { GrantedAttempt, Outcome, RunEvent } from '../../../interpreter/events/event.js';
import { REFUSED } from '../../../interpreter/run.js';
import type { Machine } from '../../../machine/machine.js';
import type { StoredRun } from '../../store/stored-run.js';
import type { Discarded } from './discarded-ranges.js';
import { errorStatesOf, type RecordSearch, searchRecord, type UsedUp } from './search-record.js';

interface Requested {
  readonly effect: string;
  readonly state: string;
  readonly line: number;
  /** The last outcome on record, and its event. */
  outcome: Outcome | null;
  seq: number;
}

/** Where the run is resumed, as far as the record shows. */
interface GuessedPoint {
  readonly discarded: Discarded;
  /** Steps that may have one attempt more than their source says. */
  readonly granted: readonly GrantedAttempt[];
  readonly usedUp: UsedUp | null;
}

/** The program that failed, and the effects that made its plan fail. They are known, because a plan continues after a failure. */
interface FailedProgram {
  readonly machine: Machine;
  readonly blamed: ReadonlySet<string>;
}

/** `blamed`: effects that made a plan fail, if one did. Throws a `StoreError` for a damaged journal. */
export function guessResumePoint(stored: StoredRun, machine: Machine, blamed: readonly string[]): GuessedPoint {
  const failed = { machine, blamed: new Set(blamed) };
  // A search of the whole record always finds a point.
  return searchRecord(stored, (isWhole) => new GuessingSearch(failed, isWhole)) as GuessedPoint;
}

class GuessingSearch implements RecordSearch<GuessedPoint> {
  /** Processes that were requested since the state was entered, by effect. */
  private requested = new Map<string, Requested>();
  private lastProcess: Requested | null = null;
  /** The last outcome, if it is a failure and was requested without an event, as a merge by git is. */
  private lastOther: Requested | null = null;
  /** Failures that were recorded since the last outcome. */
  private failures: { readonly state: string; readonly line: number; readonly tool: string | null }[] = [];
  /** Steps that did not pass and have no attempt left, with the outcome that decided it. */
  private fatal: (GrantedAttempt & { readonly seq: number })[] = [];
  private lastOutcome = 0;
  private granted: readonly GrantedAttempt[] = [];
  private failedAt: number | null = null;
  private failed: Requested[] = [];
  private usedUp: UsedUp | null = null;
  private readonly errorStates: ReadonlySet<string>;
  private readonly blamedEffects: ReadonlySet<string>;

  /** Whether all effects since the state was entered are known. */
  private complete: boolean;
  private certain = false;

  /** `isWhole`: the search sees the record from the first event, so what it does not find is not in the record. */
  constructor(
    { machine, blamed }: FailedProgram,
    private readonly isWhole: boolean,
  ) {
    this.complete = isWhole;
    this.blamedEffects = blamed;
    this.errorStates = errorStatesOf(machine);
  }

  take(seq: number, event: RunEvent): void {
    switch (event.type) {
      case 'state_entered':
        if (this.errorStates.has(event.state)) this.blameFailure(seq);
        else {
          this.failedAt = null;
          this.complete = true;
        }
        this.requested = new Map();
        return;
      case 'effect_requested':
        this.noteRequest(event);
        return;
      case 'effect_settled':
        this.lastOutcome = seq;
        if (event.stopped !== true) this.noteOutcome(seq, event.effect, event.outcome);
        return;
      case 'emitted':
        if (event.by === 'engine' && event.event === 'TOOL_FAILURE') {
          const { tool } = event.fields;
          const { state, line } = event;
          this.failures.push({ state, line, tool: typeof tool === 'string' ? tool : null });
        }
        return;
      case 'retry_triggered':
        this.forgetInner(event.step);
        return;
      case 'step_completed':
        this.forgetInner(event.step);
        // The attempt is judged as soon as the clock was read for it.
        if (event.status === 'fatal')
          this.fatal.push({ step: event.step, attempt: event.attempt, seq: this.lastOutcome });
        return;
      case 'budget_exceeded':
        // A limit ends the run whatever happened before, also in the state ERROR.
        this.failedAt = seq;
        this.failed = [];
        this.certain = true;
        this.usedUp = event;
        return;
      case 'run_failed':
        if (event.error.kind === REFUSED) {
          this.failedAt = seq;
          this.failed = [];
          this.certain = true;
        } else if (this.failedAt === null) this.blameFailure(seq);
        return;
      case 'run_resumed':
        this.failedAt = null;
        this.failed = [];
        this.failures = [];
        this.fatal = [];
        this.granted = [];
        this.usedUp = null;
        return;
      default:
    }
  }

  result(): GuessedPoint | null {
    const isFound = this.isWhole || (this.failedAt !== null && this.certain);
    if (!isFound) return null;
    const without = this.failed.map(({ seq }) => seq).filter((seq) => seq > 0);
    return { discarded: { from: this.failedAt ?? 1, without }, granted: this.granted, usedUp: this.usedUp };
  }

  /** What happened inside a step no longer matters once the step itself has a result or is tried again. */
  private forgetInner(step: string): void {
    this.fatal = this.fatal.filter((one) => !one.step.startsWith(`${step}.`) && !one.step.startsWith(`${step}/`));
  }

  private noteRequest(event: Extract<RunEvent, { type: 'effect_requested' }>): void {
    if (
      event.kind !== 'shell' &&
      event.kind !== 'argv' &&
      event.kind !== 'function' &&
      event.kind !== 'agent' &&
      event.kind !== 'tool'
    )
      return;
    const { effect, state, line } = event;
    this.requested.set(effect, { effect, state, line, outcome: null, seq: 0 });
  }

  private noteOutcome(seq: number, effect: string, outcome: Outcome): void {
    this.failures = [];
    const known = this.requested.get(effect);
    this.lastOther = null;
    if (known === undefined) {
      if (looksBad(outcome)) this.lastOther = { effect, state: '', line: 0, outcome, seq };
      return;
    }
    known.outcome = outcome;
    known.seq = seq;
    this.lastProcess = known;
  }

  private blameFailure(seq: number): void {
    if (this.failedAt !== null) return;
    this.failedAt = seq;
    const steps = this.fatal.filter(({ step }) => this.failures.some(({ tool }) => tool === step));
    this.granted = steps.map(({ step, attempt }) => ({ step, attempt }));
    const other = this.lastOther === null || this.failures.length === 0 ? [] : [this.lastOther];
    const known = steps.length > 0 ? steps.map(judgedStep) : [...this.blamedByPlan(), ...other];
    const blamed = known.length > 0 ? known : this.failures.flatMap((failure) => this.blamedByLine(failure));
    // A program that went to ERROR by itself decided that from its last outcome.
    this.failed = blamed.length > 0 ? blamed : this.lastProcess === null ? [] : [this.lastProcess];
    this.certain = this.complete && (blamed.length > 0 || this.lastProcess !== null);
    this.failures = [];
  }

  /** The effects that made a plan fail. Of an agent that was asked a second time, only the second call counts. */
  private blamedByPlan(): Requested[] {
    return [...this.blamedEffects].flatMap((effect) => {
      const one = this.requested.get(`${effect}.again`) ?? this.requested.get(effect);
      return one === undefined || one.seq === 0 ? [] : [one];
    });
  }

  /** The effects of the line that failed: those that seem to have failed, or else the last one. */
  private blamedByLine({ state, line }: { readonly state: string; readonly line: number }): Requested[] {
    const here = [...this.requested.values()].filter((one) => one.state === state && one.line === line && one.seq > 0);
    const bad = here.filter(({ outcome }) => outcome !== null && looksBad(outcome));
    return bad.length > 0 ? bad : here.slice(-1);
  }
}

function judgedStep({ step, seq }: GrantedAttempt & { readonly seq: number }): Requested {
  return { effect: step, state: '', line: 0, outcome: null, seq };
}

function looksBad(outcome: Outcome): boolean {
  if (outcome.kind !== 'exited') return outcome.kind !== 'value' && outcome.kind !== 'changed';
  return outcome.exit !== 0 || outcome.is_error === true || outcome.guard !== undefined;
}
