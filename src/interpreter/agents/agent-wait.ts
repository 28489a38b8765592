/**
 * Backs off while an agent is unavailable: its account has reached a limit, its service is overloaded, or the network is
 * down. The program did not cause that, so the attempt does not count and is repeated later. The time of the next attempt
 * comes with the outcome, because the interpreter has no clock. The timer is like any other: it is on record, survives a
 * restart, and a long wait may suspend the run.
 */
import type { Json } from '../../machine/expression.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { beginTimer } from '../control/request-effects.js';
import type { Outcome, Unavailable } from '../events/event.js';
import { STOP } from '../run-state/linked-machine.js';
import type { Pending } from '../run-state/pending.js';
import type { Thread } from '../run-state/thread.js';

const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 5 * 60_000;

/** Why an agent must be called again later, or null. */
export function unavailability(outcome: Outcome): Unavailable | null {
  if (outcome.kind === 'not-started') return outcome.unavailable ?? null;
  return (outcome.kind === 'exited' || outcome.kind === 'timed-out') && outcome.guard === undefined
    ? (outcome.unavailable ?? null)
    : null;
}

/** How long to wait after this many failures if the agent named no time, in milliseconds. */
function backOffMs(waits: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** waits, LONGEST_PAUSE_MS);
}

/** Waits until the agent can be called again. */
export function backOff(
  thread: Thread,
  {
    effect: failed,
    attempt,
    waits = 0,
    call,
    continues,
    reserved,
  }: Pick<Pending, 'effect' | 'attempt' | 'waits' | 'call' | 'continues' | 'reserved'>,
  { until_ms: untilMs, at_ms: atMs, message, account }: Unavailable,
): number {
  const { run } = thread;
  const until = untilMs !== null && untilMs > atMs ? untilMs : atMs + backOffMs(waits);
  const ofAccount = account === undefined ? {} : { account };
  run.recordNow({
    type: 'effect_retried',
    effect: failed,
    attempt,
    error: message,
    delay_ms: until - atMs,
    until_ms: until,
    ...ofAccount,
  });
  beginTimer(
    thread,
    { until, ms: until - atMs },
    omitUndefined({
      waiting: { kind: 'time', name: null, until, ...ofAccount },
      waits: waits + 1,
      putsOff: { effect: failed, attempt },
      call,
      continues,
      reserved,
    }),
  );
  return STOP;
}

const FENCE = /^```[^\n`]*\n([\s\S]*?)^```[ \t]*$/gm;

/** The JSON value; undefined if there is none. */
export function readAnswer(text: string): Json | undefined {
  const whole = parseJson(text);
  if (whole !== undefined) return whole;
  const blocks = [...text.matchAll(FENCE)].map(([, block]) => parseJson(block ?? ''));
  const fenced = blocks.findLast((block) => block !== undefined);
  return fenced ?? parseBracketed(text);
}

/** A message of a subject and its problem by a schema, which may begin with a comma and a location in it. */
export function joinedClause(subject: string, clause: string): string {
  return clause.startsWith(',') ? subject + clause : `${subject} ${clause}`;
}

function parseBracketed(text: string): Json | undefined {
  const start = text.search(/[[{]/);
  const end = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'));
  return start < 0 || end < start ? undefined : parseJson(text.slice(start, end + 1));
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
