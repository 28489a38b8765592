/** Large values are on disk once, and are read back as they were. */
import { createHash } from 'node:crypto';
import fs, { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import type { Json } from '../../src/machine/expression.js';
import { folderArtifacts } from '../../src/runtime/store/artifacts.js';
import { decodeEvent, decodeValue, LargeValues } from '../../src/runtime/store/large-values.js';
import { StoreError } from '../../src/runtime/store/store-error.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function artifacts(...contents: string[]): string {
  const folder = join(mkdtempSync(join(tmpdir(), 'statedsl-')), 'artifacts');
  folders.push(join(folder, '..'));
  mkdirSync(folder);
  for (const content of contents)
    writeFileSync(join(folder, createHash('sha256').update(content).digest('hex')), content);
  return folder;
}

const BIG = 'a'.repeat(100_000);

test.each<[string, Json, string]>([
  ['a text', BIG, BIG],
  ['a text whose output ended with a line end', BIG, `${BIG}\n`],
  ['a text that was printed as JSON', BIG, `${JSON.stringify(BIG)}\n`],
  ['an object', { x: BIG }, `{"x":"${BIG}"}\n`],
  ['a list of many', Array.from({ length: 40_000 }, (_, n) => n), JSON.stringify([...Array(40_000).keys()])],
])('%s that a command printed is not written again', (_, value, printed) => {
  const folder = artifacts(printed);
  const encoded = new LargeValues(folderArtifacts(folder)).encode(value);
  expect(JSON.stringify(encoded).length).toBeLessThan(200);
  expect(readdirSync(folder)).toHaveLength(1);
  expect(decodeValue(encoded, folder)).toEqual(value);
});

test.each<[string, { readonly type: RunEvent['type']; readonly [name: string]: unknown }]>([
  ['the inputs', { type: 'run_started', inputs: { text: BIG } }],
  ['an entry value', { type: 'state_entered', state: 'A', with: { text: BIG } }],
  ['the arguments of a call', { type: 'effect_requested', args: { text: BIG } }],
  ['a tracked text', { type: 'tracked_set', name: 'x', value: BIG }],
  ['a tracked list', { type: 'tracked_set', name: 'x', value: [BIG] }],
  ['what was appended', { type: 'tracked_set', name: 'x', appended: BIG }],
  ['the state of a program', { type: 'state_set', value: { text: BIG } }],
  ['an answer', { type: 'answered', value: BIG }],
  ['a signal', { type: 'signal_received', payload: BIG }],
  ['the outcome of a function', { type: 'effect_settled', outcome: { kind: 'value', value: BIG } }],
  ['a result', { type: 'run_returned', value: BIG }],
  ['a partial result', { type: 'run_failed', value: BIG }],
])('%s is in an artifact, and comes back', (_, event) => {
  const folder = artifacts();
  const recorded = new LargeValues(folderArtifacts(folder)).event(event as unknown as RunEvent);
  expect(JSON.stringify(recorded).length).toBeLessThan(300);
  expect(readdirSync(folder)).toHaveLength(1);
  expect(decodeEvent(recorded, folder)).toEqual(event);
});

test.each<[string, Json]>([
  ['a text', BIG],
  ['a list of many', Array.from({ length: 40_000 }, (_, n) => n)],
])('%s is stored again if its artifact was cut off, and is refused if a folder is in the way', (_, value) => {
  const content = typeof value === 'string' ? value : JSON.stringify(value);
  const folder = artifacts(content);
  const file = join(folder, createHash('sha256').update(content).digest('hex'));
  writeFileSync(file, content.slice(1));
  expect(decodeValue(new LargeValues(folderArtifacts(folder)).encode(value), folder)).toEqual(value);
  expect(readdirSync(folder)).toHaveLength(1);
  rmSync(file);
  mkdirSync(file);
  expect(() => new LargeValues(folderArtifacts(folder)).encode(value)).toThrow(StoreError);
});

const MOST_INLINE = 64 * 1024;

test.each<[string, (size: number) => Json]>([
  ['a text', (size) => 'a'.repeat(size)],
  ['a list of texts', (size) => ['a'.repeat(size - 1)]],
  ['a list of many empty texts', (size) => Array<string>(size).fill('')],
  ['an object with a long key', (size) => ({ ['k'.repeat(size - 8)]: null })],
  ['a list of numbers', (size) => [...Array<number>(7000).fill(1), 'a'.repeat(size - 7000 * 9 - 1)]],
])('%s of 64 KiB is in the line itself, and a larger one is not', (_, of) => {
  const folder = artifacts();
  const large = new LargeValues(folderArtifacts(folder));
  expect(large.encode(of(MOST_INLINE))).toEqual(of(MOST_INLINE));
  expect(readdirSync(folder)).toEqual([]);
  expect(large.encode(of(MOST_INLINE + 1))).toHaveProperty('$artifact');
});

