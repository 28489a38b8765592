import { describe, expect, it } from 'vitest';
import { LazySignal, noteLazySignal, Stopper, stopSignalOf } from '../../src/runtime/stop-signal.js';

describe('the signal of a stopper', () => {
  it('is aborted once, with the first reason', () => {
    const stopper = new Stopper();
    const { signal } = stopper;
    let calls = 0;
    signal.addEventListener('abort', () => calls++, { once: true });
    expect({ aborted: signal.aborted, reason: signal.reason, calls }).toEqual({
      aborted: false,
      reason: undefined,
      calls: 0,
    });
    stopper.abort('first');
    stopper.abort('second');
    expect({ aborted: signal.aborted, reason: signal.reason, calls }).toEqual({
      aborted: true,
      reason: 'first',
      calls: 1,
    });
  });

  it('calls every listener, except those that were removed', () => {
    const stopper = new Stopper();
    const called: string[] = [];
    const removed = (): void => void called.push('removed');
    stopper.signal.addEventListener('abort', () => called.push('one'));
    stopper.signal.addEventListener('abort', removed);
    stopper.signal.addEventListener('abort', () => called.push('two'));
    stopper.signal.removeEventListener('abort', removed);
    stopper.abort();
    expect(called).toEqual(['one', 'two']);
  });
});

describe('a signal that is created on demand', () => {
  it('calls every listener once, except those that were removed, and aborts what was created', () => {
    const lazy = new LazySignal();
    const called: string[] = [];
    const removed = (): void => void called.push('removed');
    lazy.addEventListener('abort', () => called.push('one'));
    lazy.addEventListener('abort', removed);
    lazy.removeEventListener('abort', removed);
    lazy.signal.addEventListener('abort', () => called.push('created'));
    lazy.abort();
    lazy.abort();
    expect([called, lazy.aborted, lazy.signal.aborted]).toEqual([['one', 'created'], true, true]);
  });

  it('belongs to its context, and not to a copy that has another one', () => {
    const lazy = new LazySignal();
    const context = { stop: lazy.signal };
    noteLazySignal(context, lazy);
    const { signal: other } = new AbortController();
    expect(stopSignalOf(context)).toBe(lazy);
    expect(stopSignalOf({ ...context, stop: other })).toBe(other);
  });
});
