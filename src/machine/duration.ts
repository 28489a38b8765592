/**
 * Durations as people write them: `500ms`, `30s`, `1.5h`. A bare number is refused, because its unit is a guess. The
 * checker reads the durations in the program, and the run those that result from values.
 */

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** The maximum, ten thousand days. Timers and dates stay exact far beyond it. */
const LONGEST_MS = 864_000_000_000;

type Duration = { readonly ms: number } | { readonly ms: null; readonly why: 'no-unit' | 'too-long' | 'no-duration' };

export function readDuration(text: string): Duration {
  const match = /^\s*(\d+(?:\.\d+)?|\.\d+)(ms|s|m|h|d)\s*$/.exec(text);
  if (match === null) return { ms: null, why: /^\s*\d+(?:\.\d+)?\s*$/.test(text) ? 'no-unit' : 'no-duration' };
  const ms = Math.round(Number(match[1]) * (UNITS[match[2] as string] as number));
  return ms > LONGEST_MS ? { ms: null, why: 'too-long' } : { ms };
}

/** Milliseconds, or null if the text is not a duration. */
export function parseDuration(text: string): number | null {
  return readDuration(text).ms;
}
