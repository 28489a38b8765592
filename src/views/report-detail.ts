/** Everything about one state or one tool, visit by visit and try by try. */
import type { Json } from '../machine/expression.js';
import { outcomeWords } from './outcome-words.js';
import { type RunWithFacts, toolName } from './report.js';
import type { Attempt, Ending, Tokens } from './run-facts.js';

export interface DetailedAttempt {
  readonly run_id: string;
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  readonly tool: string;
  readonly kind: string;
  readonly text: string;
  readonly state: string;
  readonly line: number;
  readonly attempt: number;
  readonly args?: readonly Json[];
  readonly prompt?: string;
  readonly ending: Ending;
  /** How it ended, in words; null while it has no outcome. */
  readonly outcome: string | null;
  /** Why it was tried again. */
  readonly retried: string | null;
  readonly duration_ms: number | null;
  readonly cost?: number | null;
  readonly tokens?: Tokens;
  readonly turns?: number;
  readonly session_id?: string;
}

export interface DetailedVisit {
  readonly run_id: string;
  readonly seq: number;
  readonly at: string;
  readonly state: string;
  /** False where a resumed run goes on in it. */
  readonly entered: boolean;
  readonly with: Readonly<Record<string, Json>>;
  readonly time_ms: number;
  readonly attempts: readonly DetailedAttempt[];
}

export interface Detail {
  readonly name: string;
  /** Visits of the state with that name. */
  readonly visits: readonly DetailedVisit[];
  /** Tries of the tool with that name. */
  readonly attempts: readonly DetailedAttempt[];
}

/** Null when no state was entered and no tool was used that is called so. */
export function detailOf(name: string, runs: readonly RunWithFacts[]): Detail | null {
  const visits = runs.flatMap((run) => visitsOf(name, run));
  const attempts = runs.flatMap(({ run_id, facts }) =>
    facts.attempts.filter(({ request }) => toolName(request) === name).map((one) => detailed(run_id, one)),
  );
  return visits.length === 0 && attempts.length === 0 ? null : { name, visits, attempts };
}

/** The names that `detailOf` knows. */
export function detailNames(runs: readonly RunWithFacts[]): string[] {
  const names = runs.flatMap(({ facts }) => [
    ...facts.visits.map(({ state }) => state),
    ...facts.attempts.map(({ request }) => toolName(request)),
  ]);
  return [...new Set(names)];
}

function visitsOf(name: string, { run_id, facts }: RunWithFacts): DetailedVisit[] {
  const attempts = new Map<number, DetailedAttempt[]>();
  for (const one of facts.attempts) {
    if (facts.visits[one.visit]?.state !== name) continue;
    const known = attempts.get(one.visit) ?? [];
    known.push(detailed(run_id, one));
    attempts.set(one.visit, known);
  }
  return facts.visits.flatMap((visit, at) => {
    if (visit.state !== name) return [];
    const { seq, time, state, entered, activeMs } = visit;
    const passed = { with: visit.with, time_ms: activeMs, attempts: attempts.get(at) ?? [] };
    return [{ run_id, seq, at: time, state, entered, ...passed }];
  });
}

function detailed(run_id: string, attempt: Attempt): DetailedAttempt {
  const { seq, time, request, ending, outcome, retried, durationMs, cost, tokens, turns, sessionId } = attempt;
  const { kind, text, state, line, args, prompt } = request;
  return {
    run_id,
    seq,
    at: time,
    tool: toolName(request),
    kind,
    text,
    state,
    line,
    attempt: request.attempt,
    ...(args === undefined ? {} : { args }),
    ...(prompt === undefined ? {} : { prompt }),
    ending,
    outcome: outcome === null ? null : outcomeWords(outcome),
    retried,
    duration_ms: durationMs,
    ...(cost === undefined ? {} : { cost }),
    ...(tokens === undefined ? {} : { tokens }),
    ...(turns === undefined ? {} : { turns }),
    ...(sessionId === undefined ? {} : { session_id: sessionId }),
  };
}
