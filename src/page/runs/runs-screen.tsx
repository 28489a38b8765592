/** The list of runs: filters, what waits for a person, and a table that has only its visible rows. */
import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Waiting } from '../../interpreter/events/event.js';
import {
  type DataError,
  type PageData,
  type RunQuery,
  type RunRow,
  toDataError,
  type WaitingRun,
} from '../data/page-data.js';
import { usePage } from '../page-parts.js';
import { Problem } from '../shell/problem.jsx';
import { useKeys, useMedia } from '../shell/use-keys.js';
import { VirtualList } from '../shell/virtual-list.jsx';
import { DayChart } from './day-chart.jsx';
import { Filters, hasFilters, queryOf } from './filters.jsx';
import { GroupCells, RunCells, RunHead } from './run-rows.jsx';
import { Schedules } from './schedules.jsx';
import { SelectedRuns } from './selected-runs.jsx';
import { StartDialog } from './start-dialog.jsx';
import { type BarPart, stateBar } from './state-bar.js';
import { useWaitingRuns } from './waiting-runs.js';

const ROW_HEIGHT = 50;
/** Three lines, where the page is narrow as `runs.css` has it. */
const NARROW = '(max-width: 700px)';
const NARROW_ROW_HEIGHT = 74;
/** Rows that are read before they are reached. */
const AHEAD = 100;

export function RunsScreen() {
  const { data, router } = usePage();
  const { query } = router.address.value;
  const key = JSON.stringify({ ...query, chart: undefined, start: undefined });
  const pages = useMemo(() => openRunPages(data, queryOf(query)), [key]);
  useEffect(() => () => pages.close(), [pages]);
  const bars = useMemo(() => openRunBars(data), [data]);
  useEffect(() => () => bars.close(), [bars]);
  const { runs, isComplete, isLoading, problem } = pages.rows.value;
  const search = useRef<HTMLInputElement>(null);
  useKeys({
    '/': () => search.current?.focus(),
    j: () => moveFocus(1),
    k: () => moveFocus(-1),
  });
  const isFiltered = hasFilters(query);
  const waiting = useWaitingRuns(runs);
  const isNarrow = useMedia(NARROW);
  const entries = useMemo(() => entriesOf(runs, waiting ?? [], !isFiltered), [runs, waiting, isFiltered]);
  const limit = useLimit(runs[0], query.program);
  const actions = data.actions.value;
  const { selected, select, selectAll } = useSelection();
  const listed = entries.flatMap((entry) => ('run' in entry ? [entry.run] : []));
  const chosen = listed.filter(({ run_id }) => selected.has(run_id));
  const canSelect = actions !== null && data.kind === 'service';
  return (
    <div class="runs-screen">
      <h1 class="hidden">Runs</h1>
      {actions !== null && query.start !== undefined && <StartDialog actions={actions} program={query.start} />}
      <Filters search={search} runs={runs} isComplete={isComplete} isLoading={isLoading} />
      {!isFiltered && <Schedules />}
      {data.days !== null && <DayChart query={queryOf(query)} limit={limit} />}
      {problem !== null && <Problem of={problem} />}
      {!isLoading && runs.length === 0 && problem === null ? (
        <Empty
          isFiltered={isFiltered}
          onStart={actions === null || data.programs === null ? null : () => router.change({ start: '' })}
        />
      ) : (
        <VirtualList
          class={`runs-table ${canSelect ? 'selects' : ''}`}
          label="Runs"
          head={
            <RunHead
              selection={
                canSelect
                  ? {
                      isAll: listed.length > 0 && chosen.length === listed.length,
                      onChange: (isAll) => selectAll(isAll ? listed : []),
                    }
                  : null
              }
            />
          }
          count={waiting === null ? 0 : entries.length}
          total={isComplete ? entries.length + 1 : -1}
          rowHeight={isNarrow ? NARROW_ROW_HEIGHT : ROW_HEIGHT}
          keyOf={(index) => (entries[index] as ListEntry).key}
          row={(index) => {
            const entry = entries[index] as ListEntry;
            if ('title' in entry) return <GroupCells {...entry} />;
            const { run, waiting: asked } = entry;
            return (
              <RunCells
                run={run}
                waiting={asked}
                bar={bars.bars.value.get(keyOf(run))}
                isSelected={selected.has(run.run_id)}
                onSelect={canSelect ? select : null}
              />
            );
          }}
          onRange={(first, last) => {
            pages.want(last + AHEAD);
            bars.show(entries.slice(first, last + 1).flatMap((entry) => ('run' in entry ? [entry.run] : [])));
          }}
        />
      )}
      {actions !== null && chosen.length > 0 && (
        <SelectedRuns actions={actions} runs={chosen} onClear={() => selectAll([])} />
      )}
    </div>
  );
}

