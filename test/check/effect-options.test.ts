/** What the options of a DO and a CHECK become in the instruction that the run executes. */
import { expect, test } from 'vitest';
import { compile } from '../../src/language/check/compile.js';

function effectOf(line: string): object | undefined {
  const { machine } = compile(`STATE: A\n  ${line}\n  RETURN`, {});
  return machine?.states[0]?.code.find(({ op }) => op === 'shell');
}

test('a DO must exit with 0, stops at the first command that fails, and may be repeated after a crash', () => {
  const plain = effectOf('DO: make; make install');
  expect(plain).toMatchObject({ ok: [0], strict: 'script', reading: 'none' });
  for (const name of ['once', 'retry', 'timeout', 'piped', 'cwd', 'env']) expect(plain).not.toHaveProperty(name);
});

test('a CHECK accepts any exit code, and only a pipe of its script is strict', () => {
  expect(effectOf('CHECK: x = make')).toMatchObject({ ok: 'any', strict: 'pipes', reading: 'check-named' });
  expect(effectOf('CHECK: make')).toMatchObject({ reading: 'check' });
});

test('options say otherwise', () => {
  expect(effectOf('DO [once]: make')).toMatchObject({ once: true });
  expect(effectOf('DO [ok=0,2]: make')).toMatchObject({ ok: [0, 2] });
  expect(effectOf('DO [strict=off]: make')).not.toHaveProperty('strict');
  expect(effectOf('DO [timeout=5s]: make')).toMatchObject({ timeout: ['5s'] });
  expect(effectOf('DO: x = make')).toMatchObject({ reading: 'do' });
});

test('a path below the folder of the program is a command, not a division', () => {
  expect(effectOf('DO: x = {program_dir()}/tool.sh')).toMatchObject({ op: 'shell' });
});
