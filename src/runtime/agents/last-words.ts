/**
 * What a program printed last, where that has to explain its end. Programs write warnings, hints and stack traces to
 * standard error, so the line that names the problem is rarely the last one.
 */
import type { Unavailable } from '../../interpreter/events/event.js';
import { unavailableFor } from './unavailable.js';

/** The number of characters at the end of standard error that are read. */
const LAST_WORDS = 4000;

// biome-ignore lint/suspicious/noControlCharactersInRegex: colors begin with the escape character.
const STYLE = /\u001b\[[0-9;]*[A-Za-z]/g;
/** A line of a stack trace, a piece of a printed object, or a warning. */
const NOISE = /^\s*(?:at |\d+: |Stack backtrace|[[\]{}]|.*\.[cm]?js:\d+|WARNING\b|Warning\b)|^\s+[a-z]\w*: /;
const ERROR = /^\W*\w*error\b/i;

/** The last lines without colors, stack traces and warnings. The first of them may have been cut. */
function linesOf(stderr: string): readonly string[] {
  const isCut = stderr.length > LAST_WORDS;
  const lines = stderr
    .slice(-LAST_WORDS)
    .replace(STYLE, '')
    .split('\n')
    .slice(isCut ? 1 : 0);
  return lines.filter((line) => ERROR.test(line) || !NOISE.test(line)).flatMap((line) => line.trim() || []);
}

/** The last line that names an error, or else the last line; null if there is none. */
export function lastWords(stderr: string): string | null {
  const lines = linesOf(stderr);
  return lines.findLast((line) => ERROR.test(line)) ?? lines.at(-1) ?? null;
}

interface Ending {
  readonly stderr: string;
  /** Its last line of output that was not a report, or empty. */
  readonly plain: string;
  /** Why it was waiting for its service; null if it was not. */
  readonly retrying: string | null;
  /** The time at which it can be used again, if it was reported. */
  readonly resetMs: number | null;
}

/** The temporary problem of a program that ended without a report. Its message is the line that names the problem. */
export function problemAtEnd({ stderr, plain, retrying, resetMs }: Ending, nowMs: number): Unavailable | null {
  const others = [plain, retrying ?? ''].filter((text) => text !== '');
  const all = [stderr.slice(-LAST_WORDS), ...others].join('\n').trim();
  // A program that was waiting for its service has no other reason to end.
  const found = unavailableFor(all, nowMs, resetMs, retrying === null ? {} : { retryable: true });
  if (found === null) return null;
  const named = [...linesOf(stderr), ...others].reverse().map((line) => unavailableFor(line, nowMs, resetMs));
  const own = named.find((problem) => problem !== null);
  // The pauses of its own retries are no times at which it can be used again.
  const until = retrying === null ? found.until_ms : resetMs;
  if (own !== undefined) return { ...own, until_ms: own.until_ms ?? until };
  const message =
    retrying === null ? lastWords(stderr) : `the program ended while it waited for its service: ${retrying}`;
  return { ...found, until_ms: until, message: message ?? found.message };
}
