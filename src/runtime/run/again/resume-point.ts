/**
 * Where a failed run is resumed: what failed is done again, and nothing else. Outcomes that were failures do not count any
 * more; at an instruction that failed without one the run waits as it was. Where a failure was handled, the first of the
 * chain counts, since the handler worked for that one. All of this is on record; only for runs of earlier versions it is
 * guessed.
 */
import type { Cause, EffectKind, Granted, Outcome, RunEvent } from '../../../interpreter/events/event.js';
import type { LimitScope, Machine } from '../../../machine/machine.js';
import { readCheckpoint } from '../../store/checkpoint.js';
import { type JournalPlace, journalStart, readJournal } from '../../store/read-journal.js';
import type { StoredRun } from '../../store/stored-run.js';
import { allBehind, type Cut, gapsOf, isGone } from './gaps.js';
import { guessedCut } from './guessed-cut.js';

/** The limit that a run had used up. */
export interface UsedUp {
  readonly scope: LimitScope;
  readonly limit: number;
  readonly used: number;
}

/** An effect as people are told of it. */
export interface KnownEffect {
  readonly effect: string;
  readonly text: string;
  readonly state: string;
  readonly line: number;
}

/** The failure that the run goes back to. */
export interface FirstFailure {
  readonly error: string;
  readonly state: string;
  readonly line: number;
}

export interface ResumePoint {
  readonly cut: Cut;
  /** Steps that may have one attempt more than they are written with. */
  readonly granted: readonly Granted[];
  readonly usedUp: UsedUp | null;
  /** Effects whose failures are left out, but those in doubt: what they did is not known. */
  readonly doneAgain: readonly string[];
  /** The same as far as people know of them: commands, agents, tools. */
  readonly again: readonly KnownEffect[];
  /** The last numbers of effects that threads had begun which go back, by thread; null: they begin none twice. */
  readonly begun: Readonly<Record<string, number>> | null;
  /** Effects of ON ERROR and the state ERROR since the failure: they were done, and stay done. */
  readonly stays: readonly KnownEffect[];
  /** Null where the record does not tell, or a limit ended the run. */
  readonly failure: FirstFailure | null;
  /** Nothing that failed can be done again by itself: the same program fails again, and so may an edited one. */
  readonly hopeless: 'unless-edited' | 'always' | null;
}

/** `blamed`: effects that a plan failed by, if one did. Throws a `StoreError` for a damaged journal. */
export function resumePoint(stored: StoredRun, machine: Machine, blamed: readonly string[]): ResumePoint {
  const place = readCheckpoint(stored.path)?.checkpoint;
  const late = place === undefined ? null : searched(stored, machine, place);
  return late ?? searched(stored, machine, journalStart) ?? guessed(stored, machine, blamed);
}

function guessed(stored: StoredRun, machine: Machine, blamed: readonly string[]): ResumePoint {
  return {
    ...guessedCut(stored, machine, blamed),
    doneAgain: [],
    again: [],
    begun: null,
    stays: [],
    failure: null,
    hopeless: null,
  };
}

/** Looks behind a place only. Null: what made the run fail lies before it, or is not on record. */
function searched({ journal }: StoredRun, machine: Machine, place: JournalPlace): ResumePoint | null {
  // What an earlier resume took back did not happen.
  const gaps = gapsOf(journal, null, place);
  if (place.seq > 0 && !allBehind(gaps, place)) return null;
  const search = new FailureSearch(errorStates(machine), place.seq === 0);
  readJournal(
    journal,
    ({ seq, event }) => {
      if (!isGone(gaps, seq)) search.take(seq, event);
      return true;
    },
    place,
  );
  return search.point();
}

/** Entering one of these is part of a failure; entering any other state is the end of it. */
function errorStates(machine: Machine): ReadonlySet<string> {
  const declared = machine.error === null ? [] : [machine.states[machine.error]?.name ?? ''];
  return new Set([...declared, ...machine.states.filter(({ builtin }) => builtin).map(({ name }) => name)]);
}

const PROCESSES: ReadonlySet<EffectKind> = new Set(['shell', 'argv', 'function', 'agent', 'tool']);

interface Chain {
  readonly seq: number;
  readonly causes: readonly Cause[];
  readonly failure: FirstFailure;
}

class FailureSearch {
  /** What was asked for since the state was entered, by effect. */
  private requested = new Map<string, KnownEffect & { readonly seq: number }>();
  /** The last outcome of each effect since then, and whether it only says that nothing is known. */
  private outcomes = new Map<string, { readonly seq: number; readonly doubtful: boolean }>();
  /** Every effect since then with the last event about it. */
  private names = new Map<string, number>();
  /** The first failure that was not handled to its end. */
  private chain: Chain | null = null;
  private limit: (UsedUp & { readonly seq: number }) | null = null;

