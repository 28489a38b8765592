/** Lines of a journal as bytes, for readers that pass them on: which of them count, and where damage begins. */
import { closeSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { journalLine, readJournalLine } from '../../src/runtime/store/journal-line.js';
import { checkedSeq, JournalLines, seqAt } from '../../src/runtime/store/journal-lines.js';
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
