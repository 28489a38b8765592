/**
 * What runs undid, and what they spent: a row for each UNDO that was performed, one for each ROLLBACK that ended, and
 * what is still registered.
 */
import type { EffectKind } from '../../interpreter/events/event.js';
import type { RolledBack, UndoFacts } from '../../interpreter/events/facts.js';
import type { Attempt, Ending, Tokens } from '../../runtime/record/record-facts.js';
import type { RunModel } from '../../runtime/record/run-model.js';
import { outcomeWords } from '../log/outcome-words.js';
import { commandLine } from '../log/started-command.js';
import { toolName } from './detailed-attempt.js';

/** An UNDO that was performed, with all of its attempts. */
export interface UndoneRow extends Spending {
  readonly run_id: string;
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  readonly state: string;
  readonly line: number;
  /** The command with its values. */
  readonly text: string;
  readonly tool: string;
  readonly kind: EffectKind;
  readonly attempts: number;
  readonly ending: Ending;
  /** How its last attempt ended, in words; null while it has no outcome. */
  readonly outcome: string | null;
  readonly time_ms: number;
}

/** A ROLLBACK that performed at least one UNDO. */
export interface RollbackRow extends RolledBack {
  readonly run_id: string;
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  /** The person who started it with `statedsl rollback`; null: the program did. */
  readonly by: string | null;
}

/** The part of a report that says what was undone, and what was not. */
export interface UndoReport {
  readonly undone: readonly UndoneRow[];
  readonly rollbacks: readonly RollbackRow[];
  /** The UNDOs that failed runs still have registered, in the order of a rollback. */
  readonly undo: readonly (UndoFacts & { readonly run_id: string })[];
}

interface Undoing {
  readonly run_id: string;
  readonly facts: RunModel;
}

export function undoReport(runs: readonly Undoing[]): UndoReport {
  return {
    undone: runs.flatMap(undoneRows),
    rollbacks: runs.flatMap(({ run_id, facts }) => facts.rollbacks.map((one) => ({ run_id, ...one }))),
    undo: runs.flatMap(({ run_id, facts }) => facts.registered.map((one) => ({ run_id, ...one }))),
  };
}

function undoneRows({ run_id, facts }: Undoing): UndoneRow[] {
  const effects = new Map<string, Attempt[]>();
  for (const attempt of facts.attempts) {
    const { effect, undo } = attempt.request;
    if (undo === true) effects.set(effect, [...(effects.get(effect) ?? []), attempt]);
  }
  return [...effects.values()].map((attempts) => undoneRow(run_id, attempts));
}

function undoneRow(run_id: string, attempts: readonly Attempt[]): UndoneRow {
  const { seq, time, request } = attempts[0] as Attempt;
  const { ending, outcome } = attempts.at(-1) as Attempt;
  const { state, line, kind, text } = request;
  return {
    run_id,
    seq,
    at: time,
    state,
    line,
    text: commandLine(request) ?? text,
    tool: toolName(request),
    kind,
    attempts: attempts.length,
    ending,
    outcome: outcome === null ? null : outcomeWords(outcome),
    time_ms: sum(attempts.map(({ durationMs }) => durationMs ?? 0)),
    ...spendingOf(attempts),
  };
}

/** What calls of agents cost together. */
export interface Spending {
  /** The reported cost in US dollars; null if no call reported any. */
  readonly cost: number | null;
  /** Calls of unknown cost. */
  readonly unknown_costs: number;
  readonly tokens: {
    readonly in: number;
    readonly out: number;
    readonly cache_read: number;
    readonly cache_write: number;
  };
}

export function spendingOf(attempts: readonly Attempt[]): Spending {
  const calls = attempts.filter(({ request, outcome }) => request.kind === 'agent' && outcome !== null);
  const known = calls.flatMap(({ cost }) => (typeof cost === 'number' ? [cost] : []));
  const tokens = calls.flatMap((call) => (call.tokens === undefined ? [] : [call.tokens]));
  const total = (of: keyof Tokens): number => sum(tokens.map((one) => one[of]));
  return {
    cost: calls.length > 0 && known.length === 0 ? null : sum(known),
    unknown_costs: calls.length - known.length,
    tokens: { in: total('in'), out: total('out'), cache_read: total('cache_read'), cache_write: total('cache_write') },
  };
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
