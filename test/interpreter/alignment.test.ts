/** The lines of an edited state that keep their places: as many as possible, in their order. */
import { expect, test } from 'vitest';
import { Alignment } from '../../src/interpreter/record/alignment.js';
import type { State } from '../../src/machine/machine.js';
import { tries } from '../amount.js';
import { seed, sequenceOf } from '../random.js';
import { type Code, done, machine, shell } from './machine-builder.js';

/** A machine with a command for each letter. */
function commandsOf(letters: string) {
  return machine({ A: { code: [...letters].map((letter): Code => shell(letter)).concat(done()) } });
}

/** The letters that keep their places. */
function kept(before: string, after: string): string {
  const [old, fresh] = [commandsOf(before), commandsOf(after)];
  const alignment = new Alignment(old.states[0] as State, fresh.states[0] as State, { old, fresh });
  return [...before]
    .filter((letter, at) => alignment.isUnchanged(at) && after[alignment.of(at) ?? -1] === letter)
    .join('');
}

/** How many letters two words can have in common in their order, by trying all. */
function mostCommon(a: string, b: string): number {
  if (a === '' || b === '') return 0;
  if (a[0] === b[0]) return 1 + mostCommon(a.slice(1), b.slice(1));
  return Math.max(mostCommon(a.slice(1), b), mostCommon(a, b.slice(1)));
}

test('what is written above lines that stay moves none of them, also if it was below them twice', () => {
  expect(kept('pqxx', 'xpq')).toBe('pq');
  expect(kept('xxpq', 'pqx')).toBe('pq');
});

test('as many lines as possible stay', () => {
  const draw = sequenceOf(`${seed}`);
  const word = (): string => Array.from({ length: draw(6) }, () => 'abc'[draw(3)]).join('');
  for (let n = 0; n < tries(200, 20_000); n++) {
    const [before, after] = [word(), word()];
    expect([before, after, kept(before, after).length]).toEqual([before, after, mostCommon(before, after)]);
  }
});
