/** Decodes the outcome of an agent call from the output and the exit of its program. */
import type {
  AgentFacts,
  BrokenGuard,
  Outcome,
  Output,
  TokenCounts,
  Unavailable,
} from '../../interpreter/events/event.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { EffectContext } from '../effect-context.js';
import { outputSink } from '../process/output.js';
import { startPausableTimer, startTimer } from '../timer.js';
import type { Adapter, Guards } from './programs/adapter.js';
import type { AgentTally, ErrorFlags } from './tally.js';

type EndedProcess = Extract<Outcome, { kind: 'exited' | 'timed-out' }>;
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
    tool_calls: tally.performed.length === 0 ? undefined : tally.performed,
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
  ended: Extract<EndedProcess, { kind: 'exited' }>,
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
function silentFailure(ended: Extract<EndedProcess, { kind: 'exited' }>, call: EndedCall): string | null {
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
function circumstances(ended: Extract<EndedProcess, { kind: 'exited' }>, { tally, plain }: EndedCall): string {
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

export async function decodeCall(ended: EndedProcess, call: EndedCall): Promise<Outcome> {
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
function lastWords(stderr: string): string | null {
  const lines = linesOf(stderr);
  return lines.findLast((line) => ERROR.test(line)) ?? lines.at(-1) ?? null;
}

interface CallEnding {
  readonly stderr: string;
  /** Its last line of output that was not a report, or empty. */
  readonly plain: string;
  /** Why it was waiting for its service; null if it was not. */
  readonly retrying: string | null;
  /** The time at which it can be used again, if it was reported. */
  readonly resetMs: number | null;
}

/** The temporary problem of a program that ended without a report. Its message is the line that names the problem. */
function problemAtEnd({ stderr, plain, retrying, resetMs }: CallEnding, nowMs: number): Unavailable | null {
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

/** The interval between checks of files, in milliseconds. */
const LOOK_MS = 500;

interface GuardWatch {
  /** Compares the amounts so far. */
  see(tally: AgentTally): void;
  /** The exceeded guard, after a last check of the files. */
  end(tally: AgentTally): Promise<BrokenGuard | null>;
  /** Stops watching. Must be called even after an error. */
  close(): void;
}

/**
 * Limits that act while an agent works. Reported amounts are compared as they arrive, and time and files are watched.
 * The first exceeded limit stops the agent with everything it started. A limit may also be exceeded only at the end,
 * when the program reports its totals. Then there is nothing to stop, but the call fails.
 */
export function watchGuards(guards: Guards, stop: () => void): GuardWatch {
  let broken: BrokenGuard | null = null;
  let closed = false;
  let cancelLook = (): void => undefined;
  const report = (guard: BrokenGuard | null): void => {
    if (guard === null || broken !== null || closed) return;
    broken = guard;
    stop();
  };
  const { maxTimeMs, changedFile } = guards;
  const time =
    maxTimeMs === null
      ? null
      : startPausableTimer(maxTimeMs, () =>
          report({ name: 'max_time', message: `it ran longer than ${seconds(maxTimeMs)}` }),
        );
  const look = async (): Promise<void> => {
    // If files cannot be examined now, the next check tries again, and the last one reports the failure.
    report(brokenByChange((await changedFile?.().catch(() => null)) ?? null));
    if (broken === null && !closed) cancelLook = startTimer(LOOK_MS, () => void look());
  };
  if (changedFile !== null) cancelLook = startTimer(LOOK_MS, () => void look());
  const close = (): void => {
    closed = true;
    time?.cancel();
    cancelLook();
  };
  return {
    see(tally) {
      // Time in which a program waits for its service does not count.
      if (tally.retrying === null) time?.resume();
      else time?.pause();
      report(brokenBy(guards, tally));
    },
    async end(tally) {
      report(ownGuard(tally) ?? brokenBy(guards, tally));
      if (broken === null && changedFile !== null) report(brokenByChange(await changedFile()));
      close();
      return broken;
    },
    close,
  };
}

function brokenBy({ maxTurns, maxCost }: Guards, { turns, cost }: AgentTally): BrokenGuard | null {
  if (maxTurns !== null && turns !== null && turns > maxTurns)
    return { name: 'max_turns', message: `it took ${turns} turns, but at most ${maxTurns} are allowed` };
  if (maxCost !== null && cost !== null && cost > maxCost)
    return { name: 'max_cost', message: `it cost ${dollars(cost)}, but at most ${dollars(maxCost)} are allowed` };
  return null;
}

/** The program knows the limit and stopped itself without exceeding it. */
function ownGuard({ ownGuard: name, error }: AgentTally): BrokenGuard | null {
  if (name === null) return null;
  const none = name === 'max_turns' ? 'its turns were used up' : 'its budget was used up';
  // An error without a message is recorded by its kind.
  return { name, message: error === null || /^\w*$/.test(error) ? none : `the program stopped: ${error}` };
}

function brokenByChange(file: string | null): BrokenGuard | null {
  return file === null ? null : { name: 'no_write', message: `it changed \`${file}\`` };
}

const seconds = (ms: number): string => (ms % 1000 === 0 ? `${ms / 1000} s` : `${ms} ms`);
const dollars = (amount: number): string => `$${amount.toFixed(amount < 0.01 ? 4 : 2)}`;

/** The longest plausible time, because no account is locked for longer. */
const FARTHEST_MS = 40 * 86_400_000;

/** Times of day have no seconds, and clocks differ: a time that has just passed means today, and is imminent. */
const JUST_PASSED_MS = 5 * 60_000;
const SHORT_WAIT_MS = 20_000;

const UNITS_MS: readonly (readonly [RegExp, number])[] = [
  [/^(?:ms|milli)/i, 1],
  [/^s/i, 1000],
  [/^m/i, 60_000],
  [/^h/i, 3_600_000],
  [/^d/i, 86_400_000],
];
const AMOUNT = String.raw`\d+(?:\.\d+)?\s*(?:ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)\b`;
const EPOCH = /(?:\||resets?_?at["':\s]+)(\d{10})(\d{3})?\b/i;
const LEFT = new RegExp(
  String.raw`(?:again|retry|resets?|regain|wait|available|retrydelay["':]*)\D{0,24}?((?:${AMOUNT}|\d+(?:\.\d+)?(?:ms|[smhd]))(?:[\s,]*(?:and\s+)?(?:${AMOUNT}|\d+(?:\.\d+)?(?:ms|[smhd])))*)`,
  'i',
);
const SECONDS = /(?:retry[-_ ]after|resets?_in_seconds)["':\s]+(\d+)(?![\d.]*\s*[a-z])/i;
const DATE =
  /\b(\d{4})-(\d\d)-(\d\d)(?:[T ]|\s+at\s+)(\d\d):(\d\d)(?::(\d\d)(?:\.\d+)?)?\s*(Z|UTC|GMT|[+-]\d\d:?\d\d)?/;
const CLOCK =
  /(?:resets?|again|until)\s+(?:at\s+|on\s+)?(?:([A-Z][a-z]{2})[a-z]*\.?\s+(\d{1,2})(?:st|nd|rd|th)?,?\s+(?:(\d{4}),?\s+)?(?:at\s+)?)?(\d{1,2})(?::(\d\d))?\s*([ap]m)?\b\s*(?:\(?([A-Z][A-Za-z]+(?:\/[A-Za-z_+-]+)*)\)?)?/i;
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/** Milliseconds since the epoch, or null if the text contains no future time. */
export function resetTime(text: string, nowMs: number): number | null {
  const candidates = [
    fromEpoch(text),
    fromDate(text),
    fromSeconds(text, nowMs),
    fromLeft(text, nowMs),
    fromClock(text, nowMs),
  ];
  const found = candidates.find((time) => time !== null) ?? null;
  return found !== null && found > nowMs && found - nowMs <= FARTHEST_MS ? Math.ceil(found) : null;
}

function fromEpoch(text: string): number | null {
  const match = EPOCH.exec(text);
  return match === null ? null : Number(match[1]) * 1000 + Number(match[2] ?? 0);
}

function fromSeconds(text: string, nowMs: number): number | null {
  const match = SECONDS.exec(text);
  return match === null ? null : nowMs + Number(match[1]) * 1000;
}

function fromLeft(text: string, nowMs: number): number | null {
  const match = LEFT.exec(text);
  if (match === null) return null;
  let sum = 0;
  for (const [, amount, unit] of (match[1] as string).matchAll(/(\d+(?:\.\d+)?)\s*([a-z]+)/gi))
    sum += Number(amount) * (UNITS_MS.find(([name]) => name.test(unit as string))?.[1] ?? 0);
  return nowMs + sum;
}

function fromDate(text: string): number | null {
  const match = DATE.exec(text);
  if (match === null) return null;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const [, sign, hours, minutes] = /([+-])(\d\d):?(\d\d)/.exec(match[7] ?? '') ?? [];
  const ahead = sign === undefined ? 0 : (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  return Date.UTC(year, month - 1, day, hour, minute - ahead, second);
}

/** A time of day, with or without a date, in the named zone or else in ours. */
function fromClock(text: string, nowMs: number): number | null {
  const match = CLOCK.exec(text);
  if (match === null) return null;
  const [, monthName, dayText, yearText, hourText, minuteText, half, zoneName] = match;
  // A bare number is not a time of day.
  if (minuteText === undefined && half === undefined) return null;
  const hour = (Number(hourText) % (half === undefined ? 24 : 12)) + (half?.toLowerCase() === 'pm' ? 12 : 0);
  const zone = knownZone(zoneName);
  const today = new Date(nowMs + offsetMs(nowMs, zone));
  const month = MONTHS.indexOf(monthName?.toLowerCase() ?? '');
  const year = yearText === undefined ? today.getUTCFullYear() : Number(yearText);
  const dated = month >= 0 && dayText !== undefined;
  const at = (add: number): number =>
    inZone(
      dated
        ? Date.UTC(year + add, month, Number(dayText), hour, Number(minuteText ?? 0))
        : Date.UTC(
            today.getUTCFullYear(),
            today.getUTCMonth(),
            today.getUTCDate() + add,
            hour,
            Number(minuteText ?? 0),
          ),
      zone,
    );
  const first = at(0);
  if (first <= nowMs && nowMs - first < JUST_PASSED_MS) return nowMs + SHORT_WAIT_MS;
  return first > nowMs || yearText !== undefined ? first : at(1);
}

function knownZone(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** The point in time at which a clock in the zone shows what a UTC clock shows at `shown`. */
export function inZone(shown: number, zone: string | undefined): number {
  const guess = shown - offsetMs(shown, zone);
  return shown - offsetMs(guess, zone);
}

/** The offset of the zone from UTC; of our zone if none is given. */
function offsetMs(timeMs: number, zone: string | undefined): number {
  if (zone === undefined) return -new Date(timeMs).getTimezoneOffset() * 60_000;
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  const parts = Object.fromEntries(format.formatToParts(timeMs).map(({ type, value }) => [type, Number(value)]));
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(timeMs / 1000) * 1000;
}
