/**
 * Decodes the output of agent programs. Programs that report in JSON lines end with a `result` object, which has the answer
 * and its cost. For all others the whole output is the answer.
 */
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { AgentFacts, Outcome, TokenCounts } from '../events/event.js';
import { printJson } from '../values/json.js';
import { isObject, type Value } from '../values/value.js';

interface AgentReport {
  /** The answer. */
  readonly text: string;
  /** Whether the agent reports that it failed; `text` says why. */
  readonly failed: boolean;
  /** US dollars; null if not reported. */
  readonly cost: number | null;
  readonly tokens: TokenCounts | null;
  readonly sessionId: string | null;
  readonly turns: number | null;
}

const number = (value: Value | undefined): number | null => (typeof value === 'number' ? value : null);
const string = (value: Value | undefined): string | null => (typeof value === 'string' ? value : null);

function resultObject(line: string): { readonly [key: string]: Value } | null {
  if (!line.startsWith('{') || !line.includes('"result"')) return null;
  try {
    const parsed = JSON.parse(line) as Value;
    return isObject(parsed) && parsed.type === 'result' ? parsed : null;
  } catch {
    return null;
  }
}

/** The last line that is a result object. Searches from the end without splitting the text. */
function lastResult(text: string): { readonly [key: string]: Value } | null {
  let end = text.length;
  while (end > 0) {
    const start = text.lastIndexOf('\n', end - 1) + 1;
    const found = resultObject(text.slice(start, end).trim());
    if (found !== null) return found;
    end = start - 1;
  }
  return null;
}

function tokensOf(usage: Value | undefined): AgentReport['tokens'] {
  if (!isObject(usage)) return null;
  const count = (name: string): number => number(usage[name]) ?? 0;
  return {
    in: count('input_tokens'),
    out: count('output_tokens'),
    cache_read: count('cache_read_input_tokens'),
    cache_write: count('cache_creation_input_tokens'),
  };
}

/** Decodes the standard output of an agent program. */
export function readAgentOutput(stdout: string): AgentReport {
  const result = lastResult(stdout);
  if (result === null) return { text: stdout, failed: false, cost: null, tokens: null, sessionId: null, turns: null };
  const failed = result.is_error === true;
  const answer = result.result;
  const text =
    typeof answer === 'string' ? answer : answer === undefined || answer === null ? '' : JSON.stringify(answer);
  return {
    text: failed && text === '' ? (string(result.subtype) ?? 'the agent reported an error') : text,
    failed,
    cost: number(result.total_cost_usd),
    tokens: tokensOf(result.usage),
    sessionId: string(result.session_id),
    turns: number(result.num_turns),
  };
}

/** The answer of a successful agent call, for the file that `> file` names; null if there is none. */
export function agentText(outcome: Outcome): string | null {
  if (outcome.kind === 'value')
    return typeof outcome.value === 'string' ? outcome.value : (outcome.printed ?? printJson(outcome.value as Value));
  if (outcome.kind !== 'exited' || outcome.exit !== 0 || outcome.stdout.text === undefined) return null;
  if (outcome.is_error !== undefined) return isUsable(outcome) ? outcome.stdout.text : null;
  const report = readAgentOutput(outcome.stdout.text);
  return report.failed ? null : report.text;
}

/** Whether an adapter found the requested answer. */
function isUsable({ is_error: isError, guard, unavailable }: AgentFacts): boolean {
  return isError !== true && guard === undefined && unavailable === undefined;
}

/** Whether an agent call failed, according to its outcome. */
export function agentFailed(outcome: Outcome): boolean {
  if (outcome.kind !== 'exited') return outcome.kind !== 'value';
  if (outcome.exit !== 0) return true;
  if (outcome.is_error !== undefined) return !isUsable(outcome);
  return outcome.stdout.text !== undefined && readAgentOutput(outcome.stdout.text).failed;
}

/** The outcome with what the agent reported about itself, so that the record has it. */
export function withAgentReport(outcome: Outcome): Outcome {
  if (outcome.kind !== 'exited' || outcome.stdout.text === undefined) return outcome;
  if (outcome.is_error !== undefined || outcome.cost !== undefined) return outcome;
  const { cost, tokens, sessionId, turns } = readAgentOutput(outcome.stdout.text);
  return {
    ...outcome,
    cost,
    ...omitUndefined({ tokens: tokens ?? undefined, session_id: sessionId ?? undefined, turns: turns ?? undefined }),
  };
}
