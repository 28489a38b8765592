/** What changed between two events of a run: by default between the shown event and the one before it. */
import { useEffect, useState } from 'preact/hooks';
import { visibleLine } from '../../views/drawing/visible-text.js';
import { DataError, type PageRun, toDataError } from '../data/page-data.js';
import { eventNumber, usePage } from '../page-parts.js';
import type { ScreenModel } from '../run/screen-model.js';
import { ValueView } from '../run/value-view.jsx';
import { ColumnTable } from '../shell/column-table.jsx';
import { Problem } from '../shell/problem.jsx';
import { type Change, changesBetween } from './changes.js';

export function ChangesPanel({ model }: { readonly model: ScreenModel }) {
  const { router } = usePage();
  const pinned = eventNumber(router.address.value.query.since);
  const at = model.shownSeq.value;
  const from = pinned ?? Math.max(at - 1, 1);
  const before = useRunAt(model, from);
  const after = model.shown.value;
  return (
    <div class="changes scroll">
      <div class="panel-tools">
        <span>
          From event <strong>{from}</strong> to event <strong>{at}</strong>
        </span>
        <button type="button" disabled={pinned === at} onClick={() => router.change({ since: String(at) })}>
          Compare from here
        </button>
        {pinned !== null && (
          <button type="button" onClick={() => router.change({ since: undefined })}>
            Compare with the event before
          </button>
        )}
      </div>
      <Differences before={before} after={after} />
    </div>
  );
}

interface DifferencesProps {
  readonly before: PageRun | DataError | null;
  readonly after: PageRun | null;
}

function Differences({ before, after }: DifferencesProps) {
  if (before instanceof DataError) return <Problem of={before} />;
  if (before === null || after === null) return <p class="faint pad">…</p>;
  const changes = before.seq <= after.seq ? changesBetween(before, after) : changesBetween(after, before);
  if (changes.length === 0) return <p class="faint pad">Nothing changed.</p>;
  return (
    <ColumnTable columns={['Name', 'Before', 'After']}>
      {changes.map((change) => (
        <ChangeRow key={`${change.group} ${change.name}`} change={change} />
      ))}
    </ColumnTable>
  );
}

function ChangeRow({ change: { group, name, before, after } }: { readonly change: Change }) {
  return (
    <tr>
      <th scope="row">
        <span class="faint">{group}</span> <span class="mono">{visibleLine(name)}</span>
      </th>
      <td>{before === undefined ? <span class="faint">–</span> : <ValueView value={before} />}</td>
      <td>{after === undefined ? <span class="faint">–</span> : <ValueView value={after} />}</td>
    </tr>
  );
}

const PAUSE_MS = 120;

/** The run as it was after an event; null until it is known. While the event changes quickly, only the last one is asked for. */
function useRunAt({ data, run }: ScreenModel, seq: number): PageRun | DataError | null {
  const [found, setFound] = useState<{ readonly seq: number; readonly run: PageRun | DataError } | null>(null);
  useEffect(() => {
    const controller = new AbortController();
    const timer = setTimeout(() => {
      data.inspect(run, seq, controller.signal).then(
        (shown) => setFound({ seq, run: shown }),
        (cause: unknown) => {
          if (controller.signal.aborted) return;
          setFound({ seq, run: toDataError(cause) });
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [data, run, seq]);
  return found?.seq === seq ? found.run : null;
}
