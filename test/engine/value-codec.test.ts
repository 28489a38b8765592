/** Values that only workers and clients can read. */
import { Buffer } from 'node:buffer';
import { expect, test } from 'vitest';
import { valueCodec } from '../../src/engine/value-codec.js';

const KEY = Buffer.alloc(32, 7).toString('base64');
const OTHER = Buffer.alloc(32, 8).toString('base64');
const value = { text: 'geheim', list: [1, null] };

test('a value has the same bytes each time, which do not show it', () => {
  const codec = valueCodec(KEY);
  const bytes = codec.serialize(value);
  expect(codec.deserialize(bytes)).toEqual(value);
  expect(Buffer.from(codec.serialize(value))).toEqual(Buffer.from(bytes));
  expect(Buffer.from(bytes).toString()).not.toContain('geheim');
  expect(codec.deserialize(codec.serialize(undefined))).toBe(undefined);
});

test('a value of another key, or changed on its way, is refused with the reason', () => {
  const bytes = valueCodec(KEY).serialize(value);
  const changed = JSON.parse(Buffer.from(bytes).toString()) as { $sealed: string };
  const flipped = Buffer.from(changed.$sealed, 'base64');
  flipped[20] = (flipped[20] ?? 0) ^ 1;
  const broken = Buffer.from(JSON.stringify({ $sealed: flipped.toString('base64') }));
  expect(() => valueCodec(KEY).deserialize(broken)).toThrow(/encrypted with another key/);
  expect(() => valueCodec(OTHER).deserialize(bytes)).toThrow(/encrypted with another key/);
  expect(() => valueCodec(null).deserialize(bytes)).toThrow(/there is no `STATEDSL_ENGINE_KEY`/);
  expect(() => valueCodec(KEY).deserialize(Buffer.from('{}'))).toThrow(/is not encrypted/);
  expect(() => valueCodec('short')).toThrow(/must be 32 bytes in base64/);
});
