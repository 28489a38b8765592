/**
 * Where a failed run of an earlier version goes on, whose record does not tell where its failure came from. The outcomes
 * that seem to have made it fail do not count any more; everything else that has an outcome stays done.
 */
import type { Granted, Outcome, RunEvent } from '../../../interpreter/events/event.js';
import type { Machine } from '../../../machine/machine.js';
import { readCheckpoint } from '../../store/checkpoint.js';
import { type JournalPlace, journalStart, readJournal } from '../../store/read-journal.js';
import type { StoredRun } from '../../store/stored-run.js';
import { allBehind, type Cut, gapsOf, isGone } from './gaps.js';
import type { UsedUp } from './resume-point.js';

interface Requested {
  readonly effect: string;
  readonly state: string;
  readonly line: number;
  /** The last outcome on record, and the event that has it. */
  outcome: Outcome | null;
  seq: number;
}

/** Where a run goes on. */
export interface GuessedCut {
  readonly cut: Cut;
  /** Steps that may have one attempt more than they are written with. */
  readonly granted: readonly Granted[];
  readonly usedUp: UsedUp | null;
}

/** The program that failed, and the effects that made a plan of it fail: a plan goes on beside a failure, so these are known. */
interface Failed {
  readonly machine: Machine;
  readonly blamed: ReadonlySet<string>;
}

/**
 * The cut behind which the failure did not happen yet. `blamed`: effects that a plan failed by, if one did. Throws a
 * `StoreError` for a damaged journal.
 */
export function guessedCut(stored: StoredRun, machine: Machine, blamed: readonly string[]): GuessedCut {
  const failed = { machine, blamed: new Set(blamed) };
  const place = readCheckpoint(stored.path)?.checkpoint;
  const late = place === undefined ? null : searched(stored, failed, place);
  return late ?? (searched(stored, failed, journalStart) as GuessedCut);
}

/** Looks behind a place only. Null: what made the run fail lies before it. */
function searched({ journal }: StoredRun, failed: Failed, place: JournalPlace): GuessedCut | null {
  // What an earlier resume took back did not happen, or an effect that fails again would not be found.
  const gaps = gapsOf(journal, null, place);
  if (place.seq > 0 && !allBehind(gaps, place)) return null;
  const search = new FailureSearch(failed, place.seq === 0);
  readJournal(
    journal,
    ({ seq, event }) => {
      if (!isGone(gaps, seq)) search.take(seq, event);
      return true;
    },
    place,
  );
  return search.found ? { cut: search.cut(), granted: search.grants(), usedUp: search.usedUp } : null;
}

class FailureSearch {
  /** Processes asked for since the state was entered, by effect. */
  private requested = new Map<string, Requested>();
  private lastProcess: Requested | null = null;
  /** The last outcome, where it is of something that is asked for without an event, and bad: git could not merge. */
  private lastOther: Requested | null = null;
  /** Failures that were told since the world last told something. */
  private failures: { readonly state: string; readonly line: number; readonly tool: string | null }[] = [];
  /** Steps that did not pass and are not tried any more, with the outcome by which they were judged. */
  private fatal: (Granted & { readonly seq: number })[] = [];
  private lastOutcome = 0;
  private granted: readonly Granted[] = [];
  private failedAt: number | null = null;
  private failed: Requested[] = [];
  usedUp: UsedUp | null = null;
  private readonly errorStates: ReadonlySet<string>;
  private readonly blamedEffects: ReadonlySet<string>;

  /** All effects since the state was entered are known. */
  private complete: boolean;
  private certain = false;

  /** `whole`: from the first event on, so what is not found is not there. */
  constructor(
    { machine, blamed }: Failed,
    private readonly whole: boolean,
  ) {
    this.complete = whole;
    this.blamedEffects = blamed;
    const declared = machine.error === null ? [] : [machine.states[machine.error]?.name ?? ''];
    this.errorStates = new Set([
      ...declared,
      ...machine.states.filter(({ builtin }) => builtin).map(({ name }) => name),
    ]);
  }

