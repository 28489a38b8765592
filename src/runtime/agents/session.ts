/**
 * Chooses the session of a call: one that its program can continue or branch off from, or else a new one that begins
 * with the conversation of the unusable session.
 */
import type { AgentRequest, SessionOrigin } from '../../interpreter/request.js';
import type { Adapter } from './programs/adapter.js';

export interface CallSession {
  /** Null begins a new one. */
  readonly id: string | null;
  readonly prompt: string;
  /** The adapter that created the requested session, if it is another one. */
  readonly foreign: string | null;
}

export function sessionOf(request: AgentRequest, { name, sessions }: Adapter): CallSession {
  const { session = null, sessionAdapter = name, sessionOrigin: origin, prompt } = request;
  if (session === null) return { id: null, prompt, foreign: null };
  if (sessionAdapter !== name) return { id: null, prompt, foreign: sessionAdapter };
  const { directory = null } = request;
  const isElsewhere = origin !== undefined && origin.directory !== directory;
  if ((request.fork === true && !sessions.fork) || (isElsewhere && !sessions.elsewhere))
    return { id: null, prompt: origin === undefined ? prompt : withOrigin(origin, prompt), foreign: null };
  if (request.again === true && request.fork !== true)
    return { id: session, prompt: withInterruption(prompt), foreign: null };
  return { id: session, prompt, foreign: null };
}

function withOrigin({ prompt, answer }: SessionOrigin, next: string): string {
  return [
    'This continues an earlier conversation that you do not see. It ended with this prompt and this answer.',
    `## The prompt before\n\n${prompt.trim()}`,
    `## Your answer to it\n\n${answer.trim()}`,
    `## Now\n\n${next}`,
  ].join('\n\n');
}

/** The session may contain the beginning of the same work, and its files may be gone. */
export function withInterruption(prompt: string): string {
  const note =
    'You may have begun with this before: then you were interrupted, and your changes of files may have been undone. Look at the files first.';
  return `${note}\n\n${prompt}`;
}
