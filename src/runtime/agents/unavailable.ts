/**
 * Distinguishes temporary problems from permanent ones. An exhausted account, an overloaded service and a missing
 * network say nothing about the work, and can only be retried later. The messages come from the services, and the
 * programs pass them on, so they are the same for all programs.
 */
import type { Unavailable } from '../../interpreter/events/event.js';
import { resetTime } from './reset-time.js';
import type { ErrorFlags } from './tally.js';

/** Waiting does not help: a person has to pay or change a setting. */
const STAYS = /insufficient_quota|credit balance|billing|payment|invalid api key|unauthori[sz]ed|\b401\b|\b403\b/i;

const USAGE =
  /usage limit|hit your (?:\w+ ){0,2}limit|reached your (?:\w+ ){0,3}limits?|limit (?:was |has been )?reached|(?:rate|session|weekly|daily|hourly|token)[ _-]?limit|quota|regain access|too many requests|resource_exhausted/i;

const STATUS =
  /(?:error|status|code|http|api)\W{0,12}(?:code\W{0,3})?(429|5\d\d)\b|\b(429|5\d\d)\b\W{0,4}(?:error|too many|service|internal|bad gateway|gateway|overload|server|\{)/i;

const OVERLOAD =
  /overloaded|over capacity|at capacity|exhausted your capacity|capacity_exhausted|service unavailable|temporarily unavailable|internal server error|bad gateway|gateway time-?out|try again later/i;

const NETWORK =
  /\b(?:EAI_AGAIN|ECONNRESET|ECONNREFUSED|ECONNABORTED|ENOTFOUND|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|UND_ERR_\w+)\b|socket hang up|fetch failed|network (?:error|is unreachable)|connection (?:error|reset|refused|closed|failed|dropped|was closed|timed out)|cannot connect|error sending request|stream disconnected|could not resolve host|name resolution|other side closed|\[API Error: terminated\]/i;

/**
 * The temporary problem in the message of a failed call, or null if the failure is permanent. `resetMs`: the time at
 * which it can be used again, if the program reported it separately from its message.
 */
export function unavailableFor(
  text: string,
  nowMs: number,
  resetMs: number | null = null,
  flags: ErrorFlags = {},
): Unavailable | null {
  if (staysFor(flags)) return null;
  const cause = causeOfFlags(flags, text) ?? causeOf(text) ?? (resetMs === null ? null : 'usage');
  if (cause === null) return null;
  const untilMs = resetMs !== null && resetMs > nowMs ? resetMs : resetTime(text, nowMs);
  if (untilMs === null && STAYS.test(text)) return null;
  return { cause, message: firstLine(text), until_ms: untilMs, at_ms: nowMs };
}

/** Facts that the program reports about an error take precedence over its message. */
function staysFor({ status, retryable }: ErrorFlags): boolean {
  if (retryable !== undefined) return !retryable;
  return status !== undefined && status >= 400 && status < 500 && !PASSING.has(status);
}

/** Request timeout, conflict, too early, too many requests. */
const PASSING: ReadonlySet<number> = new Set([408, 409, 425, 429]);

function causeOfFlags({ status, retryable }: ErrorFlags, text: string): Unavailable['cause'] | null {
  if (status === 429) return 'usage';
  if (status !== undefined && (status >= 500 || PASSING.has(status))) return 'overload';
  return retryable === true ? (causeOf(text) ?? 'network') : null;
}

function causeOf(text: string): Unavailable['cause'] | null {
  if (USAGE.test(text)) return 'usage';
  if (OVERLOAD.test(text) || STATUS.test(text)) return 'overload';
  return NETWORK.test(text) ? 'network' : null;
}

function firstLine(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? '';
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}