  take(seq: number, event: RunEvent): void {
    switch (event.type) {
      case 'state_entered':
        if (this.errorStates.has(event.state)) this.failure(seq);
        else {
          this.failedAt = null;
          this.complete = true;
        }
        this.requested = new Map();
        return;
      case 'effect_requested':
        this.request(event);
        return;
      case 'effect_settled':
        this.lastOutcome = seq;
        if (event.stopped !== true) this.settled(seq, event.effect, event.outcome);
        return;
      case 'emitted':
        if (event.by === 'engine' && event.event === 'TOOL_FAILURE') {
          const { tool } = event.fields;
          const { state, line } = event;
          this.failures.push({ state, line, tool: typeof tool === 'string' ? tool : null });
        }
        return;
      case 'retry_triggered':
        this.leave(event.step);
        return;
      case 'step_completed':
        this.leave(event.step);
        // It is judged at once when the clock was read for it.
        if (event.status === 'fatal')
          this.fatal.push({ step: event.step, attempt: event.attempt, seq: this.lastOutcome });
        return;
      case 'budget_exceeded':
        // A limit ends the run whatever went before it, also in the state ERROR.
        this.failedAt = seq;
        this.failed = [];
        this.certain = true;
        this.usedUp = event;
        return;
      case 'run_failed':
        if (this.failedAt === null) this.failure(seq);
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

  /** Everything that a failure can be blamed on has been looked at. */
  get found(): boolean {
    return this.whole || (this.failedAt !== null && this.certain);
  }

  /** Steps that may have one more attempt, since somebody wants the run to go on. */
  grants(): readonly Granted[] {
    return this.granted;
  }

  /** What a step did inside does not matter any more once it is judged itself, or tried again. */
  private leave(step: string): void {
    this.fatal = this.fatal.filter((one) => !one.step.startsWith(`${step}.`) && !one.step.startsWith(`${step}/`));
  }

  cut(): Cut {
    const without = this.failed.map(({ seq }) => seq).filter((seq) => seq > 0);
    return { from: this.failedAt ?? 1, without };
  }

  private request(event: Extract<RunEvent, { type: 'effect_requested' }>): void {
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

  private settled(seq: number, effect: string, outcome: Outcome): void {
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

  private failure(seq: number): void {
    if (this.failedAt !== null) return;
    this.failedAt = seq;
    const steps = this.fatal.filter(({ step }) => this.failures.some(({ tool }) => tool === step));
    this.granted = steps.map(({ step, attempt }) => ({ step, attempt }));
    const other = this.lastOther === null || this.failures.length === 0 ? [] : [this.lastOther];
    const known = steps.length > 0 ? steps.map(judged) : [...this.ofPlan(), ...other];
    const told = known.length > 0 ? known : this.failures.flatMap((failure) => this.blamed(failure));
    // A program that sent itself to ERROR judged by what it saw last.
    this.failed = told.length > 0 ? told : this.lastProcess === null ? [] : [this.lastProcess];
    this.certain = this.complete && (told.length > 0 || this.lastProcess !== null);
    this.failures = [];
  }

  /** What a plan failed by. Of an agent that was asked once more only that counts. */
  private ofPlan(): Requested[] {
    return [...this.blamedEffects].flatMap((effect) => {
      const one = this.requested.get(`${effect}.again`) ?? this.requested.get(effect);
      return one === undefined || one.seq === 0 ? [] : [one];
    });
  }

  /** The effects of a line that failed: those that look like it, or the last one. */
  private blamed({ state, line }: { readonly state: string; readonly line: number }): Requested[] {
    const here = [...this.requested.values()].filter((one) => one.state === state && one.line === line && one.seq > 0);
    const bad = here.filter(({ outcome }) => outcome !== null && looksBad(outcome));
    return bad.length > 0 ? bad : here.slice(-1);
  }
}

function judged({ step, seq }: Granted & { readonly seq: number }): Requested {
  return { effect: step, state: '', line: 0, outcome: null, seq };
}

function looksBad(outcome: Outcome): boolean {
  if (outcome.kind !== 'exited') return outcome.kind !== 'value' && outcome.kind !== 'changed';
  return outcome.exit !== 0 || outcome.isError === true || outcome.guard !== undefined;
}
