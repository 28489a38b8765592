/** Which process holds a run: by its files, whichever process wrote them, and whatever happens between two looks. */
import fs, {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { processStat, thisOrigin } from '../../src/runtime/process/process-group.js';
import type * as runLock from '../../src/runtime/store/run-lock.js';
import { lockHolder, lockRun, type RunLock } from '../../src/runtime/store/run-lock.js';

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'statedsl-lock-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const here = { pid: process.pid, startedAt: processStat(process.pid)?.startedAt ?? null, ...thisOrigin() };
const elsewhere = { pid: 1, startedAt: 5, host: 'elsewhere', boot: 'another', pidNamespace: 'pid:[1]' };

function left(number: number, content: object | string, ageMs = 0): void {
  const path = join(folder, `lock.${number}`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  const time = new Date(Date.now() - ageMs);
  utimesSync(path, time, time);
}

/** The number of the file that took the run; null if another process holds it. */
function taken(): number | null {
  const attempt = lockRun(folder);
  if (!('lock' in attempt)) return null;
  onTestFinished(() => attempt.lock.release());
  const names = readdirSync(folder).filter((name) => !name.startsWith('lock.other'));
  expect(names).toHaveLength(1);
  return Number(names[0]?.slice('lock.'.length));
}

function held(): RunLock {
  const attempt = lockRun(folder);
  if (!('lock' in attempt)) throw new Error('another process holds it');
  onTestFinished(() => attempt.lock.release());
  return attempt.lock;
}

describe('a run is held', () => {
  test.each([
    ['by a process that runs', here],
    ['by a process of an unknown start', { ...here, startedAt: null }],
    ['by the first process of a container', { ...here, pid: 1, startedAt: null }],
  ])('%s', (_, owner) => {
    left(3, owner, 60_000);
    expect(taken()).toBeNull();
    expect(lockHolder(folder)).toMatchObject({ owner: { pid: owner.pid }, dead: false });
  });

  test('by a process elsewhere, as long as it touches its file', () => {
    left(3, elsewhere, 14_000);
    expect(taken()).toBeNull();
    left(3, elsewhere, 16_000);
    expect(lockHolder(folder)).toEqual({ owner: null, dead: true });
    expect(taken()).toBe(4);
  });

  test('by a process of another user', () => {
    left(3, here);
    const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('not permitted'), { code: 'EPERM' });
    });
    onTestFinished(() => kill.mockRestore());
    expect(taken()).toBeNull();
  });

  test('by the owner of the highest number', () => {
    left(9, '{"released":true}\n');
    left(10, here);
    expect(taken()).toBeNull();
    left(9, here);
    left(10, '{"released":true}\n');
    writeFileSync(join(folder, 'lock.other'), '');
    expect(taken()).toBe(11);
  });
});

describe('a run is free', () => {
  test.each([
    ['after its owner released it', '{"released":true}\n', false],
    ['where the file names no process', '{"pid":0}', false],
    ['where the file is torn', '{"pid":', false],
    ['when another process got the number of its owner', { ...here, startedAt: (here.startedAt ?? 0) + 1 }, true],
    ['when no process has that number', { ...here, pid: 2 ** 22 + 1 }, true],
  ])('%s', (_, content, dead) => {
    left(3, content);
    expect(lockHolder(folder)).toEqual({ owner: null, dead });
    expect(taken()).toBe(4);
  });

  test('that nothing ever held', () => {
    expect(lockHolder(folder)).toEqual({ owner: null, dead: false });
    expect(taken()).toBe(1);
  });
});

/** Something that happens when the lock's file is linked: before the link, or after it. */
function duringLink(action: () => void, when: 'before' | 'after'): void {
  const { linkSync } = fs;
  let isOver = false;
  const restore = (): void => {
    fs.linkSync = linkSync;
    syncBuiltinESMExports();
  };
  fs.linkSync = (from, to) => {
    if (when === 'before' && !isOver) action();
    linkSync(from, to);
    if (when === 'after' && !isOver) action();
    isOver = true;
  };
  syncBuiltinESMExports();
  onTestFinished(restore);
}

describe('of two processes that take a run at once', () => {
  test('the one that creates the file first has it', () => {
    duringLink(() => left(1, here), 'before');
    expect(lockRun(folder)).toMatchObject({ owner: { pid: process.pid } });
    expect(readdirSync(folder)).toEqual(['lock.1']);
  });

  test('the one with the higher number has it, and the other one leaves nothing', () => {
    duringLink(() => left(2, here), 'after');
    expect(lockRun(folder)).toMatchObject({ owner: { pid: process.pid } });
    expect(readdirSync(folder)).toEqual(['lock.2']);
  });
});

test('a released run stays with the process that takes it next', () => {
  const first = held();
  first.release();
  expect(lockHolder(folder)).toEqual({ owner: null, dead: false });
  const second = held();
  first.release();
  expect(lockHolder(folder).owner?.pid).toBe(process.pid);
  expect(readdirSync(folder)).toEqual(['lock.2']);
  second.release();
  expect(readFileSync(join(folder, 'lock.2'), 'utf8')).toBe('{"released":true}\n');
});

test('an owner finds out that it lost the run, at the latest after a second, and then writes no file', () => {
  vi.useFakeTimers({ toFake: ['Date', 'hrtime'], now: Date.now() });
  onTestFinished(() => void vi.useRealTimers());
  const lock = held();
  unlinkSync(join(folder, 'lock.1'));
  expect(lock.holds()).toBe(true);
  // Setting the clock of the machine changes nothing about it.
  vi.setSystemTime(Date.now() - 3_600_000);
  vi.advanceTimersByTime(1001);
  expect([lock.holds(), lock.holds()]).toEqual([false, false]);
  lock.release();
  expect(readdirSync(folder)).toEqual([]);
});

test('a heartbeat touches each file until it is stopped, and never changes one', async () => {
  // Its timer serves all runs of a process, so this test needs a timer of its own.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { beat }: typeof runLock = await import(`../../src/runtime/store/run-lock.js?${'own'}`);
  const paths = ['a', 'b'].map((name) => join(folder, name));
  for (const path of paths) writeFileSync(path, '{"pid":1}');
  const stops = paths.map(beat);
  const touched = (): boolean[] => {
    for (const path of paths) utimesSync(path, 1000, 1000);
    vi.advanceTimersByTime(2000);
    expect(paths.map((path) => readFileSync(path, 'utf8'))).toEqual(['{"pid":1}', '{"pid":1}']);
    return paths.map((path) => statSync(path).mtimeMs > 1_000_000);
  };
  expect(touched()).toEqual([true, true]);
  stops[0]?.();
  expect(touched()).toEqual([false, true]);
  stops[1]?.();
  expect(vi.getTimerCount()).toBe(0);
  expect(touched()).toEqual([false, false]);
  beat(paths[0] as string);
  expect(touched()).toEqual([true, false]);
});
