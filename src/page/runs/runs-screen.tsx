/** The list of runs: filters, what waits for a person, and a table that has only its visible rows. */
import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Waiting } from '../../interpreter/events/event.js';
import type { RunRow, WaitingRun } from '../data/page-data.js';
import { usePage } from '../page-parts.js';
import { Problem } from '../shell/problem.jsx';
import { useKeys } from '../shell/use-keys.js';
import { useMedia } from '../shell/use-media.js';
import { VirtualList } from '../shell/virtual-list.jsx';
import { DayChart } from './day-chart.jsx';
import { Filters, hasFilters, queryOf } from './filters.jsx';
import { keyOf, openRunBars, openRunPages } from './run-pages.js';
import { GroupCells, RunCells, RunHead } from './run-rows.jsx';
import { Schedules } from './schedules.jsx';
import { SelectedRuns } from './selected-runs.jsx';
import { StartDialog } from './start-dialog.jsx';
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
