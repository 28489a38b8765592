/** The list of runs: filters, what waits for a person, and a table that has only its visible rows. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { RunRow } from '../data/run-data.js';
import { usePage } from '../page-parts.js';
import { Problem } from '../shell/problem.jsx';
import { useKeys } from '../shell/use-keys.js';
import { useMedia } from '../shell/use-media.js';
import { VirtualList } from '../shell/virtual-list.jsx';
import { DayChart } from './day-chart.jsx';
import { Filters } from './filters.jsx';
import { keyOf, openRunBars } from './run-bars.js';
import { hasFilters, queryOf } from './run-filters.js';
import { openRunPages } from './run-pages.js';
import { RunCells, RunHead } from './run-row.jsx';
import { useWaitingRuns, WaitingRuns } from './waiting-runs.jsx';

const ROW_HEIGHT = 40;
/** Two lines, where the page is narrow as `runs.css` has it. */
const NARROW = '(max-width: 700px)';
const NARROW_ROW_HEIGHT = 56;
/** Rows that are read before they are reached. */
const AHEAD = 100;

export function RunsScreen() {
  const { data, router } = usePage();
  const { query } = router.address.value;
  const key = JSON.stringify({ ...query, chart: undefined });
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
  const limit = useLimit(runs[0], query.program);
  return (
    <div class="runs-screen">
      <h1 class="hidden">Runs</h1>
      <Filters search={search} count={runs.length} isComplete={isComplete} isLoading={isLoading} />
      {!isFiltered && waiting !== null && <WaitingRuns known={waiting} />}
      {data.days !== null && <DayChart query={queryOf(query)} limit={limit} />}
      {problem !== null && <Problem of={problem} />}
      {!isLoading && runs.length === 0 && problem === null ? (
        <Empty isFiltered={isFiltered} />
      ) : (
        <VirtualList
          class="runs-table"
          label="Runs"
          head={<RunHead />}
          count={waiting === null ? 0 : runs.length}
          total={isComplete ? runs.length + 1 : -1}
          rowHeight={isNarrow ? NARROW_ROW_HEIGHT : ROW_HEIGHT}
          keyOf={(index) => (runs[index] as RunRow).run_id}
          row={(index) => {
            const run = runs[index] as RunRow;
            return <RunCells run={run} bar={bars.bars.value.get(keyOf(run))} />;
          }}
          onRange={(first, last) => {
            pages.want(last + AHEAD);
            bars.show(runs.slice(first, last + 1));
          }}
        />
      )}
    </div>
  );
}

function Empty({ isFiltered }: { readonly isFiltered: boolean }) {
  return (
    <div class="empty">
      {isFiltered ? (
        <p>No run fits these filters.</p>
      ) : (
        <>
          <p>There are no runs yet.</p>
          <pre>statedsl run PROGRAM.dsl</pre>
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
