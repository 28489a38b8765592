/**
 * Ids of new sessions, for programs that let us choose them. An id is on disk before the program starts, so that a call
 * that was interrupted together with this process continues in its session, unless its changes of files were reverted.
 */
import { randomUUID } from 'node:crypto';
import { readFileSync, renameSync, rmSync } from 'node:fs';
import type { Outcome } from '../../interpreter/events/event.js';
import { writeOwn } from '../store/own-file.js';
import { storeError } from '../store/store-error.js';
import { withInterruption } from './session.js';

/** A file in the folder of the run, with the sessions of calls that have not ended. */
export const SESSIONS_FILE = 'agent-sessions.json';

export interface BegunSession {
  /** The session to continue; null begins a new one. */
  readonly id: string | null;
  /** The id of the new session; null: the program chooses it. */
  readonly chosen: string | null;
  readonly prompt: string;
}

interface NewCall {
  /** Where the ids are stored. */
  readonly file: string;
  /** Identifies the call in its run. */
  readonly key: string;
  readonly prompt: string;
  /** It may have begun before, and files are as it left them. */
  readonly again: boolean;
}

type Sessions = Readonly<Record<string, string>>;

/** The program does not know the session, because it had stored nothing before it was interrupted. */
const UNKNOWN = /no (?:conversation|saved session|previous sessions?) found|invalid session identifier/i;
/** An older version has no option for the id. */
const NO_OPTION = /unknown (?:arguments?|options?)\b.*session-?id/is;

export async function callInNewSession(
  { file, key, prompt, again }: NewCall,
  call: (session: BegunSession) => Promise<Outcome>,
): Promise<Outcome> {
  const begun = again ? readSessions(file)[key] : undefined;
  const continued =
    begun === undefined ? null : await call({ id: begun, chosen: null, prompt: withInterruption(prompt) });
  const outcome = continued === null || saysBeforeWork(continued, UNKNOWN) ? await begin() : continued;
  if (outcome.kind === 'exited' || outcome.kind === 'timed-out') writeSession(file, key, null);
  return outcome;

  async function begin(): Promise<Outcome> {
    const chosen = randomUUID();
    writeSession(file, key, chosen);
    const called = await call({ id: null, chosen, prompt });
    return saysBeforeWork(called, NO_OPTION) ? call({ id: null, chosen: null, prompt }) : called;
  }
}

/** Whether the program ended with these words before it asked its model. */
function saysBeforeWork(outcome: Outcome, words: RegExp): boolean {
  if (outcome.kind !== 'exited' || outcome.exit === 0 || (outcome.turns ?? 0) > 0) return false;
  return words.test(`${outcome.stdout.text ?? ''}\n${outcome.stderr}`);
}

function readSessions(file: string): Sessions {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Sessions;
  } catch {
    return {};
  }
}

function writeSession(file: string, key: string, id: string | null): void {
  const { [key]: _, ...others } = readSessions(file);
  const sessions = id === null ? others : { ...others, [key]: id };
  try {
    if (Object.keys(sessions).length === 0) return rmSync(file, { force: true });
    writeOwn(`${file}.new`, JSON.stringify(sessions));
    renameSync(`${file}.new`, file);
  } catch (cause) {
    throw storeError('write', file, cause);
  }
}
