/**
 * Where a failed run is resumed, so that only what failed is repeated. Outcomes that were failures no longer count. If an
 * instruction failed without an outcome, the run waits before it. If a handler failed too, the first failure of the chain
 * counts, because the handler handled that one.
 */
import type { FailureCause, GrantedAttempt, Outcome, RunEvent } from '../../../interpreter/events/event.js';
import { WORK_EFFECTS } from '../../../interpreter/events/status-after.js';
import { REFUSED } from '../../../interpreter/run.js';
import type { Machine } from '../../../machine/machine.js';
import type { Discarded } from '../../record/counted-events.js';
import { RunRefused } from '../../store/store-error.js';
import type { StoredRun } from '../../store/stored-run.js';
import { errorStatesOf, type RecordSearch, searchRecord, type UsedUp } from './search-record.js';

/** An effect as messages describe it. */
export interface KnownEffect {
  readonly effect: string;
  readonly text: string;
  readonly state: string;
  readonly line: number;
}

/** The failure before which the run is resumed. */
export interface FirstFailure {
  readonly error: string;
  readonly state: string;
  readonly line: number;
}

export interface ResumePoint {
  readonly discarded: Discarded;
  /** Steps that may have one attempt more than their source says. */
  readonly granted: readonly GrantedAttempt[];
  readonly usedUp: UsedUp | null;
  /** Effects whose failures are discarded, except those in doubt, because their result is not known. */
  readonly doneAgain: readonly string[];
  /** Those of them that users know: commands, agents and tools. */
  readonly again: readonly KnownEffect[];
  /** For each thread that goes back: the number of the last effect that it began. Null: no thread begins one twice. */
  readonly begun: Readonly<Record<string, number>> | null;
  /** Effects of ON ERROR and the state ERROR since the failure. They stay done. */
  readonly stays: readonly KnownEffect[];
  /** Null if the record does not say, or a limit ended the run. */
  readonly failure: FirstFailure | null;
  /** Nothing that failed can be repeated on its own: the same program fails again, and an edited one may too. */
  readonly hopeless: 'unless-edited' | 'always' | null;
}

/** Throws a `StoreError` for a damaged journal, and a `RunRefused` for one without the failure. */
export function findResumePoint(stored: StoredRun, machine: Machine): ResumePoint {
  const errorStates = errorStatesOf(machine);
  const point = searchRecord(stored, (isWhole) => new FailureSearch(errorStates, isWhole));
  if (point === null)
    throw new RunRefused('unusable', `the record of run \`${stored.about.run_id}\` does not say what failed`);
  return point;
}

/** The resume point if nothing is known of effects. */
const noEffects = {
  granted: [],
  doneAgain: [],
  again: [],
  begun: null,
  stays: [],
  failure: null,
  hopeless: null,
} as const;

interface Chain {
  readonly seq: number;
  readonly causes: readonly FailureCause[];
  readonly failure: FirstFailure;
}

class FailureSearch implements RecordSearch<ResumePoint> {
  /** The requests since the state was entered, by effect. */
  private requested = new Map<string, KnownEffect & { readonly seq: number }>();
  /** The last outcome of each effect since then, and whether it only says that the result is unknown. */
  private outcomes = new Map<string, { readonly seq: number; readonly doubtful: boolean }>();
  /** The last event of every effect since then. */
  private names = new Map<string, number>();
  /** The first failure whose handling did not end. */
  private chain: Chain | null = null;
  private limit: (UsedUp & { readonly seq: number }) | null = null;
  /** The event that ended a run which its worker had to refuse. */
  private refused: number | null = null;

  /** `complete`: this search sees everything since the state was entered. */
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
        if (WORK_EFFECTS.has(kind) && !this.requested.has(effect))
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
      case 'run_failed':
        this.refused = event.error.kind === REFUSED ? seq : null;
        return;
      case 'run_resumed':
        this.limit = null;
        this.refused = null;
        return;
      default:
    }
  }

  result(): ResumePoint | null {
    const { limit, refused, chain, complete } = this;
    if (refused !== null) return { ...noEffects, discarded: { from: refused, without: [] }, usedUp: null };
    // A limit ends the run whatever happened before, also in the state ERROR.
    if (limit !== null) return { ...noEffects, discarded: { from: limit.seq, without: [] }, usedUp: limit };
    if (chain === null || !complete) return null;
    const { causes, failure } = chain;
    const effects = causes.flatMap((cause) => (cause.effects ?? []).map((effect) => this.effectThatCounts(effect)));
    const without = effects.flatMap((effect) => this.outcomes.get(effect)?.seq ?? []);
    const held = causes
      .filter((cause) => cause.effects === undefined && cause.inside !== true)
      .map(({ thread, number }) => ({ thread, number }));
    const isSame = without.length === 0;
    return {
      discarded: { from: chain.seq, without, held },
      granted: causes.flatMap(({ step }) => step ?? []),
      usedUp: null,
      doneAgain: effects.filter((effect) => this.outcomes.get(effect)?.doubtful === false),
      again: effects.flatMap((effect) => this.requested.get(effect) ?? []).map(knownEffect),
      begun: this.lastBegun(chain),
      stays: this.remainingEffects(chain),
      failure,
      hopeless: !isSame ? null : held.length === 0 ? 'always' : 'unless-edited',
    };
  }

  /** If a plan asked an agent again, only the second call counts. */
  private effectThatCounts(effect: string): string {
    const again = `${effect}.again`;
    return this.outcomes.has(again) ? again : effect;
  }

  private lastBegun({ seq, causes }: Chain): Readonly<Record<string, number>> | null {
    const begun = new Map<string, number>();
    for (const thread of new Set(['', ...causes.map((cause) => cause.thread)])) {
      const prefix = thread === '' ? '' : `${thread}.`;
      for (const [effect, last] of this.names) {
        const isHandlers = last > seq || causes.some((cause) => isAfterFailure(effect, cause));
        if (!isHandlers || !effect.startsWith(prefix)) continue;
        begun.set(thread, Math.max(begun.get(thread) ?? 0, Number.parseInt(effect.slice(prefix.length), 10)));
      }
    }
    return begun.size === 0 ? null : Object.fromEntries(begun);
  }

  private remainingEffects({ seq, causes }: Chain): KnownEffect[] {
    return [...this.requested.values()]
      .filter((one) => one.seq > seq || causes.some((cause) => isAfterFailure(one.effect, cause)))
      .map(knownEffect);
  }
}

function knownEffect({ effect, text, state, line }: KnownEffect): KnownEffect {
  return { effect, text, state, line };
}

function isInDoubt(outcome: Outcome): boolean {
  return outcome.kind === 'failed' && outcome.error_type === 'in_doubt';
}

/** Whether a branch started the effect after its failure. */
function isAfterFailure(effect: string, { thread, begun }: FailureCause): boolean {
  if (thread === '' || !effect.startsWith(`${thread}.`)) return false;
  return Number.parseInt(effect.slice(thread.length + 1), 10) > begun;
}
