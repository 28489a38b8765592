/** Reading a cassette never fails: whatever is wrong with the file is a problem with a location. */
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import yaml from 'yaml';
import type { Json } from '../../../src/machine/expression.js';
import { fingerprintOf } from '../../../src/runtime/cassette/asked.js';
import type { Cassette, CassetteRecord } from '../../../src/runtime/cassette/cassette.js';
import { CassetteText } from '../../../src/runtime/cassette/cassette-text.js';
import { writeCassette } from '../../../src/runtime/cassette/make-record.js';
import { parseCassette, readCassette } from '../../../src/runtime/cassette/read-cassette.js';
import { createRedactor } from '../../../src/runtime/redact.js';
import { pointsBelow, tries } from '../../amount.js';

const origin = { name: 'a.yaml', redactor: null, folder: '/nowhere' };
const header = {
  program: 'flow',
  startedMs: 0,
  inputs: { a: 1 },
  worktree: null,
  isComplete: true,
  isSuspended: false,
};

function record(more: Partial<CassetteRecord>): CassetteRecord {
  const made = {
    at: '1',
    attempt: 1,
    waits: 0,
    kind: 'shell',
    state: 'MAIN',
    line: 3,
    text: 'echo → "x"',
    args: ['a', 1],
    prompt: null,
    outcome: {
      kind: 'exited',
      exit: 0,
      stdout: { text: 'one\n\ntwo  \n', bytes: 11 },
      stderr: '',
      duration_ms: 5,
      cost: 0.25,
    },
    endedMs: 1.5,
    fingerprint: '',
    fileLine: 0,
    ...more,
  } as const;
  return { ...made, fingerprint: more.fingerprint ?? fingerprintOf(made) };
}

const records: CassetteRecord[] = [
  record({}),
  record({ at: '2', kind: 'agent', attempt: 2, waits: 1, prompt: 'Say:\n  - this\n\tand\r\nthat\n' }),
  record({ at: '3.1.1', kind: 'tool', outcome: { kind: 'value', value: { a: [1, null, 'x'] } }, args: [] }),
  record({ at: '4', outcome: { kind: 'failed', message: 'no' } }),
  record({ at: '5', outcome: { kind: 'not-started', reason: 'gone' } }),
  record({ at: '6', kind: 'agent', outcome: { kind: 'stopped' } }),
  record({ at: '7', kind: 'ask', state: null, line: null, outcome: { kind: 'answered', value: 'yes', by: 'me' } }),
  record({ at: null, kind: 'signal', outcome: { kind: 'answered', value: null, by: 'me' } }),
  record({
    at: '8',
    kind: 'worktree',
    outcome: { kind: 'changed', commit: 'c', files: ['a'], stdout: { base64: '/w==', bytes: 1 } },
  }),
];

const textOf = (list: readonly CassetteRecord[], isComplete = true): string => {
  const text = new CassetteText(yaml.stringify);
  const whole = text.header({ ...header, isComplete }) + list.map((one) => text.record(one)).join('');
  return isComplete ? whole + CassetteText.end : whole;
};

async function decode(text: string): Promise<Cassette> {
  const read = await parseCassette(text, origin);
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  return read.cassette;
}

const withoutLines = (list: readonly CassetteRecord[]) => list.map((one) => ({ ...one, fileLine: 0 }));

const FIRST_SURROGATE = 0xd800;
const SURROGATES = 0x800;

/** The number of a text that is one character, without halves of pairs. */
function numberOf(letter: unknown): number {
  const [point, ...more] = typeof letter === 'string' ? Array.from(letter, (one) => one.codePointAt(0)) : [];
  if (point === undefined || more.length > 0) throw new Error('not one character');
  return point < FIRST_SURROGATE ? point : point - SURROGATES;
}

test('what is written is read again', async () => {
  const cassette = await decode(textOf(records));
  expect(cassette).toMatchObject(header);
  expect(withoutLines(cassette.records)).toEqual(records);
  expect(cassette.records[1]?.fileLine).toBeGreaterThan(10);
});

test('every text and value is read again as it was', async () => {
  // The same characters as with `unit: 'binary'`, which makes a map of all of them first.
  const character = fc.nat(0x10ffff - SURROGATES).map(
    (number) => String.fromCodePoint(number < FIRST_SURROGATE ? number : number + SURROGATES),
    (letter) => numberOf(letter),
  );
  const text = fc.oneof(
    fc.string({ unit: character, maxLength: 30 }),
    fc.constantFrom(
      '…',
      '---',
      ' a',
      'a ',
      'a: b',
      '# c',
      '\n',
      '\n\n',
      ' \n',
      '\t\n',
      '\n \n',
      '\n\n ',
      ' \n ',
      'x\n ',
      '\r',
      '\t',
      '...',
      '"',
      "'",
      '→',
      '\u2028 ',
      'a\u2029b',
    ),
    fc
      .array(fc.constantFrom('a', ' ', '\n', '\t', '-', ':', '#', '...', '---', '{', '"', '\r'), { maxLength: 12 })
      .map((parts) => parts.join('')),
  );
  await fc.assert(
    fc.asyncProperty(text, text, fc.jsonValue({ maxDepth: 2 }), async (prompt, stdout, value) => {
      const bytes = Buffer.byteLength(stdout);
      const output = { kind: 'exited', exit: 0, stdout: { text: stdout, bytes }, stderr: '', duration_ms: 0 } as const;
      // Numbers are those of JSON, which has no negative zero.
      const plain = JSON.parse(JSON.stringify(value)) as Json;
      const given = [
        record({ prompt, text: prompt, args: [plain], outcome: output }),
        record({ at: '2', state: prompt, outcome: { kind: 'value', value: plain } }),
      ];
      expect(withoutLines((await decode(textOf(given))).records)).toEqual(given);
    }),
    { numRuns: tries(4, 5000) },
  );
});

