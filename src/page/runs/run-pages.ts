/** What the list of runs shows, read as far as it is needed: its rows, page after page, and the bars of those that are visible. */
import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { type DataError, type PageData, type RunQuery, type RunRow, toDataError } from '../data/page-data.js';
import { type BarPart, stateBar } from './state-bar.js';

type BarsOfRuns = ReadonlyMap<string, readonly BarPart[]>;

interface RunBars {
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

/** The bars of the runs that are visible, read one after the other while the list is not scrolled, and kept. */
export function openRunBars(data: PageData): RunBars {
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

interface RunRows {
  readonly runs: readonly RunRow[];
  /** Whether these are all. */
  readonly isComplete: boolean;
  readonly isLoading: boolean;
  readonly problem: DataError | null;
}

interface RunPages {
  readonly rows: ReadonlySignal<RunRows>;
  /** Reads more if fewer than this many are known. */
  want(count: number): void;
  close(): void;
}

const FIRST_PAGE = 60;
const PAGE = 500;
const REFRESH_MS = 2000;

/**
 * The runs of the list, page after page as far as they are needed. The first page is read again and again while it is
 * visible, so that new runs appear and old ones change.
 */
export function openRunPages(data: PageData, query: RunQuery): RunPages {
  const controller = new AbortController();
  const { signal: closed } = controller;
  const rows = signal<RunRows>({ runs: [], isComplete: false, isLoading: true, problem: null });
  let cursor: string | undefined;
  let isBusy = false;
  let wanted = 0;

  /** One request at a time: an answer that comes late must not overwrite a newer one, nor continue a list that was begun anew. */
  async function alone(request: () => Promise<boolean>): Promise<void> {
    if (isBusy || closed.aborted) return;
    isBusy = true;
    const isRead = await request();
    isBusy = false;
    if (isRead) readWanted();
  }

  function readWanted(): void {
    const { runs, isComplete, isLoading, problem } = rows.peek();
    if (!isLoading && runs.length < wanted && !isComplete && problem === null) void alone(() => read(PAGE));
  }

  /** False: it could not be read. */
  async function read(limit: number): Promise<boolean> {
    try {
      const page = await data.list({ ...query, limit, ...(cursor === undefined ? {} : { cursor }) }, closed);
      const known = new Set(rows.peek().runs.map(({ run_id }) => run_id));
      const runs = [...rows.peek().runs, ...page.runs.filter(({ run_id }) => !known.has(run_id))];
      cursor = page.next;
      rows.value = { runs, isComplete: page.next === undefined, isLoading: false, problem: null };
      return true;
    } catch (cause) {
      if (closed.aborted) return false;
      const problem = toDataError(cause);
      rows.value = { ...rows.peek(), isLoading: false, problem: problem.code === 'lost' ? null : problem };
      return false;
    }
  }

  async function readFirst(): Promise<boolean> {
    if (rows.peek().isLoading) return read(FIRST_PAGE);
    const page = await data.list({ ...query, limit: FIRST_PAGE }, closed).catch(() => null);
    if (page === null || closed.aborted) return false;
    const before = rows.peek();
    if (page.next !== undefined && isApart(before.runs, page.runs)) {
      cursor = page.next;
      rows.value = { runs: page.runs, isComplete: false, isLoading: false, problem: null };
      return true;
    }
    const merged = mergeFirst(before.runs, page.runs, page.next === undefined);
    if (merged !== null) rows.value = { ...before, runs: merged, problem: null };
    return true;
  }

  function refresh(): void {
    if (document.visibilityState !== 'hidden' && data.connection.peek() === 'connected') void alone(readFirst);
  }

  const stop = effect(() => {
    if (data.connection.value === 'connected') refresh();
  });
  const timer = data.kind === 'service' ? setInterval(refresh, REFRESH_MS) : null;
  return {
    rows,
    want: (count) => {
      wanted = count;
      readWanted();
    },
    close() {
      controller.abort();
      stop();
      if (timer !== null) clearInterval(timer);
    },
  };
}

/** Whether runs may be missing between a newer first page and the known runs: more have begun than the page has. */
export function isApart(known: readonly RunRow[], first: readonly RunRow[]): boolean {
  const oldest = first[first.length - 1];
  return oldest !== undefined && (known[0]?.run_id ?? '') < oldest.run_id;
}

/** The known runs with a newer first page: runs that it does not have any more were removed. Null: nothing has changed. */
export function mergeFirst(
  known: readonly RunRow[],
  first: readonly RunRow[],
  isAll: boolean,
): readonly RunRow[] | null {
  const fresh = new Set(first.map(({ run_id }) => run_id));
  const oldest = first[first.length - 1]?.run_id ?? '';
  // Ids begin with the time, so all runs that are older than the page are smaller than its last one.
  const older = isAll ? [] : known.filter(({ run_id }) => !fresh.has(run_id) && run_id < oldest);
  const merged = [...first, ...older];
  const isSame = merged.length === known.length && merged.every((run, at) => isEqual(run, known[at] as RunRow));
  return isSame ? null : merged;
}

function isEqual(a: RunRow, b: RunRow): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
