/** Values beyond plain JSON: how they are written, read back, compared and limited. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decode,
  encode,
  fromRecord,
  packValue,
  printedForm,
  printIndented,
  printJson,
  printPublic,
  readJson,
  render,
  unpackValue,
  withinRange,
  withText,
} from '../../src/interpreter/values/json.js';
import { deeperThan, excess, plain, type Value, Version } from '../../src/interpreter/values/value.js';
import type { Json } from '../../src/machine/expression.js';

const nested = (depth: number): Value => (depth === 0 ? 1 : [nested(depth - 1)]);

describe('JSON', () => {
  const NUMBERS = '1.10 1e3 -0 0.5 100 12345678901234567890 0.00000012 1E-7 -2.0 9007199254740993'.split(' ');
  /** The text of any JSON without blanks, in which numbers are written in many ways. */
  const { text } = fc.letrec<{ text: string }>((tie) => ({
    text: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(...NUMBERS, 'null', 'true', 'false'),
      fc.string().map((one) => JSON.stringify(one)),
      fc.constantFrom('"1.10"', '"$printed"', '"a\\"!{"', '{"$printed":"1"}', '{"__proto__":1.10}', '{"toString":2}'),
      fc.array(tie('text'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
      fc
        .uniqueArray(fc.tuple(fc.constantFrom('a', 'b', '$printed', '__proto__', 'ä'), tie('text')), {
          maxLength: 3,
          selector: ([key]) => key,
        })
        .map((members) => `{${members.map(([key, one]) => `${JSON.stringify(key)}:${one}`).join(',')}}`),
    ),
  }));
  const read = (written: string): Value => {
    const result = readJson(written);
    if (!result.ok) throw new Error(result.why);
    return result.value;
  };
  /** Inside of a list, also a long number stays one. */
  const inList = (written: string): string => `[${written}]`;

  test('is printed as it was read, with or without blanks', () => {
    fc.assert(
      fc.property(text.map(inList), (written) => {
        const spaced = written.replace(/("(?:[^"\\]|\\.)*")|([[\]{}:,])/g, (all, quoted) => quoted ?? ` ${all}\n\t`);
        expect(printJson(read(written))).toBe(written);
        expect(printJson(read(spaced))).toBe(written);
        expect(render(read(written))).toBe(written);
      }),
    );
  });

  test('survives snapshots and records', () => {
    fc.assert(
      fc.property(text.map(inList), (written) => {
        const value = read(written);
        expect(printJson(decode(encode(value)) as Value)).toBe(written);
        const packed = JSON.parse(JSON.stringify(packValue(value as Json))) as Json;
        expect(printJson(unpackValue(packed) as Value)).toBe(written);
        const kept = JSON.parse(JSON.stringify(withText(value as Json))) as { value: Json; printed?: string };
        expect(printJson(fromRecord(kept.value, kept.printed) as Value)).toBe(written);
        expect(kept.value).toEqual(JSON.parse(JSON.stringify(plain(value))));
        expect(printedForm(value)).toBe(kept.printed);
      }),
    );
  });

  test('for others has whole numbers that no number holds as texts, on one line or several', () => {
    fc.assert(
      fc.property(text.map(inList), (written) => {
        const value = read(written);
        const shown = JSON.parse(printPublic(value));
        expect(JSON.parse(printIndented(value))).toEqual(shown);
        const long = /("(?:[^"\\]|\\.)*")|(?<![\d.])(12345678901234567890|9007199254740993)(?![\d.])/g;
        expect(shown).toEqual(JSON.parse(written.replace(long, (all, quoted) => quoted ?? `"${all}"`)));
      }),
    );
    expect(printIndented(read('[1.10,{"a":[],"b":[2.0]}]'), ' ')).toBe(
      '[\n   1.10,\n   {\n     "a": [],\n     "b": [\n       2.0\n     ]\n   }\n ]',
    );
    expect(printIndented(read('[1,{"a":2}]'), ' ')).toBe('[\n   1,\n   {\n     "a": 2\n   }\n ]');
  });

  test('has numbers that none can represent as texts', () => {
    const written = '[1e400,{"a":-1e400,"b":[2,null,"1e400"]},1.5]';
    expect(withinRange(JSON.parse(written), read(written))).toEqual([
      '1e400',
      { a: '-1e400', b: [2, null, '1e400'] },
      1.5,
    ]);
    expect(read('1e400')).toBe('1e400');
    expect(render(read('1.10'))).toBe('1.10');
    expect(read('123456789012345678')).toBe('123456789012345678');
    expect(printJson(read('12345678901234567'))).toBe('12345678901234567');
  });

  test('is read to a depth of 200', () => {
    const ofDepth = (depth: number): string => `${'['.repeat(depth)}1.10${']'.repeat(depth)}`;
    expect(readJson(ofDepth(200))).toMatchObject({ ok: true });
    expect(readJson(ofDepth(201))).toEqual({ ok: false, why: 'too-deep' });
    expect(['', '{', "'a'", '01', '[1,]', 'nul'].map(readJson)).toEqual(
      Array.from({ length: 6 }, () => ({ ok: false, why: 'not-json' })),
    );
    for (const [value, depth] of [
      [nested(3), 3],
      [{ a: nested(2), b: 1 }, 3],
      [{ b: 1, a: { c: [] } }, 3],
      [1, 0],
      [null, 0],
    ] as const) {
      expect(deeperThan(value, depth)).toBe(false);
      expect(deeperThan(value, depth - 1)).toBe(depth > 0);
    }
    expect([excess(nested(200)), excess(nested(201)), excess({ a: nested(200) })]).toEqual([null, 'deep', 'deep']);
    const doubled = (times: number): Value => (times === 0 ? 1 : ((one) => [one, one])(doubled(times - 1)));
    expect([excess(doubled(10)), excess({ a: doubled(10) })]).toEqual([null, null]);
  });
});