  /** `complete`: everything since the state was entered is seen. */
  constructor(
    private readonly errorStates: ReadonlySet<string>,
    private complete: boolean,
  ) {}

  take(seq: number, event: RunEvent): void {
    if ('effect' in event) this.names.set(event.effect, seq);
    switch (event.type) {
      case 'state_entered':
        if (this.errorStates.has(event.state)) return;
        this.complete = true;
        this.chain = null;
        this.requested = new Map();
        this.outcomes = new Map();
        this.names = new Map();
        return;
      case 'effect_requested': {
        const { effect, kind, text, state, line } = event;
        if (PROCESSES.has(kind) && !this.requested.has(effect))
          this.requested.set(effect, { effect, text, state, line, seq });
        return;
      }
      case 'effect_settled':
        if (event.stopped !== true) this.outcomes.set(event.effect, { seq, doubtful: isInDoubt(event.outcome) });
        return;
      case 'instruction_failed': {
        if (event.thread !== '' || event.kept === true) return;
        const { causes, error, state, line } = event;
        this.chain ??= { seq, causes, failure: { error, state, line } };
        return;
      }
      case 'budget_exceeded':
        this.limit = { ...event, seq };
        return;
      case 'run_resumed':
        this.limit = null;
        return;
      default:
    }
  }

  point(): ResumePoint | null {
    const { limit, chain, complete } = this;
    const nothing = { granted: [], doneAgain: [], again: [], begun: null, stays: [], failure: null, hopeless: null };
    // A limit ends the run whatever went before it, also in the state ERROR.
    if (limit !== null) return { ...nothing, cut: { from: limit.seq, without: [] }, usedUp: limit };
    if (chain === null || !complete) return null;
    const { causes, failure } = chain;
    const effects = causes.flatMap((cause) => (cause.effects ?? []).map((effect) => this.asked(effect)));
    const without = effects.flatMap((effect) => this.outcomes.get(effect)?.seq ?? []);
    const held = causes
      .filter((cause) => cause.effects === undefined && cause.inside !== true)
      .map(({ thread, number }) => ({ thread, number }));
    const isSame = without.length === 0;
    return {
      cut: { from: chain.seq, without, held },
      granted: causes.flatMap(({ step }) => step ?? []),
      usedUp: null,
      doneAgain: effects.filter((effect) => this.outcomes.get(effect)?.doubtful === false),
      again: effects.flatMap((effect) => this.requested.get(effect) ?? []).map(known),
      begun: this.begun(chain),
      stays: this.stays(chain),
      failure,
      hopeless: !isSame ? null : held.length === 0 ? 'always' : 'unless-edited',
    };
  }

  /** Of an agent that a plan asked once more only that counts. */
  private asked(effect: string): string {
    const again = `${effect}.again`;
    return this.outcomes.has(again) ? again : effect;
  }

  private begun({ seq, causes }: Chain): Readonly<Record<string, number>> | null {
    const begun = new Map<string, number>();
    for (const thread of new Set(['', ...causes.map((cause) => cause.thread)])) {
      const prefix = thread === '' ? '' : `${thread}.`;
      for (const [effect, last] of this.names) {
        const isHandlers = last > seq || causes.some((cause) => isBehind(effect, cause));
        if (!isHandlers || !effect.startsWith(prefix)) continue;
        begun.set(thread, Math.max(begun.get(thread) ?? 0, Number.parseInt(effect.slice(prefix.length), 10)));
      }
    }
    return begun.size === 0 ? null : Object.fromEntries(begun);
  }

  private stays({ seq, causes }: Chain): KnownEffect[] {
    return [...this.requested.values()]
      .filter((one) => one.seq > seq || causes.some((cause) => isBehind(one.effect, cause)))
      .map(known);
  }
}

function known({ effect, text, state, line }: KnownEffect): KnownEffect {
  return { effect, text, state, line };
}

function isInDoubt(outcome: Outcome): boolean {
  return outcome.kind === 'failed' && outcome.errorType === 'in_doubt';
}

/** Whether a branch began the effect after its failure. */
function isBehind(effect: string, { thread, begun }: Cause): boolean {
  if (thread === '' || !effect.startsWith(`${thread}.`)) return false;
  return Number.parseInt(effect.slice(thread.length + 1), 10) > begun;
}