test('a complete cassette that is cut off at any byte is a problem with a location', async () => {
  const whole = textOf(records);
  for (const at of pointsBelow(whole.length - 1, tries(60, 4 * whole.length))) {
    const read = await parseCassette(whole.slice(0, at), origin);
    expect('problems' in read, whole.slice(0, at).slice(-60)).toBe(true);
    if ('problems' in read) expect(read.problems[0]).toMatchObject({ file: 'a.yaml', line: expect.any(Number) });
  }
});

test('the cassette of a process that died is read up to there, and a torn record is a problem', async () => {
  const whole = textOf(records, false);
  expect(await decode(whole)).toMatchObject({ isComplete: false, isSuspended: false });
  const ends = new Set([...whole.matchAll(/fingerprint: \w+\n?/g)].map(({ index, 0: found }) => index + found.length));
  const begin = whole.indexOf('records:\n') + 'records:'.length;
  for (const point of pointsBelow(whole.length - begin - 3, tries(60, 4 * whole.length))) {
    const at = begin + 3 + point;
    const read = await parseCassette(whole.slice(0, at), origin);
    const isWhole = ends.has(at) || ends.has(at + 1) || /\n *$/.test(whole.slice(0, at));
    if (!isWhole) expect('problems' in read, whole.slice(0, at).slice(-60)).toBe(true);
  }
});

test('any other text is read or is a problem', async () => {
  const whole = textOf(records);
  const pieces = ['"', '[', '{', '*', '&a', '!!', '- ', '\n', '\0', '\ud800', ': ', '|', '>', '%', '...', '---\n', '‹'];
  await fc.assert(
    fc.asyncProperty(fc.nat(whole.length), fc.constantFrom(...pieces), fc.nat(40), async (at, piece, drop) => {
      const read = await parseCassette(whole.slice(0, at) + piece + whole.slice(at + drop), origin);
      expect('problems' in read ? read.problems.length : 1).toBeGreaterThan(0);
    }),
    { numRuns: tries(8, 20_000) },
  );
});

test.each([
  ['', 'this is not a cassette'],
  ['hello', 'this is not a cassette'],
  ['cassette: 2\n', 'this version reads cassettes of version 1'],
  ['cassette: 1\nprogram: x\nstarted: soon\n', '`started` must be a point in time'],
  [`${textOf([]).replace('records:\n', 'records: 5\n')}`, '`records` must be a list'],
  [textOf(records).replace('kind: shell', 'kind: magic'), '`kind` must be the kind of an effect'],
  [textOf(records).replace('kind: exited', 'kind: flew'), '`kind` must be the kind of an outcome'],
  [
    textOf(records).replace(/^ {8}text:.*\n(?: {10}.*\n|\n)*/m, '        file: ../../etc/passwd\n'),
    'must be a SHA-256',
  ],
  [textOf(records).replace(/^ {8}text:.*\n(?: {10}.*\n|\n)*/m, `        file: ${'b'.repeat(64)}\n`), 'is missing'],
  [
    `a: &a [x, x]\n${'b'.repeat(1)}: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a, *a]\nc: [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b, *b, *b]\n`,
    'alias',
  ],
  ['['.repeat(10_000), 'nested deeper'],
])('%#', async (text, message) => {
  const read = await parseCassette(text, origin);
  expect('problems' in read && read.problems[0]?.message).toContain(message);
});

test('a known secret in the file, or in a file next to it, is refused', async () => {
  const redactor = createRedactor([{ name: 'TOKEN', value: 'geheim-123' }]);
  const read = await parseCassette(textOf([record({ prompt: 'a\ngeheim-123\nb' })]), { ...origin, redactor });
  expect(read).toMatchObject({ problems: [{ message: 'the cassette holds the text of a secret', line: 19 }] });
  const file = join(mkdtempSync(join(tmpdir(), 'cassette-')), 'a.yaml');
  expect(writeCassette(file, header, [record({ prompt: `geheim-123${'x'.repeat(70_000)}` })], 'all')).toBeNull();
  expect(await readCassette(file, 'a.yaml', redactor)).toMatchObject({ problems: [{ line: 17 }] });
  expect(await readCassette(file, 'a.yaml', null)).toHaveProperty('cassette');
});

