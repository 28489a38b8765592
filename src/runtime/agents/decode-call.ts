/** The outcome of an agent call: what its program printed and its exit become an answer, and what is known of the call. */

import type { AgentFacts, BrokenGuard, Outcome, Output, Unavailable } from '../../interpreter/events/event.js';
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

function factsOf(tally: AgentTally, guard: BrokenGuard | null, unavailable: Unavailable | null): AgentFacts {
  const { tokens, sessionId, turns, error } = tally;
  // A call that was turned away before anything happened has no price.
  const nothing = unavailable !== null && turns === null && tokens === null;
  return {
    cost: tally.cost ?? (nothing ? 0 : null),
    ...omitUndefined({ tokens: tokens ?? undefined, session_id: sessionId ?? undefined, turns: turns ?? undefined }),
    is_error: error !== null,
    ...omitUndefined({ guard: guard ?? undefined, unavailable: unavailable ?? undefined }),
  };
}

/** Some versions say this and nothing else, and end as if it were an answer. */
const LIMIT_AS_ANSWER = /^claude(?: ai)? usage limit reached\|\d{10}/i;
const LAST_WORDS = 4000;
function unavailableNow(
  ended: Extract<Ended, { kind: 'exited' }>,
  { adapter, tally, plain }: EndedCall,
): Unavailable | null {
  const said = tally.lines === 0 ? plain : tally.answer;
  if (tally.error !== null) return unavailableFor(tally.error, Date.now(), tally.resetMs);
  if (!adapter.service) return null;
  if (LIMIT_AS_ANSWER.test(said)) return unavailableFor(said, Date.now());
  // A program that gave its answer did not fail for want of a service, whatever it ended with.
  if (ended.exit === 0 || tally.finished) return null;
  return unavailableFor(`${ended.stderr.slice(-LAST_WORDS).trim()}\n${plain}`.trim(), Date.now(), tally.resetMs);
}

export async function decodeCall(ended: Ended, call: EndedCall): Promise<Outcome> {
  const { adapter, tally, watch, context } = call;
  const guard = ended.kind === 'timed-out' ? null : await watch.end(tally);
  const unavailable = guard === null && ended.kind === 'exited' ? unavailableNow(ended, call) : null;
  const facts = factsOf(tally, guard, unavailable);
  // Of a program that told nothing in the way we know, all that it printed is the answer.
  if (adapter.service ? tally.lines === 0 : !tally.finished) return { ...ended, ...facts };
  const answer = outputSink(context.resources.outputs, null);
  answer.write(Buffer.from(tally.error ?? tally.answer, 'utf8'));
  return { ...ended, stdout: await answer.finish(true), transcript: transcriptOf(ended.stdout), ...facts };
}
