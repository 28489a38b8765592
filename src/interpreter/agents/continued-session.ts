/**
 * An agent that was unavailable in the middle of its work continues in its session, on the files as it left them.
 */
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { AgentFacts, Outcome, TokenCounts } from '../events/event.js';
import type { AgentRequest } from '../request.js';

export interface ContinuedSession {
  readonly session: string;
  readonly adapter?: string;
  /** What the session had used before, where its program reports only such sums. */
  readonly sessionTokens?: TokenCounts;
}

export const CONTINUES = [
  'You were interrupted in the middle of this, because your service was not available. Continue where you stopped; the',
  'files are as you left them. This was the task:',
].join(' ');

/** The session of an agent that had begun its work when it became unavailable; null if it had not. */
export function sessionBegun(outcome: Outcome): string | null {
  const { session_id: sessionId, turns = 0, tokens } = factsOfCall(outcome);
  if (sessionId === undefined || sessionId === '' || turns === 0) return null;
  // The first answer was cut off: some programs store no session then.
  return turns === 1 && tokens?.out === 0 ? null : sessionId;
}

export function factsOfCall(outcome: Outcome): AgentFacts {
  return outcome.kind === 'exited' || outcome.kind === 'timed-out' ? outcome : {};
}

/** The session in which the next call continues: that of the call, or the one that the call has not continued. */
export function continuedSession(outcome: Outcome, before: ContinuedSession | undefined): ContinuedSession | undefined {
  const session = sessionBegun(outcome);
  if (session === null) return before;
  const { adapter, session_tokens: sessionTokens } = factsOfCall(outcome);
  return omitUndefined({ session, adapter, sessionTokens });
}

/** What a request has in addition if it continues a session. `again`: the process that made it before has ended. */
export function continuing(
  prompt: string,
  { session, adapter, sessionTokens }: ContinuedSession,
  again: boolean,
): Pick<AgentRequest, 'prompt' | 'session' | 'sessionAdapter' | 'sessionTokens' | 'again'> {
  return omitUndefined({
    prompt: `${CONTINUES}\n\n${prompt}`,
    session,
    sessionAdapter: adapter,
    sessionTokens,
    again: again ? true : undefined,
  });
}