test('large texts are in a folder next to the file, and unused ones are removed', async () => {
  const file = join(mkdtempSync(join(tmpdir(), 'cassette-')), 'a.yaml');
  const text = 'x'.repeat(5 * 1024 * 1024);
  const stdout = { text, bytes: text.length };
  const outcome = { kind: 'exited', exit: 0, stdout, stderr: '', duration_ms: 0 } as const;
  const value = { kind: 'value' as const, value: [text] };
  expect(
    writeCassette(
      file,
      header,
      [record({ prompt: text, outcome, args: [text] }), record({ at: '2', outcome: value })],
      'all',
    ),
  ).toBeNull();
  expect(readdirSync(`${file}.large`)).toHaveLength(2);
  const read = await readCassette(file, 'a.yaml', null);
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  const [first, second] = read.cassette.records;
  expect(first?.prompt === text && first.args[0] === text).toBe(true);
  expect(second?.outcome).toEqual(value);
  expect(writeCassette(file, header, read.cassette.records.slice(1), 'all')).toBeNull();
  expect(readdirSync(`${file}.large`)).toHaveLength(1);
  const [name] = readdirSync(`${file}.large`);
  writeFileSync(join(`${file}.large`, name as string), 'other');
  expect(await readCassette(file, 'a.yaml', null)).toMatchObject({
    problems: [{ message: expect.stringContaining('has changed') }],
  });
});

/** A cassette of two commands and an answer, with one mistake in its text. */
const TWO = [
  record({ at: '1', endedMs: 1 }),
  record({ at: '2', endedMs: 2 }),
  record({
    at: '3',
    kind: 'ask',
    state: null,
    line: null,
    endedMs: 3,
    outcome: { kind: 'answered', value: 'y', by: 'me' },
  }),
];
const lineOf = (text: string, part: string): number => text.slice(0, text.indexOf(part)).split('\n').length;

test.each([
  ['a member of the file', 'program: flow', 'programm: flow', 'programm', 'did you mean `program`?'],
  ['a member that nothing reads', 'complete: true', 'complete: true\nnote: x', 'note: x', 'leave it out'],
  ['a member of a record', '    text: echo', '    txt: echo', 'txt:', 'did you mean `text`?'],
  ['a member of an outcome', '      exit: 0', '      exit_code: 0', 'exit_code', 'leave it out'],
  ['a member of an output', '        bytes: 11', '        byte: 11', 'byte: 11', 'did you mean `bytes`?'],
  ['a missing member', '      stderr: ""\n', '', 'kind: exited', 'add `stderr: ""`'],
  ['another type', 'complete: true', 'complete: "true"', 'complete:', 'write `complete: true`'],
  ['an exit code', '      exit: 0', '      exit: -1', 'exit: -1', 'write `exit: 0`'],
  ['a cost', 'cost: 0.25', 'cost: -0.25', 'cost: -', 'write `cost: 0.25`'],
  ['a kind of effect', 'kind: shell', 'kind: shel', 'kind: shel', 'did you mean `shell`?'],
  ['a kind of outcome', 'kind: answered', 'kind: answer', 'kind: answer', 'did you mean `answered`?'],
  ['the outcome of another kind', 'kind: ask', 'kind: argv', '    fingerprint', 'undo it'],
  ['a place', '- at: "1"', '- at: first', 'at: first', 'write `at: "1"`'],
  ['an attempt', '- at: "1"\n', '- at: "1"\n    attempt: 0\n', 'attempt: 0', 'write `attempt: 1`'],
  ['a place twice', '- at: "2"', '- at: "1"', '- at: "1"', 'keep one of the two'],
  ['an order that cannot be', 'ended_ms: 2', 'ended_ms: 0.5', 'ended_ms: 0.5', 'move it above line'],
  ['what was asked for', 'echo → ', 'echo ⇒ ', 'fingerprint', 'undo it'],
])('a mistake in %s has its line and a next step', async (_, part, by, at, help) => {
  const whole = textOf(TWO);
  expect(whole).toContain(part);
  const text = whole.replace(part, by);
  const read = await parseCassette(text, origin);
  if (!('problems' in read)) throw new Error('nothing is wrong with it');
  const [problem] = read.problems;
  expect(problem?.help).toContain(help);
  const line = text.split('\n')[(problem?.line ?? 0) - 1];
  expect(line).toContain(at.trim());
  expect(problem?.line).toBeGreaterThanOrEqual(lineOf(text, at));
});

test('what people send is answered, and nothing else is', async () => {
  const answered = { kind: 'answered', value: 'y', by: 'me' } as const;
  const exited = record({}).outcome;
  for (const [kind, outcome] of [
    ['shell', answered],
    ['ask', exited],
    ['signal', exited],
  ] as const) {
    const read = await parseCassette(textOf([record({ kind, outcome })]), origin);
    expect('problems' in read && read.problems[0]?.message).toContain(`of the kind \`${kind}\` cannot have`);
  }
});
