/** All details of one state or one tool, for each visit and each attempt. */
import type { Json } from '../../machine/expression.js';
import { countOf, dollars, duration, localTime } from '../drawing/amounts.js';
import type { Paint } from '../drawing/paint.js';
import { cut, visibleLine } from '../drawing/visible-text.js';
import { type DetailedStep, stepsCalled } from '../steps/step-detail.js';
import { stepBlocks } from '../steps/step-detail-text.js';
import { type DetailedAttempt, detailedAttempt, toolName } from './detailed-attempt.js';
import type { RunWithFacts } from './report.js';

/** One visit of a state with what was done in it. */
export interface DetailedVisit {
  readonly run_id: string;
  readonly seq: number;
  readonly at: string;
  readonly state: string;
  /** False if the run was resumed in this state. */
  readonly entered: boolean;
  readonly with: Readonly<Record<string, Json>>;
  readonly time_ms: number;
  readonly attempts: readonly DetailedAttempt[];
}

/** What `statedsl report --detail NAME --json` prints: everything about one step, state or tool. */
export interface Detail {
  readonly name: string;
  /** Steps with that path, or with a path that ends with it. */
  readonly steps: readonly DetailedStep[];
  /** Visits of the state with that name. */
  readonly visits: readonly DetailedVisit[];
  /** Attempts of the tool with that name. */
  readonly attempts: readonly DetailedAttempt[];
}

/** Null if no step, state or tool of the run has this name. */
export function detailOf(name: string, runs: readonly RunWithFacts[]): Detail | null {
  const steps = runs.flatMap(({ run_id, facts }) => stepsCalled(name, run_id, facts));
  const visits = runs.flatMap((run) => visitsOf(name, run));
  const attempts = runs.flatMap(({ run_id, facts }) =>
    facts.attempts.filter(({ request }) => toolName(request) === name).map((one) => detailedAttempt(run_id, one)),
  );
  return [steps, visits, attempts].every(({ length }) => length === 0) ? null : { name, steps, visits, attempts };
}

/** The names that `detailOf` knows. */
export function detailNames(runs: readonly RunWithFacts[]): string[] {
  const names = runs.flatMap(({ facts }) => [
    ...facts.steps.all.keys(),
    ...facts.visits
      .filter(({ isCopied, state }) => !isCopied && (state !== 'MAIN' || facts.steps.all.size === 0))
      .map(({ state }) => state),
    ...facts.attempts.map(({ request }) => toolName(request)),
  ]);
  return [...new Set(names)];
}

function visitsOf(name: string, { run_id, facts }: RunWithFacts): DetailedVisit[] {
  const attempts = new Map<number, DetailedAttempt[]>();
  for (const one of facts.attempts) {
    if (facts.visits[one.visit]?.state !== name) continue;
    const known = attempts.get(one.visit) ?? [];
    known.push(detailedAttempt(run_id, one));
    attempts.set(one.visit, known);
  }
  return facts.visits.flatMap((visit, at) => {
    if (visit.isCopied || visit.state !== name) return [];
    const { seq, time, state, entered, activeMs } = visit;
    const passed = { with: visit.with, time_ms: activeMs, attempts: attempts.get(at) ?? [] };
    return [{ run_id, seq, at: time, state, entered, ...passed }];
  });
}

const LONGEST_TEXT = 120;
const LONGEST_PROMPT = 2000;

/** `several`: the attempts belong to more than one run, so each names its run. */
export function drawDetail({ steps, visits, attempts }: Detail, several: boolean, paint: Paint): string {
  const blocks = visits.map(({ run_id, seq, at, state, entered, with: passed, time_ms, attempts: inside }) => {
    const how = entered ? '' : ' (resumed)';
    const where = several ? `run ${run_id}, ` : '';
    const head = `${paint.state(visibleLine(state))}${how}  ${where}event ${seq}, ${localTime(at)}, ${duration(time_ms)}`;
    const entry = Object.entries(passed).map(
      ([name, value]) => `  with ${showPrompt(`${name} = ${JSON.stringify(value)}`)}`,
    );
    return [head, ...entry, ...inside.flatMap((one) => attemptLines(one, false, paint))];
  });
  const tries = attempts.flatMap((one) => attemptLines(one, several, paint));
  if (tries.length > 0) blocks.push(tries);
  return [...stepBlocks(steps, several, paint), ...blocks].map((lines) => `${lines.join('\n')}\n`).join('\n');
}

function attemptLines(one: DetailedAttempt, several: boolean, paint: Paint): string[] {
  const tint = one.ending === 'failed' ? paint.warning : paint.faint;
  const number = one.attempt > 1 ? `, attempt ${one.attempt}` : '';
  const location = `${several ? `run ${one.run_id}, ` : ''}event ${one.seq}, ${localTime(one.at)}, ${visibleLine(one.state)}, line ${one.line}${number}`;
  return [
    `  ${one.undo === true ? 'undo: ' : ''}${visibleLine(cut(one.text, LONGEST_TEXT))} ${tint(`(${visibleLine(one.outcome ?? 'no recorded outcome')})`)}`,
    paint.faint(`    ${location}`),
    ...(one.args ?? []).map((value) => `    value ${showPrompt(JSON.stringify(value))}`),
    ...(one.prompt === undefined ? [] : [`    prompt ${showPrompt(one.prompt)}`]),
    ...(one.retried === null ? [] : [paint.warning(`    retried after: ${showPrompt(one.retried)}`)]),
    ...spentLines(one),
  ];
}

function spentLines({ cost, tokens, turns, session_id }: DetailedAttempt): string[] {
  if (cost === undefined) return [];
  const parts = [
    cost === null ? 'unknown cost' : dollars(cost),
    ...(tokens === undefined ? [] : [`${tokens.in} tokens in`, `${tokens.out} out`]),
    ...(turns === undefined ? [] : [countOf(turns, 'turn')]),
    ...(session_id === undefined ? [] : [`session ${visibleLine(session_id)}`]),
  ];
  return [`    ${parts.join(', ')}`];
}

function showPrompt(text: string): string {
  return visibleLine(cut(text, LONGEST_PROMPT));
}
