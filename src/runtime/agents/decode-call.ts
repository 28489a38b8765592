/** The outcome of an agent call: what its program printed and its exit become an answer, and what is known of the call. */

import type { AgentFacts, Outcome, Output, TokenCounts, Unavailable } from '../../interpreter/events/event.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { EffectContext } from '../effect-context.js';
import { outputSink } from '../process/output.js';
import type { GuardWatch } from './guard-watch.js';
import type { Adapter } from './programs/adapter.js';
import type { AgentTally } from './tally.js';
import { unavailableFor } from './unavailable.js';

type Ended = Extract<Outcome, { kind: 'exited' | 'timed-out' }>;
interface EndedCall {
  readonly adapter: Adapter;
  /** What its session had used before, as far as that was reported. */
  readonly sessionTokens: TokenCounts | null;
  readonly tally: AgentTally;
  /** The last line that was no JSON. */
  readonly plain: string;
  readonly watch: GuardWatch;
  readonly context: EffectContext;
}

/** A large one is in its file already, and nothing computes with it. */
function transcriptOf({ text, artifact, tail, bytes, ...rest }: Output): Output {
  if (artifact === undefined) return text === undefined ? { ...rest, bytes } : { text, bytes };
  return tail === undefined ? { artifact, bytes } : { artifact, tail, bytes };
}

function factsOf({ tally, sessionTokens: before }: EndedCall, unavailable: Unavailable | null): AgentFacts {
  const { sessionId, turns, error, sessionTokens, retryCount: count } = tally;
  const tokens = sessionTokens === null ? tally.tokens : tokensSince(before, sessionTokens);
  // A call that was turned away before anything happened has no price.
  const nothing = unavailable !== null && (turns === null || turns === 0) && tokens === null;
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

/** What a call used of the sum of its session. A program whose sum is smaller than before counts each call for itself. */
function tokensSince(before: TokenCounts | null, sum: TokenCounts): TokenCounts {
  if (before === null || sum.in < before.in || sum.out < before.out) return sum;
  return {
    in: sum.in - before.in,
    out: sum.out - before.out,
    cache_read: Math.max(0, sum.cache_read - before.cache_read),
    cache_write: Math.max(0, sum.cache_write - before.cache_write),
  };
}

/** Some versions say this and nothing else, and end as if it were an answer. */
const LIMIT_AS_ANSWER = /^claude(?: ai)? usage limit reached\|\d{10}/i;
const LAST_WORDS = 4000;
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
  // A program that gave its answer did not fail for want of a service, whatever it ended with.
  if (tally.finished || (ended.exit === 0 && retrying === null)) return null;
  const words = `${ended.stderr.slice(-LAST_WORDS).trim()}\n${plain}\n${retrying ?? ''}`.trim();
  return unavailableFor(words, Date.now(), resetMs);
}

/** Why a call failed whose program did not report an error; null where it gave its answer. */
function silentFailure({ stderr, exit }: Extract<Ended, { kind: 'exited' }>, call: EndedCall): string | null {
  const { adapter, tally, plain } = call;
  if (!adapter.reportsEnd || tally.error !== null) return null;
  // Without any event, either the exit code says that it failed, or a script in its place has printed the answer itself.
  if (tally.lines === 0 && (exit !== 0 || plain !== '')) return null;
  if (!tally.finished) {
    const last = stderr.trim().split('\n').at(-1)?.trim() || plain;
    return `the program ended without saying how${last === '' ? '' : `; its last words: ${last.slice(0, LAST_LINE)}`}`;
  }
  if (tally.turns !== 0) return null;
  return `the model was not asked: the program answered by itself${tally.answer === '' ? '' : `: ${tally.answer}`}`;
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
  // If a program reported nothing in a form that is understood here, all that it printed is the answer.
  if (adapter.service ? tally.lines === 0 && tally.error === null : !tally.finished) return { ...ended, ...facts };
  const answer = outputSink(context.resources.outputs, null);
  answer.write(Buffer.from(tally.error ?? tally.answer, 'utf8'));
  // The form of an answer is judged here, for all programs alike.
  const exit = tally.wrongForm && ended.kind === 'exited' ? { exit: 0 } : {};
  return { ...ended, ...exit, stdout: await answer.finish(true), transcript: transcriptOf(ended.stdout), ...facts };
}