/** The runs that are selected, by their ids. Those that are not listed any more do not count. */
function useSelection() {
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const select = useCallback((run: string, isSelected: boolean): void => {
    setSelected((before) => new Set(isSelected ? [...before, run] : [...before].filter((one) => one !== run)));
  }, []);
  const selectAll = useCallback((runs: readonly RunRow[]): void => {
    setSelected(new Set(runs.map(({ run_id }) => run_id)));
  }, []);
  return { selected, select, selectAll };
}

/** A row of the list: a run, or the title of the group that begins there. */
type ListEntry =
  | { readonly key: string; readonly run: RunRow; readonly waiting?: readonly Waiting[] }
  | { readonly key: string; readonly title: string; readonly count: number | null };

/** `isGrouped`: runs that wait for a person come first. */
function entriesOf(runs: readonly RunRow[], waiting: readonly WaitingRun[], isGrouped: boolean): ListEntry[] {
  const asked = new Map(waiting.map((run) => [run.run_id, run.waiting]));
  const entryOf = (run: RunRow): ListEntry => {
    const open = asked.get(run.run_id);
    return { key: run.run_id, run, ...(open === undefined ? {} : { waiting: open }) };
  };
  if (!isGrouped || waiting.length === 0) return runs.map(entryOf);
  const others = runs.filter(({ run_id }) => !asked.has(run_id));
  return [
    { key: 'waiting', title: 'Waiting for you', count: waiting.length },
    ...waiting.map(entryOf),
    ...(others.length === 0 ? [] : [{ key: 'others', title: 'Other runs', count: null }, ...others.map(entryOf)]),
  ];
}

interface EmptyProps {
  readonly isFiltered: boolean;
  /** Null: runs cannot be started here. */
  readonly onStart: (() => void) | null;
}

function Empty({ isFiltered, onStart }: EmptyProps) {
  return (
    <div class="empty">
      {isFiltered ? (
        <p>No run fits these filters.</p>
      ) : (
        <>
          <p>There are no runs yet.</p>
          <pre>statedsl run PROGRAM.dsl</pre>
          {onStart !== null && (
            <button type="button" class="main" onClick={onStart}>
              Start the first one…
            </button>
          )}
        </>
      )}
    </div>
  );
}

/** The most that a run of the listed program may cost, in US dollars; null if all programs are listed, or there is no limit. */
function useLimit(newest: RunRow | undefined, program: string | undefined): number | null {
  const { data } = usePage();
  const [limit, setLimit] = useState<number | null>(null);
  const run = program === undefined || newest?.machine !== program ? null : newest.run_id;
  useEffect(() => {
    setLimit(null);
    if (run === null) return;
    const controller = new AbortController();
    data.program(run, null, controller.signal).then(
      ({ machine }) => setLimit(machine.limits.cost ?? null),
      () => undefined,
    );
    return () => controller.abort();
  }, [run]);
  return limit;
}

/** To the link of the next or previous row; the first one if none has the focus. */
function moveFocus(by: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('.runs-table .row a')];
  const at = links.indexOf(document.activeElement as HTMLElement);
  const next = links[at === -1 ? 0 : at + by];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}

/** The bars of the runs that are visible, read one after the other while nobody scrolls, and kept. */
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
function keyOf({ run_id, status, state, ended_at }: RunRow): string {
  return `${run_id} ${status} ${state} ${ended_at}`;
}

function openRunBars(data: PageData): RunBars {
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

/**
 * The runs of the list, page after page as far as they are needed. The first page is read again and again while somebody looks
 * at it, so that new runs appear and old ones change.
 */
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

function openRunPages(data: PageData, query: RunQuery): RunPages {
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
