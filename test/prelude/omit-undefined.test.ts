/** Members are left out when they are undefined, and only then. */
import { expect, expectTypeOf, test } from 'vitest';
import { omitUndefined } from '../../src/prelude/omit-undefined.js';

test('undefined members are left out, and the others keep their order', () => {
  const label: string | undefined = undefined;
  const made = omitUndefined({ z: 1, label, a: 2 });
  expect(JSON.stringify(made)).toBe('{"z":1,"a":2}');
  expect('label' in made).toBe(false);
});

test('null, false, 0 and the empty text stay', () => {
  expect(omitUndefined({ a: null, b: false, c: 0, d: '' })).toStrictEqual({ a: null, b: false, c: 0, d: '' });
});

test('inner objects are given on as they are', () => {
  const inner = { left: undefined };
  expect(omitUndefined({ inner, gone: undefined }).inner).toBe(inner);
});

test('an object without undefined members is returned itself', () => {
  const members = { a: 1 };
  expect(omitUndefined(members)).toBe(members);
});

test('the type says which members may be missing, and keeps literals', () => {
  const made = omitUndefined({ kind: 'x', label: undefined as string | undefined });
  expectTypeOf(made.kind).toEqualTypeOf<'x'>();
  expectTypeOf(made).toExtend<{ readonly kind: 'x'; readonly label?: string }>();
  expect(made).toStrictEqual({ kind: 'x' });
});
