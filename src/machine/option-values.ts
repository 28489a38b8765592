/**
 * What the options of DO and CHECK say. The check reads those that stand in the program, the run those that values
 * make.
 */
import { parseDuration } from './duration.js';

export interface Retry {
  /** Further tries after the first. */
  readonly times: number;
  readonly pauseMs: number;
}

/** `2` tries twice more, `2/5s` with a pause before each. Null when the text says something else. */
export function parseRetry(text: string): Retry | null {
  const match = /^(\d{1,4})(?:\/(.+))?$/.exec(text.trim());
  if (match === null) return null;
  const pauseMs = match[2] === undefined ? 0 : parseDuration(match[2]);
  return pauseMs === null ? null : { times: Number(match[1]), pauseMs };
}

/** The codes of `0,2`. Null when the text is no list of numbers from 0 to 255. */
export function parseExitCodes(text: string): number[] | null {
  const codes = text.split(',').map((code) => code.trim());
  return codes.every((code) => /^\d{1,3}$/.test(code) && Number(code) < 256) ? codes.map(Number) : null;
}
