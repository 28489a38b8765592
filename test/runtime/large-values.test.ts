/** Large values are on disk once, and are read back as they were. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
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
  const forged = { $artifact: '../mine.txt', as: 'text', bytes: 4 };
  expect(() => decodeValue(forged, folder)).toThrow('an artifact cannot have such a name');
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
