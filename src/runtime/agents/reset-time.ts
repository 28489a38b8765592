/**
 * Reads the time at which an agent can be used again. Programs report it in many forms: as seconds since 1970, as a
 * remaining time, as a date, or as an hour in a time zone. An implausible time is ignored.
 */

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
function inZone(shown: number, zone: string | undefined): number {
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
