/** Decodes the outcome of an agent call from the output and the exit of its program. */

import type { AgentFacts, Outcome, Output, TokenCounts, Unavailable } from '../../interpreter/events/event.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { EffectContext } from '../effect-context.js';
import { outputSink } from '../process/output.js';
import type { GuardWatch } from './guard-watch.js';
import { lastWords, problemAtEnd } from './last-words.js';
import type { Adapter } from './programs/adapter.js';
import type { AgentTally } from './tally.js';
import { unavailableFor } from './unavailable.js';

type Ended = Extract<Outcome, { kind: 'exited' | 'timed-out' }>;
interface EndedCall {
  readonly adapter: Adapter;
  /** The tokens that its session had used before, if they were reported. */
  readonly sessionTokens: TokenCounts | null;
  readonly tally: AgentTally;
  /** The last line that was not JSON. */
  readonly plain: string;
  readonly watch: GuardWatch;
  readonly context: EffectContext;
}

/** A large one is already in its file, and nothing reads its value. */
function transcriptOf({ text, artifact, tail, bytes, ...rest }: Output): Output {
  if (artifact === undefined) return text === undefined ? { ...rest, bytes } : { text, bytes };
  return tail === undefined ? { artifact, bytes } : { artifact, tail, bytes };
}

function factsOf({ tally, sessionTokens: before }: EndedCall, unavailable: Unavailable | null): AgentFacts {
  const { sessionId, turns, error, sessionTokens, retryCount: count } = tally;
  const tokens = sessionTokens === null ? tally.tokens : tokensSince(before, sessionTokens);
  // A call that was rejected before anything happened has no cost.
  const used = tokens === null ? 0 : tokens.in + tokens.out + tokens.cache_read + tokens.cache_write;
  const nothing = unavailable !== null && (turns === null || turns === 0) && used === 0;
  return omitUndefined({
    cost: tally.cost ?? (nothing ? 0 : null),
    tokens: tokens ?? undefined,
    session_id: sessionId ?? undefined,
    session_tokens: sessionTokens ?? undefined,
    turns: turns ?? undefined,
    is_error: error !== null,
    denied: tally.denied.length === 0 ? undefined : tally.denied,
    own_retries: count === 0 ? undefined : { count, ms: Math.round(tally.retriedMs), message: tally.retryReason },
  });
}

/**
 * The part of the session's sum that this call used. If the sum is smaller than before, the program counts each call
 * separately.
 */
function tokensSince(before: TokenCounts | null, sum: TokenCounts): TokenCounts {
  if (before === null || sum.in < before.in || sum.out < before.out) return sum;
  return {
    in: sum.in - before.in,
    out: sum.out - before.out,
    cache_read: Math.max(0, sum.cache_read - before.cache_read),
    cache_write: Math.max(0, sum.cache_write - before.cache_write),
  };
}

/** Some versions print only this message and end as if it were an answer. */
const LIMIT_AS_ANSWER = /^claude(?: ai)? usage limit reached\|\d{10}/i;
const LAST_LINE = 300;
function unavailableNow(
  ended: Extract<Ended, { kind: 'exited' }>,
  { adapter, tally, plain }: EndedCall,
): Unavailable | null {
  const said = tally.lines === 0 ? plain : tally.answer;
  const { error, resetMs, errorFlags, retrying } = tally;
  if (error !== null) return unavailableFor(error, Date.now(), resetMs, errorFlags);
  if (!adapter.service) return null;
  if (LIMIT_AS_ANSWER.test(said)) return unavailableFor(said, Date.now());
  // A program that printed its answer did not fail because of its service, whatever its exit code.
  if (tally.finished || (ended.exit === 0 && retrying === null)) return null;
  return problemAtEnd({ stderr: ended.stderr, plain, retrying, resetMs }, Date.now());
}

/** The reason why a call failed if its program did not report an error; null if it printed its answer. */
function silentFailure(ended: Extract<Ended, { kind: 'exited' }>, call: EndedCall): string | null {
  const { adapter, tally, plain } = call;
  if (!adapter.reportsEnd || tally.error !== null) return null;
  // Without any event, either the exit code shows a failure, or a script that replaces the program has printed the
  // answer itself.
  if (tally.lines === 0 && plain !== '') return null;
  if (tally.lines === 0 && ended.exit !== 0) return lastWords(ended.stderr);
  if (!tally.finished) return `the program ended without saying how${circumstances(ended, call)}`;
  if (tally.turns !== 0) return null;
  return `the model was not asked: the program answered by itself${tally.answer === '' ? '' : `: ${tally.answer}`}`;
}

/** What explains an end without a report best. */
function circumstances(ended: Extract<Ended, { kind: 'exited' }>, { tally, plain }: EndedCall): string {
  const { exit, signal, stderr } = ended;
  const code = exit === 0 ? '' : ` (${signal ?? `exit ${exit}`})`;
  const { retrying, denied } = tally;
  if (retrying !== null) return `${code}, while it waited for its service: ${retrying}`;
  const last = denied.at(-1);
  // Some programs stop when they may not do something.
  if (last !== undefined && !tally.hasSpoken)
    return `${code}, after it denied \`${[last.tool, last.input].filter((part) => part !== undefined).join(' ')}\``;
  const words = lastWords(stderr) ?? plain;
  return `${code}${words === '' ? '' : `; its last output: ${words.slice(0, LAST_LINE)}`}`;
}

export async function decodeCall(ended: Ended, call: EndedCall): Promise<Outcome> {
  const { adapter, tally, watch, context } = call;
  const guard = ended.kind === 'timed-out' ? null : await watch.end(tally);
  const unavailable = guard === null && ended.kind === 'exited' ? unavailableNow(ended, call) : null;
  if (ended.kind === 'exited' && guard === null && unavailable === null) {
    const failure = silentFailure(ended, call);
    if (failure !== null) tally.fails(failure);
  }
  const facts = {
    ...factsOf(call, unavailable),
    ...omitUndefined({ guard: guard ?? undefined, unavailable: unavailable ?? undefined }),
  };
  // If a program printed nothing in a known form, its whole output is the answer.
  if (adapter.service ? tally.lines === 0 && tally.error === null : !tally.finished) return { ...ended, ...facts };
  const answer = outputSink(context.resources.outputs, null);
  answer.write(Buffer.from(tally.error ?? tally.answer, 'utf8'));
  // The form of an answer is checked here, in the same way for all programs.
  const exit = tally.wrongForm && ended.kind === 'exited' ? { exit: 0 } : {};
  return { ...ended, ...exit, stdout: await answer.finish(true), transcript: transcriptOf(ended.stdout), ...facts };
}
