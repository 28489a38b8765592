/** Durations from values, decoded when the instruction is reached. */
import { readDuration } from '../../machine/duration.js';
import { badValue, excerpt } from '../failure.js';
import { aType, type Value } from './value.js';

const WRITE = 'write a number and `ms`, `s`, `m`, `h` or `d`, as in `30s`';

/** The milliseconds of `30s`, `1.5h`, `250ms`; fails with `bad_value` for anything else. */
export function durationMs(value: Value, what: string): number {
  if (typeof value !== 'string')
    throw badValue(
      `${what} is ${aType(value)}; a duration needs a unit: \`ms\`, \`s\`, \`m\`, \`h\` or \`d\`, as in \`30s\``,
    );
  const read = readDuration(value);
  if (read.ms !== null) return read.ms;
  if (read.why === 'too-long') throw badValue(`${what}: \`${excerpt(value)}\` is longer than 10,000 days`);
  throw badValue(
    `${what}: ${read.why === 'no-unit' ? 'it has no unit' : `\`${excerpt(value)}\` is not a duration`}; ${WRITE}`,
  );
}
