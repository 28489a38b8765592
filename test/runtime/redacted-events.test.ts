/** Every text of an event and an outcome is searched for secrets, in each form that a program may print. */
import { expect, test } from 'vitest';
import type { Outcome, RunEvent } from '../../src/interpreter/events/event.js';
import { createRedactor, environmentSecrets, type Redactor } from '../../src/runtime/redact.js';

const redactorOf = (...values: readonly string[]): Redactor => {
  const redactor = createRedactor(values.map((value) => ({ name: 'S', value })));
  if (redactor === null) throw new Error('there is no secret');
  return redactor;
};

const settled = (outcome: object): RunEvent =>
  ({ type: 'effect_settled', effect: '1', attempt: 1, outcome: outcome as Outcome }) as RunEvent;

test('all texts of all kinds of outcomes', () => {
  const { event } = redactorOf('sesame');
  const base64 = Buffer.from('say sesame \xff', 'latin1').toString('base64');
  const stdout = { text: 'sesame', tail: 'sesame', base64, bytes: 6 };
  const facts = {
    session_id: 'sesame',
    transcript: { text: 'sesame', bytes: 6 },
    guard: { name: 'max_time', message: 'sesame' },
    unavailable: { cause: 'limit', message: 'sesame' },
  };
  const outcomes = [
    { kind: 'exited', exit: 0, stdout, stderr: 'sesame', duration_ms: 1, ...facts },
    { kind: 'timed-out', stdout, stderr: 'sesame', duration_ms: 1 },
    { kind: 'value', value: { sesame: ['sesame'] } },
    { kind: 'changed', stdout },
    { kind: 'not-started', reason: 'sesame' },
    { kind: 'failed', message: 'sesame' },
  ];
  for (const outcome of outcomes) {
    const text = JSON.stringify(event(settled(outcome)));
    expect(text).toContain('***');
    expect(text).not.toContain('sesame');
    expect(text).not.toContain(base64);
  }
});

test('members with a fixed meaning stay', () => {
  const { event } = redactorOf('effect_settled', 'tracked_set', '1234');
  expect(event(settled({ kind: 'value', value: '1234' }))).toMatchObject({
    type: 'effect_settled',
    outcome: { value: '***' },
  });
  const set = { type: 'tracked_set', name: 'n', value: 1234, line: 1234 } as unknown as RunEvent;
  expect(event(set)).toMatchObject({ type: 'tracked_set', value: '***', line: 1234 });
});

test('a secret in JSON, and in JSON inside JSON', () => {
  const { text } = redactorOf('say "open" \\ ü');
  const json = JSON.stringify({ key: 'say "open" \\ ü' });
  const inJson = JSON.stringify({ body: json });
  for (const one of [json, inJson, json.replace('ü', '\\u00fc')]) {
    expect(text(one)).toContain('***');
    expect(text(one)).not.toContain('open');
  }
});

test('the longer of two secrets that begin alike is replaced as a whole', () => {
  expect(redactorOf('sesame', 'sesame-open').text('a sesame-open b sesame c')).toBe('a *** b *** c');
});

test('a name before the host of an address is a token only if it is long', () => {
  const secretsIn = (address: string) => environmentSecrets({ URL: address }, []).map(({ value }) => value);
  expect(secretsIn('https://git@example.org/x')).toEqual([]);
  expect(secretsIn(`https://${'t'.repeat(19)}@example.org`)).toEqual([]);
  expect(secretsIn(`https://${'t'.repeat(20)}@example.org`)).toEqual(['t'.repeat(20)]);
});

test('a secret that is split between two pieces of output, wherever it is split', () => {
  for (let at = 0; at <= 6; at++) {
    const stream = redactorOf('sesame').stream();
    const pieces = [
      stream.push(Buffer.from(`a ${'sesame'.slice(0, at)}`)),
      stream.push(Buffer.from('sesame'.slice(at))),
    ];
    expect(Buffer.concat([...pieces, stream.end()]).toString()).toBe('a ***');
  }
});

test.each<[string, object, object]>([
  [
    'in a list',
    { type: 'tracked_set', name: 'l', value: [1.5, 1.1, 21.105], printed: '[1.50,1.10,21.105]' },
    { value: [1.5, '***', '***'], printed: '[1.50,"***","***"]' },
  ],
  ['alone', { type: 'answered', value: 1.1, printed: '1.10' }, { value: '***', printed: undefined }],
  [
    'of a signal',
    { type: 'signal_received', payload: { a: 1.1 }, printed: '{"a":1.10}' },
    { payload: { a: '***' }, printed: undefined },
  ],
  [
    'by name',
    { type: 'emitted', fields: { a: 1.1, b: 2.5, c: 'x' }, printed: { a: '1.10', b: '2.50' } },
    { fields: { a: '***', b: 2.5, c: 'x' }, printed: { b: '2.50' } },
  ],
  [
    'of a tool',
    { type: 'effect_requested', args: [{ a: 1.1, b: 2.5 }], printed: '{"a":1.10,"b":2.50}' },
    { args: [{ a: '***', b: 2.5 }], printed: '{"a":"***","b":2.50}' },
  ],
  [
    'of a FAIL',
    { type: 'run_failed', error: { message: 'm', with: { a: 1.1, b: 2.5 }, printed: { a: '1.10', b: '2.50' } } },
    { error: { message: 'm', with: { a: '***', b: 2.5 }, printed: { b: '2.50' } } },
  ],
  [
    'of a function',
    { type: 'effect_settled', outcome: { kind: 'value', value: [1.1, 2.5], printed: '[1.10,2.50]' } },
    { outcome: { kind: 'value', value: ['***', 2.5], printed: '["***",2.50]' } },
  ],
  ['across two numbers', { type: 'tracked_set', value: [1.5, 1], printed: '[1.50,1]' }, { printed: '[1.50,1]' }],
])('a number that is a secret, %s: its value and its text are replaced together', (_, event, clean) => {
  expect(redactorOf('1.10', '50,1').event(event as RunEvent)).toEqual({ ...event, ...clean });
});
