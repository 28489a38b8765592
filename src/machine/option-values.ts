/**
 * Parses the options of DO, CHECK and WAIT. The checker parses the options in the program, and the run those that
 * result from values.
 */
import { parseDuration } from './duration.js';

/** A pause between two attempts or turns: constant, or doubled each time up to a maximum. */
export interface Pause {
  readonly pauseMs: number;
  /** The longest pause; absent if the pause is constant. */
  readonly upToMs?: number;
}

export interface Retry extends Pause {
  /** The number of retries. */
  readonly times: number;
}

/** A failure that is retried: its kind, or its exit code. */
export type RetryOn = string | number;

/** Failures of effects that a retry may correct. */
export const RETRIED_KINDS: readonly string[] = [
  'tool_failure',
  'timeout',
  'not_json',
  'bad_value',
  'value_too_large',
  'limit',
];

/** Parses `5s`, or `1s..60s` for a pause that doubles. Null for any other text. */
export function parsePause(text: string): Pause | null {
  const [first = '', last, ...more] = text.split('..');
  const pauseMs = parseDuration(first);
  if (pauseMs === null || more.length > 0) return null;
  if (last === undefined) return { pauseMs };
  const upToMs = parseDuration(last);
  return upToMs === null || pauseMs === 0 || upToMs < pauseMs ? null : { pauseMs, upToMs };
}

/**
 * Parses `2` for two retries, `2/5s` with a pause before each, `5/1s..60s` with pauses that double. Null for any other
 * text.
 */
export function parseRetry(text: string): Retry | null {
  const match = /^(\d{1,4})(?:\/(.+))?$/.exec(text.trim());
  if (match === null) return null;
  const pause = match[2] === undefined ? { pauseMs: 0 } : parsePause(match[2]);
  return pause === null ? null : { times: Number(match[1]), ...pause };
}

/** The failures of `timeout,exit:75`, or the first word that is not a failure. */
export function parseRetryOn(text: string): { readonly on: RetryOn[] } | { readonly wrong: string } {
  const on: RetryOn[] = [];
  for (const word of text.split(',').map((one) => one.trim())) {
    const exit = /^exit:(\d{1,3})$/.exec(word);
    if (exit !== null && Number(exit[1]) < 256) on.push(Number(exit[1]));
    else if (RETRIED_KINDS.includes(word)) on.push(word);
    else return { wrong: word };
  }
  return { on };
}

/** The codes of `0,2`, or `any`. Null if the text is neither `any` nor a list of numbers from 0 to 255. */
export function parseExitCodes(text: string): number[] | 'any' | null {
  if (text.trim() === 'any') return 'any';
  const codes = text.split(',').map((code) => code.trim());
  return codes.every((code) => /^\d{1,3}$/.test(code) && Number(code) < 256) ? codes.map(Number) : null;
}
