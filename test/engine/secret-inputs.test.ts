/** Values that the engine stores with marks instead of secrets. */
import { expect, test } from 'vitest';
import { hasMarks, hideSecrets, revealSecrets, secretsIn } from '../../src/engine/secret-inputs.js';
import type { Json } from '../../src/machine/expression.js';
import type { Secret } from '../../src/runtime/redact.js';
import { tries } from '../amount.js';
import { randomNumbers, seed } from '../random.js';

/** The value as the engine has it, after a check that a worker with the secrets restores it. */
function hidden(value: Json, secrets: readonly Secret[]): string {
  const marked = JSON.parse(JSON.stringify(hideSecrets(value, secrets))) as Json;
  expect(revealSecrets(marked, secrets)).toEqual(value);
  return JSON.stringify(marked);
}

test('a value without secrets is restored by a worker that has them', () => {
  const secrets = [
    { name: 'token', value: 'geheim' },
    { name: 'all', value: 'geheim und mehr' },
  ];
  const image = { a: 'x geheim und mehr, geheim', b: ['geheim', 5] };
  expect(hidden(image, secrets)).not.toContain('geheim');
  expect(hasMarks(hideSecrets(image, secrets))).toBe(true);
  expect(hasMarks({ a: 'x' })).toBe(false);
});

test('secrets that are parts of other secrets, of their names, or of structure do not change what is restored', () => {
  const credentials = secretsIn({ creds: { password: 's3cret-long', type: 'password' } });
  hidden({ type: 'password', given: 's3cret-long' }, credentials);
  const login = secretsIn({ db1: 'hunter22', pin: '1' });
  expect(hidden({ n: 1, list: [11, 'hunter22', 'db1', '\u00010\u0001'] }, login)).not.toContain('hunter22');
  hidden(['$&', "a$'b"], secretsIn({ '$&': 'a', b: "$'" }));
});

test('numbers, names of members, and texts inside JSON have no secrets, too', () => {
  const text = hidden(
    { 48151623: 'x', n: 48151623, half: 0.5, printed: '{"a":"say \\"hi\\" twice"}' },
    secretsIn({ pin: 48151623, quoted: 'say "hi" twice' }),
  );
  expect(text).not.toContain('48151623');
  expect(text).not.toContain('twice');
});

test('whatever is hidden is restored', () => {
  const next = randomNumbers(seed);
  const random = (below: number): number => Math.floor(next() * below);
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T;
  const word = (): string =>
    Array.from({ length: random(4) }, () => pick(['a', 'b', '1', '0', '\u0001', '#', '$', '"'])).join('');
  const value = (depth: number): Json => {
    const kind = random(depth > 2 ? 3 : 5);
    if (kind === 0) return pick([0, 1, 10, 1.5, -11, 1e21, null, true]);
    if (kind < 3) return word();
    const members = Array.from({ length: random(4) }, () => [word(), value(depth + 1)] as const);
    return kind === 3 ? members.map(([, one]) => one) : Object.fromEntries(members);
  };
  for (let times = 0; times < tries(500, 200_000); times++) {
    const inputs = { a: word(), b: pick([1, 10, 0.5]), c: { [word()]: word() } };
    hidden(value(0), secretsIn(inputs));
  }
});
