/**
 * `check --fix` makes no unsafe change. Programs with mistakes are corrected, and whatever was wrong, the law of
 * `fix-law.ts` holds. Other mistakes are drawn with each start of the tests; a failure names the program and the number.
 */
import { expect, test } from 'vitest';
import { tries } from '../amount.js';
import { problemsOf, programs } from '../corpus/fix-law.js';
import { seed, sequenceOf } from '../random.js';

const FIXED = tries(8, 1000);

test('a safe fix changes nothing but what is wrong', async () => {
  const random = sequenceOf(String(seed));
  const found: string[] = [];
  let fixed = 0;
  for (let tried = 0; fixed < FIXED && tried < 20 * FIXED; tried++) {
    const one = programs[random(programs.length)] as (typeof programs)[number];
    const { problems, isFixed } = await problemsOf(one, `${one.name} ${random(1e9)}`);
    if (problems !== '') found.push(problems);
    if (isFixed) fixed++;
  }
  expect(found.slice(0, 20).join('\n\n')).toBe('');
  expect(fixed).toBe(FIXED);
});
