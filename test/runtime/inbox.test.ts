/** A message of another process is delivered once, whichever process died while it was written or read. */
import fs, { appendFileSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRedactor } from '../../src/runtime/redact.js';
import { resume } from '../../src/runtime/run/again/resume-run.js';
import { DEBUGGER, deliver, openInbox } from '../../src/runtime/store/inbox.js';
import { keptRun } from './kept-run.js';
import { temporaryFolder } from './running.js';

const signal = (name: string) => ({ kind: 'signal', name, payload: null, by: 'somebody' }) as const;

const names = (inbox: ReturnType<typeof openInbox>): string[] =>
  inbox.take().map(({ delivery }) => ('name' in delivery ? delivery.name : delivery.kind));

describe('an inbox', () => {
  test('returns each line once, and continues where it was', () => {
    const folder = temporaryFolder();
    const inbox = openInbox(folder, 0);
    expect(inbox.hasMore()).toBe(false);
    deliver(folder, signal('one'), null);
    deliver(folder, signal('two'), null);
    expect(inbox.hasMore()).toBe(true);
    expect(names(inbox)).toEqual(['one', 'two']);
    expect(inbox.hasMore()).toBe(false);
    const { read } = inbox;
    deliver(folder, signal('three'), null);
    expect(names(openInbox(folder, read))).toEqual(['three']);
  });

  test('ignores a line that a killed process did not finish', () => {
    const folder = temporaryFolder();
    const inbox = openInbox(folder, 0);
    appendFileSync(join(folder, 'inbox.ndjson'), '\n{"kind":"signal","na');
    expect(names(inbox)).toEqual([]);
    expect(inbox.hasMore()).toBe(false);
    deliver(folder, signal('next'), null);
    expect(names(inbox)).toEqual(['next']);
  });

  test('holds no secrets that the sender knows, and nothing that was read', () => {
    const folder = temporaryFolder();
    const redactor = createRedactor([{ name: 'TOKEN', value: 'a secret' }]);
    deliver(folder, { kind: 'signal', name: 'one', payload: ['a secret'], by: 'x' }, redactor);
    deliver(folder, { kind: 'signal', name: 'two', payload: 'another', by: 'x' }, redactor);
    expect(readFileSync(join(folder, 'inbox.ndjson'), 'utf8')).not.toContain('a secret');
    const inbox = openInbox(folder, 0);
    expect(names(inbox)).toEqual(['one', 'two']);
    deliver(folder, signal('three'), redactor);
    inbox.forget();
    expect(readFileSync(join(folder, 'inbox.ndjson'), 'utf8')).not.toContain('another');
    expect(names(inbox)).toEqual(['three']);
  });

  test('tells the sender where its line ends, once the line is on disk', () => {
    const folder = temporaryFolder();
    const inbox = openInbox(folder, 0);
    const synced = duringSync(() => undefined);
    const ends = [deliver(folder, signal('one'), null), deliver(folder, signal('two'), null)];
    expect(synced()).toBe(2);
    expect(inbox.take().map((taken) => taken.inbox)).toEqual(ends);
    expect(inbox.read).toBe(ends[1]);
  });

  test('has no line for the sender any more if the run has taken it by then', () => {
    const folder = temporaryFolder();
    const inbox = openInbox(folder, 0);
    duringSync(() => {
      expect(names(inbox)).toEqual(['one']);
      inbox.forget();
    });
    expect(deliver(folder, signal('one'), null)).toBeNull();
  });

  test('keeps its lines where they are when their content is blanked', () => {
    const folder = temporaryFolder();
    const inbox = openInbox(folder, 0);
    deliver(folder, signal('one'), null);
    const lineEnds = () =>
      [...readFileSync(join(folder, 'inbox.ndjson'), 'utf8').matchAll(/\n/g)].map(({ index }) => index);
    const before = lineEnds();
    inbox.take();
    inbox.forget();
    expect(lineEnds()).toEqual(before);
    expect(names(openInbox(folder, 0))).toEqual([]);
  });
});

/** Runs `action` when a file was synced. Returns how often that happened. */
function duringSync(action: () => void): () => number {
  const { fsyncSync } = fs;
  let count = 0;
  const observe = (sync: typeof fsyncSync): void => {
    fs.fsyncSync = sync;
    syncBuiltinESMExports();
  };
  observe((fd) => {
    fsyncSync(fd);
    count++;
    action();
  });
  onTestFinished(() => observe(fsyncSync));
  return () => count;
}

test('a run with an incomplete line in its inbox is suspended', async () => {
  const kept = await keptRun('WAIT: signal go\nRETURN: over\n');
  appendFileSync(join(kept.path, 'inbox.ndjson'), '{"kind":"signal","name":"go');
  const options = { dir: kept.dir, env: {} };
  expect((await resume(kept.report.run_id, options)).status).toBe('suspended');
  deliver(kept.path, signal('go'), null);
  expect((await resume(kept.report.run_id, options)).returned).toBe('over');
});

test('each debugger that asks is heard once, also two in one moment', () => {
  const folder = temporaryFolder();
  const path = join(folder, DEBUGGER);
  const inbox = openInbox(folder, 0);
  const ask = (text: string): void => {
    writeFileSync(path, text);
    utimesSync(path, 1, 1);
  };
  expect(inbox.takeDebugger()).toBeNull();
  ask('one');
  expect([inbox.takeDebugger(), inbox.takeDebugger()]).toEqual(['one', null]);
  ask('two');
  expect([inbox.takeDebugger(), inbox.takeDebugger()]).toEqual(['two', null]);
  rmSync(path);
  expect(inbox.takeDebugger()).toBeNull();
});
