/** Points in time, durations, money and sizes, for people. */

/** Formats an ISO 8601 time, or milliseconds since 1970, as `2026-03-01 12:00:00` in the reader's time zone. */
export function localTime(time: string | number): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return String(time);
  const twoDigits = (value: number): string => String(value).padStart(2, '0');
  const day = `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
  return `${day} ${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}:${twoDigits(date.getSeconds())}`;
}

/** US dollars with two decimals, or four for less than a cent. Null is an unknown amount, which differs from zero. */
export function dollars(amount: number | null): string {
  if (amount === null) return 'unknown';
  return `$${amount.toFixed(amount > 0 && amount < 0.01 ? 4 : 2)}`;
}

/** `512 B`, `3.4 kB`, `12 MB`. */
export function size(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  let rest = bytes / 1000;
  for (const unit of ['kB', 'MB', 'GB']) {
    if (rest < 999.5) return `${rest < 9.95 ? rest.toFixed(1) : Math.round(rest)} ${unit}`;
    rest /= 1000;
  }
  return `${rest.toFixed(1)} TB`;
}

/** `1 run`, `2 runs`. */
export function countOf(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** A duration for people, as exact as is useful. */
export function duration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 9.995) return `${seconds.toFixed(2)} s`;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** A limit as the language writes it: `90s`, `30m`, `2h`. */
export function limitDuration(ms: number): string {
  for (const [unit, size] of [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1000],
  ] as const) {
    if (ms >= size && ms % size === 0) return `${ms / size}${unit}`;
  }
  return `${ms}ms`;
}
