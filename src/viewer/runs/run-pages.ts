/**
 * The runs of the list, page after page as far as they are needed. The first page is read again and again while somebody looks
 * at it, so that new runs appear and old ones change.
 */
import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { type DataError, type RunData, type RunQuery, type RunRow, toDataError } from '../data/run-data.js';

export interface RunRows {
  readonly runs: readonly RunRow[];
  /** Whether these are all. */
  readonly isComplete: boolean;
  readonly isLoading: boolean;
  readonly problem: DataError | null;
}

export interface RunPages {
  readonly rows: ReadonlySignal<RunRows>;
  /** Reads more if fewer than this many are known. */
  want(count: number): void;
  close(): void;
}

const FIRST_PAGE = 60;
const PAGE = 500;
const REFRESH_MS = 2000;

export function openRunPages(data: RunData, query: RunQuery): RunPages {
  const controller = new AbortController();
  const { signal: closed } = controller;
  const rows = signal<RunRows>({ runs: [], isComplete: false, isLoading: true, problem: null });
  let cursor: string | undefined;
  let isBusy = false;

  async function read(limit: number): Promise<void> {
    if (isBusy || closed.aborted) return;
    isBusy = true;
    try {
      const page = await data.list({ ...query, limit, ...(cursor === undefined ? {} : { cursor }) }, closed);
      const known = new Set(rows.peek().runs.map(({ run_id }) => run_id));
      const runs = [...rows.peek().runs, ...page.runs.filter(({ run_id }) => !known.has(run_id))];
      cursor = page.next;
      rows.value = { runs, isComplete: page.next === undefined, isLoading: false, problem: null };
    } catch (cause) {
      if (closed.aborted) return;
      const problem = toDataError(cause);
      rows.value = { ...rows.peek(), isLoading: false, problem: problem.code === 'lost' ? null : problem };
    } finally {
      isBusy = false;
    }
  }

  async function refresh(): Promise<void> {
    if (isBusy || document.visibilityState === 'hidden' || data.connection.peek() !== 'connected') return;
    if (rows.peek().isLoading) return read(FIRST_PAGE);
    const page = await data.list({ ...query, limit: FIRST_PAGE }, closed).catch(() => null);
    if (page === null || closed.aborted) return;
    const before = rows.peek();
    const merged = mergeFirst(before.runs, page.runs, page.next === undefined);
    if (merged !== null) rows.value = { ...before, runs: merged, problem: null };
  }

  const stop = effect(() => {
    if (data.connection.value === 'connected') void refresh();
  });
  const timer = data.kind === 'service' ? setInterval(() => void refresh(), REFRESH_MS) : null;
  return {
    rows,
    want: (count) => {
      const { runs, isComplete, problem } = rows.peek();
      if (runs.length < count && !isComplete && problem === null) void read(PAGE);
    },
    close() {
      controller.abort();
      stop();
      if (timer !== null) clearInterval(timer);
    },
  };
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
