/** A monotonic clock for durations, and time stamps. The global `performance` is the same clock, but Node takes longer to load it. */

/** Milliseconds since some moment in the past, with fractions. */
export function clockMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** The time now in ISO 8601. */
export function timeStamp(): string {
  return timeText(Date.now());
}

/** The last second of which a text was made, in seconds since the epoch, and how its texts begin. */
let second = Number.NaN;
let beginning = '';

/** A time in ISO 8601. `ms`: milliseconds since the epoch, not before it. Times that follow each other are mostly in the same second. */
export function timeText(ms: number): string {
  const whole = Math.floor(ms / 1000);
  if (whole !== second) {
    beginning = beginningOf(new Date(whole * 1000));
    second = whole;
  }
  return `${beginning}.${digits(Math.floor(ms - whole * 1000), 3)}Z`;
}

const LAST_YEAR = 9999;

/** `toISOString` gives the same, but looks up the time zone of the machine first. Later years have another form. */
function beginningOf(time: Date): string {
  const year = time.getUTCFullYear();
  if (year > LAST_YEAR) return time.toISOString().slice(0, -'.000Z'.length);
  const date = [digits(year, 4), digits(time.getUTCMonth() + 1), digits(time.getUTCDate())].join('-');
  return `${date}T${[time.getUTCHours(), time.getUTCMinutes(), time.getUTCSeconds()].map((one) => digits(one)).join(':')}`;
}

function digits(number: number, count = 2): string {
  return String(number).padStart(count, '0');
}
