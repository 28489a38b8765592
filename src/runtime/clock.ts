/** A monotonic clock for durations, and time stamps. The global `performance` is the same clock, but Node takes longer to load it. */

/** Milliseconds since some moment in the past, with fractions. */
export function clockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** The time now in ISO 8601. `toISOString` gives the same, but looks up the time zone of the machine first. */
export function timeStamp(): string {
  const now = new Date();
  const date = [now.getUTCFullYear(), digits(now.getUTCMonth() + 1), digits(now.getUTCDate())].join('-');
  const time = [digits(now.getUTCHours()), digits(now.getUTCMinutes()), digits(now.getUTCSeconds())].join(':');
  return `${date}T${time}.${digits(now.getUTCMilliseconds(), 3)}Z`;
}

function digits(number: number, count = 2): string {
  return String(number).padStart(count, '0');
}
