/** Lines of a journal as bytes, for readers that pass them on: which of them count, and where damage begins. */
import { createHash } from 'node:crypto';
import { closeSync, openSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import { OWN_BYTES, ownSha256 } from '../../src/runtime/store/chain-hash.js';
import {
  bodyOfLine,
  chainIn,
  crcOf,
  journalLine,
  LineBuffer,
  lineOfBody,
  MOST_UNHASHED,
  readJournalLine,
  readLineBytes,
} from '../../src/runtime/store/journal-line.js';
import { checkedSeq, JournalLines, seqAt } from '../../src/runtime/store/journal-lines.js';
import { journalHas, readJournal, readToDamage, unhashedEnd } from '../../src/runtime/store/read-journal.js';
import { temporaryFolder } from './running.js';

const lineOf = (seq: number): string =>
  journalLine({ type: 'state_entered', state: 'A' }, seq, '2030-01-02T03:04:05.678Z');

/** What a reader hears of a journal, a few bytes at a time. */
function heard(text: string, { from = { seq: 0, offset: 0 }, most = 1 } = {}): string[] {
  const path = join(temporaryFolder(), 'journal.ndjson');
  writeFileSync(path, text);
  const fd = openSync(path, 'r');
  onTestFinished(() => closeSync(fd));
  const lines = new JournalLines(fd, path, from);
  const found: string[] = [];
  const listener = {
    line: (_: Buffer, start: number, end: number, at: { seq: number; offset: number }) =>
      found.push(`${at.seq} at ${at.offset}, ${end - start} bytes`),
    damage: (seq: number, byte: number) => found.push(`damage ${seq} at ${byte}`),
  };
  while (lines.read(most, listener));
  found.push(`end ${lines.end.seq} at ${lines.end.offset}`);
  return found;
}

const [one, two, three, four] = [1, 2, 3, 4].map(lineOf) as [string, string, string, string];
const size = one.length;

test('a line keeps how a number was written', () => {
  const event = { type: 'tracked_set', name: 'n', value: 5, printed: '5.0' } as const;
  expect(readJournalLine(journalLine(event, 1, '2030-01-02T03:04:05.678Z'))?.event).toEqual(event);
});

describe('a journal', () => {
  test('has each complete line, and its last one without a line end', () => {
    expect(heard(`${one}\n${two}\n`)).toEqual([
      `1 at 0, ${size} bytes`,
      `2 at ${size + 1}, ${size} bytes`,
      `end 2 at ${2 * size + 2}`,
    ]);
    expect(heard(`${one}\n${two}`).at(-1)).toBe(`end 2 at ${2 * size + 1}`);
    expect(heard(`${one}\n${two.slice(0, -1)}`)).toEqual([`1 at 0, ${size} bytes`, `end 1 at ${size + 1}`]);
  });

  test('is read from a position', () => {
    const from = { seq: 1, offset: size + 1 };
    expect(heard(`${one}\n${two}\n`, { from })[0]).toBe(`2 at ${size + 1}, ${size} bytes`);
  });

  test('has damage where lines changed or are missing, once for all lines in a row', () => {
    const broken = two.replace('"A"', '"B"');
    const seqs = (text: string) => heard(text).map((line) => line.split(' at')[0]);
    expect(seqs(`${one}\n${broken}\n${three}\n`)).toEqual(['1', 'damage 2', '3', 'end 3']);
    expect(seqs(`${one}\n${broken}\n${broken}\n${four}\n`)).toEqual(['1', 'damage 2', '4', 'end 4']);
    expect(seqs(`${one}\n${three}\n${broken}\n${four}\n`)).toEqual(['1', 'damage 2', '3', 'damage 4', '4', 'end 4']);
    expect(seqs(`${one}\n${one}\n${two}\n`)).toEqual(['1', 'damage 2', '2', 'end 2']);
  });

  test('may have empty lines', () => {
    expect(heard(`${one}\n\n${two}\n`).map((line) => line.split(' at')[0])).toEqual(['1', '2', 'end 2']);
  });

  test('may have a line that is longer than what is read at once', () => {
    const long = journalLine({ type: 'state_entered', state: 'A'.repeat(600_000) }, 2, '2030-01-02T03:04:05.678Z');
    expect(heard(`${one}\n${long}\n${three}\n`).map((line) => line.split(' at')[0])).toEqual(['1', '2', '3', 'end 3']);
  });
});

describe('the number of a line', () => {
  const numberIn = (text: string): number | null => checkedSeq(Buffer.from(text), 0, text.length);

  test('counts only with its checksum', () => {
    expect(numberIn(one)).toBe(1);
    const digits = /"crc":"([0-9a-f]{8})"/.exec(one)?.[1] ?? '';
    const withCrc = (crc: string) => one.replace(digits, crc);
    expect(numberIn(withCrc(digits.toUpperCase()))).toBe(/[a-f]/.test(digits) ? null : 1);
    expect(numberIn(withCrc(`g${digits.slice(1)}`))).toBeNull();
    expect(numberIn(withCrc(digits === '00000000' ? '00000001' : '00000000'))).toBeNull();
    for (const changed of [one.slice(0, -1), `${one} `, one.replace(',"crc"', ' "crc"'), ''])
      expect(numberIn(changed)).toBeNull();
  });

  test('is read without it where only the position matters', () => {
    const seqOf = (text: string) => seqAt(Buffer.from(text), 0, text.length);
    expect(['{"seq":17,', '{"seq":0,', '{"seq":,', '{"seq":17', '{"sec":17,'].map(seqOf)).toEqual([
      17,
      null,
      null,
      null,
      null,
    ]);
  });
});

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

test('the own SHA-256 is SHA-256', () => {
  for (const length of [0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 1000, 8191]) {
    const bytes = Uint8Array.from({ length }, (_, at) => (at * 31 + length) % 256);
    expect(ownSha256(bytes), `${length} bytes`).toEqual(sha256(bytes));
  }
});

/** Bit by bit, as its definition says. */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

describe('lines that are built as bytes', () => {
  const events = fc.constantFrom<RunEvent>(
    { type: 'state_entered', state: 'A' },
    { type: 'state_entered', state: 'Zwölf' },
    { type: 'state_entered', state: 'A', with: { a: 1 } },
    ...[0, 9, 10, 12_345, 0x7fffffff, 0x80000000, -1, -0, 1.5, '7'].map(
      (value): RunEvent => ({ type: 'tracked_set', name: 'n', value }),
    ),
    { type: 'tracked_set', name: 'n', value: 1, printed: '1.0' },
    {
      type: 'emitted',
      by: 'author',
      event: 'E',
      fields: {},
      message: 'ä'.repeat(1500),
      state: 'A',
      line: 1,
    } as RunEvent,
    {
      type: 'emitted',
      by: 'author',
      event: 'E',
      fields: {},
      message: 'x'.repeat(50_000),
      state: 'A',
      line: 1,
    } as RunEvent,
  );
  const steps = fc.array(
    fc.record({ event: events, times: fc.constantFrom(1, 1, 2, 350), taken: fc.boolean(), late: fc.boolean() }),
    { minLength: 1, maxLength: 12 },
  );
  const isComputed = ({ type, ...more }: Record<string, unknown>): boolean => {
    if (type === 'state_entered') return !('with' in more);
    const { value } = more;
    const isCounted = Number.isInteger(value) && !Object.is(value, -0) && (value as number) >= 0;
    return type === 'tracked_set' && !('printed' in more) && isCounted && (value as number) <= 0x7fffffff;
  };

  test.each([null, 'header', 'h'.repeat(97_000)])('are JSON with a check, and a hash of what is before', (header) => {
    fc.assert(
      fc.property(steps, (all) => {
        const buffer = new LineBuffer(header === null ? null : Buffer.from(header));
        let before = Buffer.from(header ?? '');
        let [seq, hashed, waiting] = [0, 0, ''];
        for (const { event, times, taken, late } of all) {
          const isShort = JSON.stringify(event).length < 200;
          for (let count = 0; count < (isShort ? times : 1); count++) {
            seq++;
            const time = `2030-01-02T03:04:0${late ? 6 : 5}.678Z`;
            const most = isComputed({ ...event }) ? MOST_UNHASHED.computed : MOST_UNHASHED.other;
            const isDue = before.length >= most || (!isComputed({ ...event }) && hashed > OWN_BYTES);
            const hash = header !== null && isDue ? sha256(before).toString('base64url') : null;
            if (hash !== null) hashed += before.length;
            const { type, ...members } = event;
            const text = JSON.stringify({ seq, ts: time, type, ...members, ...(hash === null ? {} : { chain: hash }) });
            const crc = crc32(Buffer.from(text.slice(0, -1)))
              .toString(16)
              .padStart(8, '0');
            const line = `${text.slice(0, -1)},"crc":"${crc}"}\n`;
            before = Buffer.concat([hash === null ? before : Buffer.alloc(0), Buffer.from(line)]);
            waiting += line;
            expect(buffer.add(event, seq, time)).toBe(hash);
          }
          expect(buffer.length).toBe(Buffer.byteLength(waiting));
          if (taken) {
            expect(buffer.take().toString()).toBe(waiting);
            waiting = '';
          }
          expect(buffer.head).toBe(header === null ? null : sha256(before).toString('base64url'));
        }
        expect(buffer.take().toString()).toBe(waiting);
        expect(buffer.length).toBe(0);
      }),
      { numRuns: 8 },
    );
  });

  test('are read again, and their parts are found', () => {
    const event: RunEvent = { type: 'state_entered', state: 'Ä' };
    for (const hash of [null, 'h'.repeat(43)]) {
      const line = journalLine(event, 12, 'T', hash);
      const bytes = Buffer.from(`x${line}y`);
      const to = bytes.length - 1;
      expect(readLineBytes(bytes, 1, to)).toEqual({ seq: 12, time: 'T', event });
      expect(chainIn(bytes, 1, to)).toBe(hash);
      const body = bodyOfLine(bytes, 1, to);
      expect(lineOfBody(body, 0, body.length, 12)).toBe(line);
      expect(lineOfBody(body, 0, body.length, 7)).toBe(journalLine(event, 7, 'T', hash));
      expect([readLineBytes(bytes, 0, to), readLineBytes(bytes, 1, to + 1), readLineBytes(bytes, 1, 19)]).toEqual([
        null,
        null,
        null,
      ]);
    }
    const bytes = Buffer.from('äbc');
    expect(crcOf(bytes, 1, 3) >>> 0).toBe(crc32(bytes.subarray(1, 3)));
    expect(crcOf(bytes, 2, 4, crcOf(bytes, 0, 2)) >>> 0).toBe(crc32(bytes));
  });

  test('without hashes may be taken back', () => {
    const buffer = new LineBuffer();
    buffer.add({ type: 'state_entered', state: 'A' }, 1, 'T');
    buffer.take();
    buffer.add({ type: 'state_entered', state: 'B' }, 2, 'T');
    const { length } = buffer;
    buffer.add({ type: 'state_entered', state: 'C' }, 3, 'T');
    buffer.cutTo(length);
    expect(buffer.take().toString()).toBe(`${journalLine({ type: 'state_entered', state: 'B' }, 2, 'T')}\n`);
    buffer.cutTo(1);
    expect(buffer.length).toBe(0);
  });
});

test('whoever has read a journal leaves it closed, also a damaged one', () => {
  const path = join(temporaryFolder(), 'journal.ndjson');
  const text = lineOf(1) + lineOf(2);
  const end = { seq: 2, offset: Buffer.byteLength(text) };
  const opened = (): number => readdirSync('/dev/fd').length;
  const before = opened();
  for (const written of [text, `${text}{"seq": 3`, `${text}no line\n${lineOf(4)}`]) {
    writeFileSync(path, written);
    readToDamage(path, () => true);
    expect(journalHas(path, 'state_entered', { seq: 0, offset: 0 })).toBe(true);
    expect(journalHas(path, 'run_started', { seq: 0, offset: 0 })).toBe(false);
    expect(unhashedEnd(path, end, Buffer.from('start ')).toString()).toContain('start');
  }
  expect(() => readJournal(path, () => true)).toThrow('damaged');
  expect(opened()).toBe(before);
});
