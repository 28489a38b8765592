import { expect, test } from 'vitest';
import type { Load } from '../../src/language/check/collect.js';
import { compile } from '../../src/language/check/compile.js';

const program = 'IMPORT: "./p.dsl"\nUSE: P with a=1\nRETURN: ok\n';
const pattern = 'PATTERN: P with a\n  EMIT: P a={a}\n';

function messages(load: Load): string[] {
  return compile(program, { load }).diagnostics.map(({ message }) => message);
}

test('a loader may give a text, or a text with the name that messages use', () => {
  expect(messages(() => pattern)).toEqual([]);
  expect(messages((path, from) => ({ name: `${from}/${path}`, text: pattern }))).toEqual([]);
});

test('whatever a loader does, compiling says it and throws nothing', () => {
  const first = (load: unknown) => messages(load as Load)[0];
  const thrown = (cause: unknown) => () => {
    throw cause;
  };
  expect(first(() => null)).toBe('cannot import `./p.dsl`: no such file');
  expect(first(() => undefined)).toBe('cannot import `./p.dsl`: no such file');
  expect(first(() => ({ error: 'it is secret' }))).toBe('cannot import `./p.dsl`: it is secret');
  expect(first(thrown(new Error('the network is down')))).toBe('cannot import `./p.dsl`: the network is down');
  expect(first(thrown('no'))).toBe('cannot import `./p.dsl`: no');
  expect(first(() => ({ name: 'p' }))).toBe('cannot import `./p.dsl`: it has no text');
  expect(first(async () => pattern)).toBe('cannot import `./p.dsl`: it has no text');
});
