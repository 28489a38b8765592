/** Durations as people write them: `500ms`, `30s`, `1.5h`. A bare number is refused, because its unit is a guess. */

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** How long a WAIT lasts at most when it does not say, as the text of a template. */
export const DEFAULT_LIMIT: readonly [string] = ['300s'];

/** Milliseconds, or null when the text is not a duration. */
export function parseDuration(text: string): number | null {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text.trim());
  if (match === null) return null;
  return Math.round(Number(match[1]) * (UNITS[match[2] as string] as number));
}
