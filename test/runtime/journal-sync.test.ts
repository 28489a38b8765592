/**
 * What a journal asks of the file system, and in which order: an event counts once it is on disk, and only the owner of a
 * run writes about it. The calls are observed, because a test cannot take the power away.
 */
import fs, { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import { type OpenJournal, openFileJournal } from '../../src/runtime/store/journal.js';
import { type JournalEnd, journalStart, readJournal } from '../../src/runtime/store/read-journal.js';
import type { RunFolder } from '../../src/runtime/store/store.js';

const TIME = '2030-01-02T03:04:05.678Z';
const entered: RunEvent = { type: 'state_entered', state: 'A' };

/** The calls of the journal so far: how many bytes each wrote, and how many were in the file when it was synced. */
interface Observed {
  readonly journal: OpenJournal;
  readonly path: string;
  readonly calls: string[];
  isHeld: boolean;
  isClosed: boolean;
  /** How many syncs that did not block have ended. */
  synced: number;
}

/** `most`: how many bytes one call writes at most, as on a disk that is nearly full. */
function observed({
  text = '',
  end = {},
  most = Number.POSITIVE_INFINITY,
  settled = Promise.resolve(),
} = {}): Observed {
  const path = mkdtempSync(join(tmpdir(), 'statedsl-sync-'));
  const file = join(path, 'journal.ndjson');
  writeFileSync(file, text);
  const calls: string[] = [];
  const size = () => fs.statSync(file).size;
  const { writeSync, fdatasync, fdatasyncSync } = fs;
  const whole: JournalEnd = { ...journalStart, offset: text.length, torn: 0, unended: false, ...end };
  Object.assign(fs, {
    writeSync: (fd: number, bytes: Uint8Array | string, at = 0) => {
      const part = typeof bytes === 'string' ? Buffer.from(bytes) : bytes.subarray(at, at + most);
      calls.push(`write ${part.length}`);
      return writeSync(fd, part);
    },
    fdatasync: (_: number, done: (cause: null) => void) => {
      calls.push(`sync ${size()}`);
      setImmediate(() => {
        one.synced++;
        done(null);
      });
    },
    fdatasyncSync: () => calls.push(`block ${size()}`),
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    Object.assign(fs, { writeSync, fdatasync, fdatasyncSync });
    syncBuiltinESMExports();
    rmSync(path, { recursive: true, force: true });
  });
  const one = { path: file, calls, isHeld: true, isClosed: false, synced: 0 };
  const folder = {
    path,
    chainStart: null,
    settled,
    isHeld: () => one.isHeld,
    close: () => {
      one.isClosed = true;
    },
  };
  return Object.assign(one, { journal: openFileJournal(folder as unknown as RunFolder, whole) });
}

const seqs = (path: string): number[] => {
  const found: number[] = [];
  readJournal(path, ({ seq }) => found.push(seq) > 0);
  return found;
};

test('a sync writes what was appended and then syncs it, once', async () => {
  const { journal, path, calls } = observed();
  journal.append([entered, entered], 1, TIME);
  expect(calls).toEqual([]);
  const length = journal.offset as number;
  await journal.sync();
  await journal.sync();
  expect(calls).toEqual([`write ${length}`, `sync ${length}`]);
  journal.append([entered], 3, TIME);
  await journal.sync(true);
  expect(calls.slice(2)).toEqual([`write ${length / 2}`, `block ${length * 1.5}`]);
  expect(seqs(path)).toEqual([1, 2, 3]);
  await journal.close();
  expect(calls).toHaveLength(4);
});

test('a sync is over when the disk has everything, and not before the folder of the run is on it', async () => {
  let settle = () => {};
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const one = observed({ settled });
  one.journal.append([entered], 1, TIME);
  const synced = one.journal.sync();
  await new Promise(setImmediate);
  expect(one.calls.map((call) => call.split(' ')[0])).toEqual(['write']);
  settle();
  await synced;
  expect(one.synced).toBe(1);
});

test('what was written before, because it was much, is synced with the rest or at the end', async () => {
  const one = observed();
  const { journal, calls } = one;
  const large: RunEvent = { type: 'tracked_set', name: 'n', value: 'v'.repeat(70_000) };
  journal.append([large], 1, TIME);
  expect(calls).toEqual([`write ${journal.offset}`]);
  await journal.sync();
  expect(calls.slice(1)).toEqual([`sync ${journal.offset}`]);
  journal.append([large, entered], 2, TIME);
  await journal.close();
  expect(calls.slice(-1)).toEqual([`sync ${journal.offset}`]);
  expect(seqs(one.path)).toEqual([1, 2, 3]);
  expect(one.isClosed).toBe(true);
});

test('a write that takes only a part is continued', async () => {
  const { journal, path, calls } = observed({ most: 50 });
  journal.append([entered, entered], 1, TIME);
  await journal.sync();
  expect(calls.length).toBeGreaterThan(3);
  expect(seqs(path)).toEqual([1, 2]);
});

test.each([
  ['another process has written', (one: Observed) => writeFileSync(one.path, 'x', { flag: 'a' })],
  [
    'another process holds the run',
    (one: Observed) => {
      one.isHeld = false;
    },
  ],
])('%s: nothing is written any more, not even at the end', async (_, lose) => {
  const one = observed();
  const { journal, path } = one;
  journal.append([entered], 1, TIME);
  await journal.sync();
  lose(one);
  const before = readFileSync(path, 'utf8');
  journal.append([entered], 2, TIME);
  await expect(journal.sync()).rejects.toThrow('another process has taken over this run');
  expect(journal.isLost).toBe(true);
  one.isHeld = true;
  writeFileSync(path, before.slice(0, before.lastIndexOf('\n') + 1));
  await expect(journal.sync()).rejects.toThrow('another process has taken over this run');
  await journal.close();
  expect(readFileSync(path, 'utf8')).toBe(before.slice(0, before.lastIndexOf('\n') + 1));
  expect(one.isClosed).toBe(true);
});

test('a torn line is cut off, and a line that lost its end gets it, before anything is appended', async () => {
  const torn = observed({ text: 'complete\n{"seq":2,', end: { offset: 9, torn: 9 } });
  expect(readFileSync(torn.path, 'utf8')).toBe('complete\n');
  const unended = observed({ text: 'complete', end: { unended: true } });
  expect(readFileSync(unended.path, 'utf8')).toBe('complete\n');
  await unended.journal.sync();
  expect(unended.calls).toEqual(['write 1', 'block 9']);
  for (const { journal, path } of [torn, unended]) {
    expect(journal.offset).toBe(9);
    journal.append([entered], 2, TIME);
    await journal.close();
    expect(readFileSync(path, 'utf8')).toMatch(/^complete\n\{"seq":2,.*\}\n$/);
  }
});

test('a torn line is not cut off where another process has written since', () => {
  const text = 'complete\n{"seq":2,';
  expect(() => observed({ text: `${text} more`, end: { offset: 9, torn: 9 } })).toThrow('taken over');
  expect(() => observed({ text: 'complete\n', end: { offset: 8, unended: true } })).toThrow('taken over');
});
