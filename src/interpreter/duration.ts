/** Durations as programs write them: a number and a unit. A bare number is a mistake, since nobody agrees on its unit. */
import { badValue, excerpt } from './failure.js';
import { aType, type Value } from './value.js';

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
/** Ten thousand days; timers and dates stay exact far beyond it. */
const MAX_DURATION_MS = 864_000_000_000;

/** Milliseconds of `30s`, `1.5h`, `250ms`; fails `bad_value` for anything else. */
export function durationMs(value: Value, what: string): number {
  if (typeof value !== 'string')
    throw badValue(
      `${what} is ${aType(value)}; a duration needs a unit: \`ms\`, \`s\`, \`m\`, \`h\` or \`d\`, as in \`30s\``,
    );
  const match = /^\s*(\d+(?:\.\d+)?|\.\d+)(ms|s|m|h|d)\s*$/.exec(value);
  if (match === null) {
    const hint = /^\s*\d+(\.\d+)?\s*$/.test(value) ? 'it has no unit' : `\`${excerpt(value)}\` is no duration`;
    throw badValue(`${what}: ${hint}; write a number and \`ms\`, \`s\`, \`m\`, \`h\` or \`d\`, as in \`30s\``);
  }
  const ms = Number(match[1]) * (UNITS[match[2] as string] as number);
  if (ms > MAX_DURATION_MS) throw badValue(`${what}: \`${excerpt(value)}\` is longer than 10,000 days`);
  return Math.round(ms);
}
