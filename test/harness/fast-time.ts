/** Time that passes faster for this process, so that tests of patience need none. Processes that it starts notice nothing. */
import { performance as clock } from 'node:perf_hooks';

/** What a process must do in time, it must do in this part of it: such times are several seconds. */
const FACTOR = 5;

const REAL = { Date: globalThis.Date, setTimeout: globalThis.setTimeout, now: clock.now.bind(clock) };

/** While the action lasts, `Date`, `performance` and `setTimeout` are five times as fast. */
export async function inFastTime<T>(action: () => Promise<T>): Promise<T> {
  const begun = { date: REAL.Date.now(), now: REAL.now() };
  const now = (): number => begun.date + Math.round((REAL.now() - begun.now) * FACTOR);
  globalThis.Date = dateWith(now);
  clock.now = () => begun.now + (REAL.now() - begun.now) * FACTOR;
  globalThis.setTimeout = Object.assign(
    (callback: (...args: unknown[]) => void, ms = 0, ...args: unknown[]) =>
      REAL.setTimeout(callback, ms / FACTOR, ...args),
    REAL.setTimeout,
  );
  try {
    return await action();
  } finally {
    globalThis.Date = REAL.Date;
    Reflect.deleteProperty(clock, 'now');
    globalThis.setTimeout = REAL.setTimeout;
  }
}

/** The constructor of dates, with another time of day. */
export function dateWith(now: () => number): DateConstructor {
  return new Proxy(REAL.Date, {
    construct: (_, args: unknown[]) => (args.length === 0 ? new REAL.Date(now()) : Reflect.construct(REAL.Date, args)),
    get: (_, key) => (key === 'now' ? now : Reflect.get(REAL.Date, key)),
  });
}
