import { expect, test } from 'vitest';
import type { Outcome } from '../../src/interpreter/events/event.js';
import { inProcess } from '../../src/runtime/in-process.js';
import { LazySignal } from '../../src/runtime/stop-signal.js';

const done: Outcome = { kind: 'value', value: 1 };
const stopped: Outcome = { kind: 'failed', message: 'it was stopped' };
const thrown = (cause: unknown): Outcome => ({ kind: 'failed', message: String(cause) });

/** A stop that counts how often it is looked at. */
function countedStop(): { readonly context: { readonly stop: AbortSignal }; readonly stop: LazySignal; looks: number } {
  const counted = {
    looks: 0,
    stop: new LazySignal(),
    context: {
      get stop() {
        counted.looks++;
        return counted.stop.signal;
      },
    },
  };
  return counted;
}

test('a function that waits for nothing needs no signal', async () => {
  const counted = countedStop();
  const { context } = counted;
  expect(await inProcess({ context, timeoutMs: null, stopped }, async () => done, thrown)).toBe(done);
  await new Promise((resolve) => setImmediate(resolve));
  expect(counted.looks).toBe(0);
});

test('a function that waits is stopped, and its signal says so whenever it asks', async () => {
  for (const asksBefore of [true, false]) {
    const { context, stop } = countedStop();
    let asked: LazySignal | null = null;
    const ended = inProcess(
      { context, timeoutMs: null, stopped },
      (aborting) => {
        asked = aborting;
        if (asksBefore) expect(aborting.signal.aborted).toBe(false);
        return new Promise(() => undefined);
      },
      thrown,
    );
    setImmediate(() => stop.abort());
    expect(await ended).toBe(stopped);
    expect((asked as LazySignal | null)?.signal.aborted).toBe(true);
  }
});

test('one that was stopped before it could wait is stopped, too', async () => {
  const { context, stop } = countedStop();
  const ended = inProcess({ context, timeoutMs: null, stopped }, () => new Promise(() => undefined), thrown);
  stop.abort();
  expect(await ended).toBe(stopped);
});

test('a time limit aborts the signal', async () => {
  const { context } = countedStop();
  let isAborted = false;
  const ended = await inProcess(
    { context, timeoutMs: 5, stopped },
    ({ signal }) => {
      signal.addEventListener('abort', () => {
        isAborted = true;
      });
      return new Promise(() => undefined);
    },
    thrown,
  );
  expect(ended).toMatchObject({ kind: 'timed-out', timeout_ms: 5 });
  expect(isAborted).toBe(true);
});
