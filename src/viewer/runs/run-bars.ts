/** The bars of the runs that are visible, read one after the other while nobody scrolls, and kept. */
import { type ReadonlySignal, signal } from '@preact/signals';
import type { RunData, RunRow } from '../data/run-data.js';
import { type BarPart, stateBar } from './state-bar.js';

export type BarsOfRuns = ReadonlyMap<string, readonly BarPart[]>;

export interface RunBars {
  /** By the keys of runs. */
  readonly bars: ReadonlySignal<BarsOfRuns>;
  /** These runs are visible now. */
  show(runs: readonly RunRow[]): void;
  close(): void;
}

/** Scrolling is over, or the list has settled. */
const PAUSE_MS = 350;
const MOST_KEPT = 2000;
const DRAW_PAUSE_MS = 300;

/** A run that has changed has another key. */
export function keyOf({ run_id, status, state, ended_at }: RunRow): string {
  return `${run_id} ${status} ${state} ${ended_at}`;
}

export function openRunBars(data: RunData): RunBars {
  const controller = new AbortController();
  const bars = signal<BarsOfRuns>(new Map());
  const known = new Map<string, readonly BarPart[]>();
  /** Runs that could not be read. They are read again when they are shown again. */
  const failed = new Set<string>();
  let wanted: readonly RunRow[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isBusy = false;

  async function read(): Promise<void> {
    if (isBusy) return;
    isBusy = true;
    let drawnAt = performance.now();
    for (;;) {
      const run = wanted.find((one) => !known.has(keyOf(one)) && !failed.has(keyOf(one)));
      if (run === undefined || controller.signal.aborted) break;
      const shown = await data.inspect(run.run_id, null, controller.signal).catch(() => null);
      // A run that has not begun has no states.
      if (shown === null || !('states' in shown)) failed.add(keyOf(run));
      else known.set(keyOf(run), stateBar(shown));
      if (performance.now() - drawnAt < DRAW_PAUSE_MS) continue;
      drawnAt = performance.now();
      bars.value = new Map(known);
    }
    isBusy = false;
    for (const key of known.keys()) {
      if (known.size <= MOST_KEPT) break;
      known.delete(key);
    }
    bars.value = new Map(known);
  }

  return {
    bars,
    show(runs) {
      failed.clear();
      wanted = runs.filter(({ status }) => status !== 'queued');
      clearTimeout(timer);
      timer = setTimeout(() => void read(), PAUSE_MS);
    },
    close() {
      controller.abort();
      clearTimeout(timer);
    },
  };
}
