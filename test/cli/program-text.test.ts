import { describe, expect, test } from 'vitest';
import { projectFolder } from './statedsl.js';

describe('a file that is not text', () => {
  test('invalid UTF-8 is an error with the byte offset', async () => {
    const one = projectFolder();
    one.file('a.dsl', Buffer.from([...Buffer.from('RETURN: ä'), 0xff, 0x0a]));
    const { code, stdout, stderr } = await one.run(['run', 'a.dsl', '--json']);
    expect(code).toBe(2);
    expect(stderr).toContain('error[invalid-utf8]: byte 10 of this file is not valid UTF-8');
    expect(stderr).toContain('a.dsl:1:10');
    expect(JSON.parse(stdout)).toMatchObject({ status: 'invalid', diagnostics: [{ code: 'invalid-utf8', line: 1 }] });
  });

  test('so is a lone surrogate, even far into the text', async () => {
    const one = projectFolder();
    const head = '# äöü\n'.repeat(20_000);
    one.file('a.dsl', Buffer.concat([Buffer.from(head), Buffer.from([0xed, 0xa0, 0x80])]));
    const { code, stderr } = await one.run(['check', 'a.dsl']);
    expect(code).toBe(2);
    expect(stderr).toContain(`byte ${Buffer.byteLength(head)} of this file`);
  });

  test('U+0000', async () => {
    const one = projectFolder();
    one.file('a.dsl', 'RETURN: a\u0000b\n');
    const { code, stderr } = await one.run(['run', 'a.dsl']);
    expect(code).toBe(2);
    expect(stderr).toContain('byte 9 of this file is U+0000');
  });
});

test('a byte order mark and CRLF are not part of the program', async () => {
  const one = projectFolder();
  one.file('a.dsl', '\ufeffDO: x = printf %s hi\r\nRETURN: {x}\r\n');
  expect(await one.run(['run', 'a.dsl', '--quiet'])).toEqual({ code: 0, stdout: 'hi\n', stderr: '' });
});

test('standard input is called <stdin>, is not Markdown and imports from here', async () => {
  const one = projectFolder({ 'lib/p.dsl': 'PATTERN: GREET with who\n  EMIT: HI who={who}\n' });
  const { code, stdout, stderr } = await one.runProcess(['run', '-', '--json', '--log'], {
    input: 'IMPORT: "./lib/p.dsl"\nUSE: GREET with who="x"\nRETURN: done\n',
  });
  expect(stderr).toContain('EMIT HI who=x');
  expect({ code, status: JSON.parse(stdout).status }).toEqual({ code: 0, status: 'returned' });
  expect((await one.runProcess(['check', '-'], { input: 'GOTO: A\n' })).stderr).toContain('--> <stdin>:1:');
});

test('an import that cannot be read says why', async () => {
  const one = projectFolder({ 'a.dsl': 'IMPORT: "./nowhere.dsl"\nRETURN\n' });
  const { code, stderr } = await one.run(['check', 'a.dsl']);
  expect(code).toBe(2);
  expect(stderr).toContain('./nowhere.dsl');
  expect(stderr).toContain('no such file');
});

test('shipped patterns are found', async () => {
  const one = projectFolder({ 'a.dsl': 'IMPORT: "std/poll"\nRETURN: ok\n' });
  expect((await one.run(['run', 'a.dsl', '--quiet'])).stdout).toBe('ok\n');
  one.file('b.dsl', 'IMPORT: "std/nothing"\nRETURN: ok\n');
  expect(await one.run(['run', 'b.dsl'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no shipped pattern'),
  });
});

test('a file with nothing to run returns at once', async () => {
  const one = projectFolder({ 'a.dsl': '# nothing\n' });
  const { code, stdout, stderr } = await one.run(['run', 'a.dsl', '--json', '--log']);
  expect(code).toBe(0);
  expect(stderr).toContain('warning[nothing-to-run]');
  expect(JSON.parse(stdout)).toMatchObject({ status: 'returned', machine: 'a', returned: null, states: [] });
});

test('arrows and daggers mean in the built program what they mean in its source', async () => {
  const one = projectFolder({ 'a.dsl': 'STATE: A\n  IF: 1 == 2 → RETURN: x\n  ELSE→ RETURN: y\n' });
  expect(await one.run(['run', 'a.dsl', '--quiet'])).toEqual({ code: 0, stdout: 'y\n', stderr: '' });
});
