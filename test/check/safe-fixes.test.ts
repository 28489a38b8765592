/**
 * `check --fix` makes no unsafe change. Programs with mistakes are corrected, and whatever was wrong, the law of
 * `fix-law.ts` holds. Other mistakes are drawn with each start of the tests; a failure names the program and the number.
 */
import { expect, test } from 'vitest';
import { tries } from '../amount.js';
import { problemsOf, problemsOfText, programs } from '../corpus/fix-law.js';
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

test('a path of a name that a wrong line was to bind is its value after the fix, and was a text', async () => {
  const text = `DO: r = echo '{"a": 3}'\nEMIT: E n={r.a}\nRETURN: r.a\n`;
  expect(await problemsOfText(text, `• ${text}`)).toStrictEqual({ problems: '', isFixed: true });
});

/** A PARALLEL gives its limit to the lines in its block, so a mistake of it is in their limit too. */
const LIMITED = [
  ['DO: in PARALLEL [timout=1s]:', '- a = echo 1'],
  ['DO: r = in PARALLEL [timout=1s on_failure=keep]:', '- CHECK: a = echo 1'],
  ['FOR EACH: x in [1, 2] in PARALLEL [timout=1s]:', 'DO: echo 1'],
] as const;

test.each(LIMITED)('a limit that is corrected in %s is no other %s below it', async (line, below) => {
  const mistaken = `STATE: A\n  ${line}\n    ${below}\n  RETURN: 1\n`;
  const judged = await problemsOfText(mistaken.replace('timout', 'timeout'), mistaken);
  expect(judged).toStrictEqual({ problems: '', isFixed: true });
});
