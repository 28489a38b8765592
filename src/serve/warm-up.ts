/**
 * Reads the newest runs before anybody asks for them. The first thousand answers take ten times as long as later ones,
 * because the code is compiled meanwhile, and requests that come faster than these would wait for each other for seconds.
 */
import { setTimeout as pause } from 'node:timers/promises';
import type { Runs } from '../control/runs.js';

/** How many runs are read: with what is kept of them, as many as a service keeps. */
const MOST_RUNS = 10_000;
/** So many are read at once, so that the code is compiled soon. */
const FIRST_RUNS = 200;
/** So many are shown like requests for them, which compiles also the code of answers. */
const SHOWN_RUNS = 1500;
/** Work without a pause, in milliseconds: requests come first. */
const SLICE_MS = 4;
const PAUSE_MS = 6;
/** While somebody works with the service, the rest waits until nothing was asked for so long. */
const QUIET_MS = 500;
/** Reading a longer record would keep a request waiting. */
const LONGEST_BYTES = 64 * 1024;

export interface WarmUpOptions {
  readonly runs: Pick<Runs, 'list' | 'inspect'>;
  /** Answers as if a client had asked for the run. */
  readonly show: (runId: string) => Promise<unknown>;
  /** How long the record of a run is, in bytes. */
  readonly sizeOf: (runId: string) => number;
  /** How long ago the last request came, in milliseconds. */
  readonly quietMs: () => number;
  readonly signal: AbortSignal;
}

/** Resolves when they are read, or when `signal` is aborted. */
export async function warmUp({ runs, show, sizeOf, quietMs, signal }: WarmUpOptions): Promise<void> {
  const found = await runs.list({ status: ['returned', 'failed', 'suspended'], limit: MOST_RUNS });
  if (!found.ok) return;
  let sliceEnd = Number.NEGATIVE_INFINITY;
  for (const [at, { run_id }] of found.value.runs.entries()) {
    // Also the first ones leave room for requests between them.
    if (at < FIRST_RUNS) await pause(0, undefined, { ref: false });
    else if (performance.now() >= sliceEnd) {
      await pause(PAUSE_MS, undefined, { ref: false });
      await untilQuiet(quietMs, signal);
      sliceEnd = performance.now() + SLICE_MS;
    }
    if (signal.aborted) return;
    // What is wrong with a run is said to who asks for it.
    if (sizeOf(run_id) > LONGEST_BYTES) continue;
    if (at >= FIRST_RUNS && at < FIRST_RUNS + SHOWN_RUNS) await show(run_id);
    else await runs.inspect(run_id);
  }
}

async function untilQuiet(quietMs: () => number, signal: AbortSignal): Promise<void> {
  for (let left = QUIET_MS - quietMs(); left > 0 && !signal.aborted; left = QUIET_MS - quietMs())
    await pause(left, undefined, { ref: false });
}
