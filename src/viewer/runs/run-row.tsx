/** A run in the list. */
import { useMemo } from 'preact/hooks';
import { dollars } from '../../views/drawing/amounts.js';
import { duration } from '../../views/drawing/duration.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import type { RunRow } from '../data/run-data.js';
import { Elapsed } from '../shell/elapsed.jsx';
import { Link } from '../shell/link.jsx';
import { StatusMark } from '../shell/status-mark.jsx';
import { Time } from '../shell/time.jsx';
import { type BarPart, barWords } from './state-bar.js';

/** The class and the title of each column. */
const COLUMNS = {
  ...{ status: 'Status', program: 'Program', state: 'State', states: 'Visited', started: 'Started', time: 'Time' },
  ...{ cost: 'Cost', run: 'Run' },
};

export function RunHead() {
  return (
    <div role="row" tabIndex={-1} aria-rowindex={1} class="row head">
      {Object.entries(COLUMNS).map(([name, title]) => (
        <div key={name} role="columnheader" tabIndex={-1} class={`cell col-${name}`}>
          {title}
        </div>
      ))}
    </div>
  );
}

interface RunCellsProps {
  readonly run: RunRow;
  /** Undefined: not known yet. */
  readonly bar: readonly BarPart[] | undefined;
}

/** Scrolling draws the list often; a row that has not changed is not drawn again. */
export function RunCells({ run, bar }: RunCellsProps) {
  return useMemo(() => runCells(run, bar), [run, bar]);
}

function runCells(run: RunRow, bar: RunCellsProps['bar']) {
  const cells = {
    status: <StatusMark status={run.status} />,
    program: (
      <Link
        to={{ run: run.run_id, query: {} }}
        class="program"
        title={visibleLine(run.machine ?? 'a run without a program')}
      >
        {visibleLine(run.machine ?? '(unknown)')}
      </Link>
    ),
    state: <span title={visibleLine(run.state ?? '')}>{visibleLine(run.state ?? '')}</span>,
    states: bar === undefined || bar.length === 0 ? '' : <StateBar parts={bar} />,
    started: <Time at={run.started_at} />,
    time: timeOf(run),
    cost: hasOnlyBegun(run) ? (
      <span class="hidden">known when it ends</span>
    ) : run.cost === null ? (
      <span class="faint" title="Its agents report no cost">
        unknown
      </span>
    ) : (
      dollars(run.cost)
    ),
    run: (
      <span class="mono faint" title={run.run_id}>
        {run.run_id.slice(-12)}
      </span>
    ),
  };
  return (
    <>
      {Object.entries(cells).map(([name, content]) => (
        <div key={name} role="cell" class={`cell col-${name}`}>
          {content}
        </div>
      ))}
    </>
  );
}

/** What a run has cost is in the list when it has ended or waits. */
const hasOnlyBegun = ({ effects }: RunRow): boolean => effects === null;

/** Empty if its process died: the list does not know when. */
function timeOf({ duration_ms, active_since }: RunRow) {
  if (duration_ms !== null) return duration(duration_ms);
  return active_since === undefined ? '' : <Elapsed sinceMs={Date.parse(active_since)} />;
}

function StateBar({ parts }: { readonly parts: readonly BarPart[] }) {
  const words = visibleLine(barWords(parts));
  return (
    <div class="state-bar" role="img" aria-label={words} title={words}>
      {parts.map(({ color, visits, isFailed }, at) => (
        <span key={at} class={isFailed ? 'failed' : `color-${color}`} style={{ flexGrow: visits }} />
      ))}
    </div>
  );
}
