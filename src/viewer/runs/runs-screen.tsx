/** The list of runs: filters, what waits for a person, and a table that has only its visible rows. */
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { RunRow } from '../data/run-data.js';
import { usePage } from '../page-parts.js';
import { useKeys } from '../shell/use-keys.js';
import { VirtualList } from '../shell/virtual-list.jsx';
import { Filters } from './filters.jsx';
import { queryOf } from './run-filters.js';
import { openRunPages } from './run-pages.js';
import { RunCells, RunHead } from './run-row.jsx';
import { WaitingRuns } from './waiting-runs.jsx';

const ROW_HEIGHT = 40;
/** Rows that are read before they are reached. */
const AHEAD = 100;

export function RunsScreen() {
  const { data, router } = usePage();
  const { query } = router.address.value;
  const key = JSON.stringify(query);
  const pages = useMemo(() => openRunPages(data, queryOf(query)), [key]);
  useEffect(() => () => pages.close(), [pages]);
  const { runs, isComplete, isLoading, problem } = pages.rows.value;
  const search = useRef<HTMLInputElement>(null);
  useKeys({
    '/': () => search.current?.focus(),
    j: () => moveFocus(1),
    k: () => moveFocus(-1),
  });
  const isFiltered = Object.keys(query).length > 0;
  return (
    <div class="runs-screen">
      <h1 class="hidden">Runs</h1>
      <Filters search={search} count={runs.length} isComplete={isComplete} isLoading={isLoading} />
      {!isFiltered && <WaitingRuns runs={runs} />}
      {problem !== null && (
        <p class="problem" role="alert">
          {problem.message}
        </p>
      )}
      {!isLoading && runs.length === 0 && problem === null ? (
        <Empty isFiltered={isFiltered} />
      ) : (
        <VirtualList
          class="runs-table"
          label="Runs"
          head={<RunHead />}
          count={runs.length}
          total={isComplete ? runs.length + 1 : -1}
          rowHeight={ROW_HEIGHT}
          keyOf={(index) => (runs[index] as RunRow).run_id}
          row={(index) => <RunCells run={runs[index] as RunRow} />}
          onRange={(last) => pages.want(last + AHEAD)}
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

/** To the link of the next or previous row; the first one if none has the focus. */
function moveFocus(by: 1 | -1): void {
  const links = [...document.querySelectorAll<HTMLElement>('.runs-table .row a')];
  const at = links.indexOf(document.activeElement as HTMLElement);
  const next = links[at === -1 ? 0 : at + by];
  next?.focus();
  next?.scrollIntoView({ block: 'nearest' });
}
