/**
 * An answer from a script instead of from the world: an outcome, the virtual time that it takes, and its cost. Mock files
 * and tests write answers in different ways and perform them alike.
 */
import type { Outcome, TokenCounts } from '../interpreter/events/event.js';
import type { AgentRequest, ArgvRequest, FunctionRequest, ShellRequest, ToolRequest } from '../interpreter/request.js';
import { printJson } from '../interpreter/values/json.js';
import type { Value } from '../interpreter/values/value.js';
import type { Json } from '../machine/expression.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import type { VirtualTime } from './virtual-time.js';

/** A request that a script can answer. */
export type AnsweredRequest = ShellRequest | ArgvRequest | FunctionRequest | AgentRequest | ToolRequest;

export interface GivenAnswer {
  /** `timeout` ends at the time limit of the request, and `hang` ends only when the request is stopped. */
  readonly result: Outcome | 'timeout' | 'hang';
  readonly afterMs?: number;
  /** US dollars. */
  readonly cost?: number;
  readonly tokens?: number;
}

/** Performs an answer. Without `time`, it takes no time at all. */
export function performAnswer(
  given: GivenAnswer,
  request: Pick<AnsweredRequest, 'timeoutMs' | 'delayMs'>,
  time: VirtualTime | null,
  stop: AbortSignal,
): Outcome | Promise<Outcome> {
  const { timeoutMs, delayMs } = request;
  const isHanging = given.result === 'hang' && timeoutMs === null;
  const afterMs = given.result === 'hang' || given.result === 'timeout' ? (timeoutMs ?? 0) : (given.afterMs ?? 0);
  const isLate = timeoutMs !== null && afterMs > timeoutMs;
  const outcome =
    typeof given.result === 'string' || isLate ? timedOut(timeoutMs, given) : withCost(given.result, given);
  const waitMs = isHanging ? Number.POSITIVE_INFINITY : delayMs + (isLate ? (timeoutMs as number) : afterMs);
  if (time === null || waitMs === 0) return outcome;
  const lasting = outcome.kind === 'exited' ? { ...outcome, duration_ms: waitMs - delayMs } : outcome;
  return time.sleep(time.now + waitMs, stop).then(() => lasting);
}

function timedOut(timeoutMs: number | null, given: GivenAnswer): Outcome {
  // A request without a limit of its own cannot run out of time, but its author wants to see what follows from that.
  if (timeoutMs === null) return { kind: 'failed', error_type: 'timeout', message: 'timed out' };
  const output = { stdout: { text: '', bytes: 0 }, stderr: '', duration_ms: timeoutMs };
  return { kind: 'timed-out', timeout_ms: timeoutMs, ...output, ...factsOf(given) };
}

/** Only what was printed has a cost, so a value with a cost is printed as JSON, as agents do. */
function withCost(outcome: Outcome, given: GivenAnswer): Outcome {
  const facts = factsOf(given);
  if (Object.keys(facts).length === 0) return outcome;
  if (outcome.kind === 'value') return { ...outputOf(textOf(outcome.value)), ...facts };
  if (outcome.kind === 'failed') return { ...outputOf('', outcome.exit ?? 1, outcome.message), ...facts };
  return outcome.kind === 'exited' ? { ...outcome, ...facts } : outcome;
}

function factsOf({ cost, tokens }: GivenAnswer): { readonly cost?: number; readonly tokens?: TokenCounts } {
  return omitUndefined({
    cost: cost ?? (tokens === undefined ? undefined : 0),
    tokens: tokens === undefined ? undefined : { in: 0, out: tokens, cache_read: 0, cache_write: 0 },
  });
}

/** The outcome of a program that printed a text. */
export function outputOf(text: string, exit = 0, stderr = ''): Extract<Outcome, { kind: 'exited' }> {
  return { kind: 'exited', exit, stdout: { text, bytes: Buffer.byteLength(text) }, stderr, duration_ms: 0 };
}

function textOf(value: Json): string {
  return typeof value === 'string' ? value : printJson(value as Value);
}