test('a prompt above 64 KiB is in an artifact', () => {
  const folder = artifacts();
  const large = new LargeValues(folderArtifacts(folder));
  const asked = (size: number) => ({ type: 'effect_requested', prompt: 'a'.repeat(size) }) as unknown as RunEvent;
  expect(large.event(asked(MOST_INLINE))).toEqual(asked(MOST_INLINE));
  expect(large.event(asked(MOST_INLINE + 1))).toEqual({
    type: 'effect_requested',
    artifact: createHash('sha256')
      .update('a'.repeat(MOST_INLINE + 1))
      .digest('hex'),
  });
});

test('a document that is written again and again refers to artifacts and makes none', () => {
  const large = (folder: string) => new LargeValues(folderArtifacts(folder));
  const document = { text: BIG, list: [...Array(70_000).keys()], both: { text: BIG, other: 1 } };
  const empty = artifacts();
  expect(large(empty).document(document, false)).toEqual(document);
  expect(readdirSync(empty)).toEqual([]);
  const [name] = readdirSync(artifacts(BIG));
  const reference = { $artifact: name, as: 'text', bytes: BIG.length };
  const referring = { ...document, text: reference, both: { text: reference, other: 1 } };
  expect(large(artifacts(BIG)).document(document, false)).toEqual(referring);
});

/** Large values of a folder, and what they asked of it since the last look. */
function observed(folder: string) {
  const calls: string[] = [];
  const real = folderArtifacts(folder);
  const noted = <K extends keyof typeof real>(name: K) =>
    ((given: string) => {
      calls.push(name);
      return real[name](given);
    }) as (typeof real)[K];
  const large = new LargeValues({ sizeOf: noted('sizeOf'), get: noted('get'), put: noted('put') });
  return { large, calls: () => calls.splice(0) };
}

test.each<[string, Json]>([
  ['a text', BIG],
  ['a list', [...Array(40_000).keys()]],
])('%s that was written before is not searched for again', (_, value) => {
  const { large, calls } = observed(artifacts());
  const first = large.encode(value);
  expect(calls().filter((name) => name === 'put')).toHaveLength(1);
  expect(large.encode(typeof value === 'string' ? `${value}` : value)).toEqual(first);
  expect(calls()).toEqual([]);
});

/** The event of a command that printed a text, which is in an artifact. */
function printed(text: string): RunEvent {
  const stdout = { artifact: createHash('sha256').update(text).digest('hex'), bytes: text.length };
  const outcome = { kind: 'exited', exit: 0, signal: null, stdout, stderr: '', duration_ms: 1 } as const;
  return { type: 'effect_settled', effect: '1', attempt: 1, outcome } as unknown as RunEvent;
}

test('an output in another layout counts only if it says the same', () => {
  const [one = null, other = null] = [1, 2].map((n) => Array.from({ length: 20_000 }, () => ({ n })));
  const pretty = `${JSON.stringify(other, null, 2)}\n`;
  const short = `${JSON.stringify([1])}\n`;
  const folder = artifacts(pretty, short);
  const { large, calls } = observed(folder);
  large.event(printed(pretty));
  large.event(printed(short));
  expect(decodeValue(large.encode(one), folder)).toEqual(one);
  // One that is much shorter cannot say the same, and is not even read.
  expect(calls().filter((name) => name === 'get')).toHaveLength(1);
});

test.each<[string, string, string, string]>([
  ['a JSON text of a text that a command printed', JSON.stringify(BIG), BIG, 'quoted'],
  ['a JSON text of a printed line', JSON.stringify(BIG), `${BIG}\n`, 'quoted-line'],
  ['a JSON text of a printed structure', JSON.stringify([BIG]), JSON.stringify([BIG], null, 2), 'compact'],
  ['a JSON text that is written in another way', `"\\u0061${BIG}"`, `a${BIG}`, 'text'],
])('%s, as a checkpoint has it, comes back', (_, text, output, as) => {
  const folder = artifacts(output);
  const large = new LargeValues(folderArtifacts(folder));
  large.event(printed(output));
  const encoded = large.encode(text);
  expect(encoded).toMatchObject({ as });
  expect(decodeValue(encoded, folder)).toBe(text);
});

