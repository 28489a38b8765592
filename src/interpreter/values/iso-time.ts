/** A point in time as ISO 8601 text in UTC, computed here because the interpreter has no clock and no calendar. */

/** Year, month and day of a day number since 1970-01-01, in the proleptic Gregorian calendar (Hinnant's algorithm). */
function civil(days: number): { year: number; month: number; day: number } {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  return { year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day };
}

const pad = (value: number, length = 2): string => String(value).padStart(length, '0');

/** `2026-03-01T12:00:00.000Z` of milliseconds since the epoch. */
export function isoTime(ms: number): string {
  const whole = Math.floor(ms);
  const days = Math.floor(whole / 86_400_000);
  const rest = whole - days * 86_400_000;
  const { year, month, day } = civil(days);
  const [hour, minute] = [Math.floor(rest / 3_600_000), Math.floor(rest / 60_000) % 60];
  const [second, millisecond] = [Math.floor(rest / 1000) % 60, rest % 1000];
  return `${pad(year, 4)}-${pad(month)}-${pad(day)}T${pad(hour)}:${pad(minute)}:${pad(second)}.${pad(millisecond, 3)}Z`;
}