describe('versions', () => {
  /** From the first to the last; those on one line are equal. */
  const ORDER = [
    ['0.9', 'v0.9.0'],
    ['1.0.0-0'],
    ['1.0.0-2', '1-2', 'v1.0.0-02'],
    ['1.0.0-10'],
    ['1.0.0-alpha'],
    ['1.0.0-alpha.1', '1.0-alpha.01+build'],
    ['1.0.0-alpha.beta'],
    ['1.0.0-beta'],
    ['1.0.0-beta.2'],
    ['1.0.0-beta.11'],
    ['1.0.0-rc-1'],
    ['1', '1.0', '1.0.0', 'v1.0.0+x', '01.0'],
    ['1.0.0.1'],
    ['1.2'],
    ['1.10'],
    ['2-a'],
    ['2'],
    ['12345678901234567890.1'],
    ['12345678901234567891'],
  ];

  test('are ordered by their numbers, and before each is its pre-release', () => {
    const all = ORDER.flatMap((texts, rank) => texts.map((text) => ({ rank, version: Version.read(text) as Version })));
    for (const one of all)
      for (const other of all) {
        const shown = [one.version.text, other.version.text];
        expect([...shown, Math.sign(one.version.compare(other.version))]).toEqual([
          ...shown,
          Math.sign(one.rank - other.rank),
        ]);
        expect([...shown, one.version.key === other.version.key]).toEqual([...shown, one.rank === other.rank]);
      }
  });

  test('are texts of one form, and stay as they are written', () => {
    for (const text of ['', 'v', '1.', '.1', '1..2', '1-', '1-a..b', '1 ', 'x1', '1.a', `1.${'0'.repeat(1000)}`])
      expect(Version.read(text), text).toBeNull();
    const value = Version.read('v1.2.0-rc.1+5') as Version;
    expect([render(value), printJson(value), JSON.stringify(plain(value))]).toEqual([
      'v1.2.0-rc.1+5',
      '"v1.2.0-rc.1+5"',
      '"v1.2.0-rc.1+5"',
    ]);
    expect(decode(encode([value]))).toEqual([value]);
  });
});