test('an artifact is whole on disk before its name exists, and is never written twice', () => {
  const folder = artifacts();
  const calls: string[] = [];
  const { fsyncSync, renameSync } = fs;
  Object.assign(fs, {
    fsyncSync: (fd: number) => {
      calls.push(`sync, then ${readdirSync(folder).join()}`.replace(/[0-9a-f]{64}/, 'NAME'));
      fsyncSync(fd);
    },
    renameSync: (from: string, to: string) => {
      calls.push('rename');
      renameSync(from, to);
    },
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    Object.assign(fs, { fsyncSync, renameSync });
    syncBuiltinESMExports();
  });
  const name = folderArtifacts(folder).put(BIG);
  expect(calls.splice(0)).toEqual(['sync, then NAME.new', 'rename']);
  expect(folderArtifacts(folder).put(BIG)).toBe(name);
  expect(calls).toEqual([]);
});

test('an output in another layout is found by what it says', () => {
  const value = { list: Array.from({ length: 20_000 }, (_, n) => ({ n })) };
  const pretty = `${JSON.stringify(value, null, 2)}\n`;
  const folder = artifacts(pretty);
  const large = new LargeValues(folderArtifacts(folder));
  const artifact = createHash('sha256').update(pretty).digest('hex');
  const stdout = { artifact, bytes: pretty.length };
  const outcome = { kind: 'exited', exit: 0, signal: null, stdout, stderr: '', duration_ms: 1 } as const;
  large.event({ type: 'effect_settled', effect: '1', attempt: 1, outcome } as unknown as RunEvent);
  expect(decodeValue(large.encode(value), folder)).toEqual(value);
  expect(readdirSync(folder)).toHaveLength(1);
});

test('a value that nothing printed is one artifact, however often it is written', () => {
  const folder = artifacts();
  const large = new LargeValues(folderArtifacts(folder));
  const value = { small: 1, large: [BIG, 2] };
  const event = { type: 'tracked_set', name: 'x', value, state: 'A', line: 1 } as unknown as RunEvent;
  const encoded = [large.event(event), new LargeValues(folderArtifacts(folder)).event(event)];
  expect(encoded[0]).toEqual(encoded[1]);
  expect(readdirSync(folder)).toHaveLength(1);
  expect(decodeEvent(encoded[0] as RunEvent, folder)).toEqual(event);
});

test('values come back, also those that look like references', () => {
  const key = fc.constantFrom('$artifact', 'value', 'as', '__proto__', 'x');
  const text = fc.constantFrom('', 'a', BIG, `${BIG}\n`, '"$artifact"');
  const { value } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      text,
      fc.constantFrom(null, true, 1.5),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.array(fc.tuple(key, tie('value')), { maxLength: 3 }).map((entries) => Object.fromEntries(entries) as Json),
    ),
  }));
  const folder = artifacts();
  fc.assert(
    fc.property(value, (one) => {
      const written = JSON.parse(JSON.stringify(new LargeValues(folderArtifacts(folder)).encode(one))) as Json;
      expect(JSON.stringify(decodeValue(written, folder))).toBe(JSON.stringify(one));
    }),
    { numRuns: 200 },
  );
});

test('a record cannot name a file elsewhere as an artifact', () => {
  const folder = artifacts();
  writeFileSync(join(folder, '..', 'mine.txt'), 'mine');
  for (const $artifact of ['../mine.txt', `${'0'.repeat(64)}/../../mine.txt`])
    expect(() => decodeValue({ $artifact, as: 'text', bytes: 4 }, folder)).toThrow(
      'an artifact cannot have such a name',
    );
});

test('what is not a reference is a value, and a folder is not an artifact', () => {
  const folder = artifacts();
  expect(decodeValue({ $artifact: 5 }, folder)).toEqual({ $artifact: 5 });
  mkdirSync(join(folder, 'made'));
  expect(folderArtifacts(folder).sizeOf('made')).toBeNull();
});

test('a missing or damaged artifact is an error that names it', () => {
  const folder = artifacts();
  const encoded = new LargeValues(folderArtifacts(folder)).encode(BIG);
  const [name] = readdirSync(folder) as [string];
  writeFileSync(join(folder, name), 'b');
  expect(() => decodeValue(encoded, folder)).toThrow(StoreError);
  rmSync(join(folder, name));
  expect(() => decodeValue(encoded, folder)).toThrow(name);
});
