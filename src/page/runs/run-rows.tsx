/** The rows of the list: what each run is called, how it is, and what became of it. */
import { useMemo } from 'preact/hooks';
import type { Waiting } from '../../interpreter/events/event.js';
import { dollars, duration } from '../../views/drawing/amounts.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import type { RunRow } from '../data/page-data.js';
import { Link } from '../shell/link.jsx';
import { Prose } from '../shell/prose.jsx';
import { ShortId } from '../shell/short-id.jsx';
import { Elapsed, StatusMark } from '../shell/status-mark.jsx';
import { Time } from '../shell/time.jsx';
import { type BarPart, barWords } from './state-bar.js';
import { questionOf } from './waiting-runs.js';

/** The class and the title of each column, aside from the one with the check boxes. */
const COLUMNS = {
  ...{ status: 'Status', title: 'Run', program: 'Program', state: 'State', states: 'Visited', started: 'Started' },
  ...{ time: 'Time', cost: 'Cost', run: 'Id' },
};

/** The titles of the columns, with a check box for all runs if runs can be selected. */
export function RunHead({ selection }: { readonly selection: AllSelection | null }) {
  return (
    <div role="row" tabIndex={-1} aria-rowindex={1} class={`row head ${selection === null ? '' : 'selects'}`}>
      {selection !== null && (
        <div role="columnheader" tabIndex={-1} class="cell col-select">
          <input
            type="checkbox"
            aria-label="Select all listed runs"
            checked={selection.isAll}
            onChange={({ currentTarget }) => selection.onChange(currentTarget.checked)}
          />
        </div>
      )}
      {Object.entries(COLUMNS).map(([name, title]) => (
        <div key={name} role="columnheader" tabIndex={-1} class={`cell col-${name}`}>
          {title}
        </div>
      ))}
    </div>
  );
}

interface AllSelection {
  readonly isAll: boolean;
  readonly onChange: (isAll: boolean) => void;
}

interface RunCellsProps {
  readonly run: RunRow;
  readonly isSelected: boolean;
  /** Always the same function; null: nothing can be done with several runs. */
  readonly onSelect: ((run: string, isSelected: boolean) => void) | null;
  /** What it asks, if it waits for a person. */
  readonly waiting?: readonly Waiting[] | undefined;
  /** Undefined: not known yet. */
  readonly bar: readonly BarPart[] | undefined;
}

/** Scrolling draws the list often; a row that has not changed is not drawn again. */
export function RunCells({ run, waiting, bar, isSelected, onSelect }: RunCellsProps) {
  return useMemo(
    () => runCells({ run, waiting, bar, isSelected, onSelect }),
    [run, waiting, bar, isSelected, onSelect],
  );
}

/** A row that begins a group. */
export function GroupCells({ title, count }: { readonly title: string; readonly count: number | null }) {
  return (
    <div role="cell" aria-colspan={Object.keys(COLUMNS).length + 1} class="cell group">
      <h2>
        {title} {count !== null && <span class="faint">{count}</span>}
      </h2>
    </div>
  );
}

function runCells({ run, waiting, bar, isSelected, onSelect }: RunCellsProps) {
  const to = { run: run.run_id, query: {} };
  const title = visibleLine(run.title ?? run.machine ?? '(unknown)');
  const cells = {
    status: <StatusMark status={run.status} />,
    title: (
      <>
        <span class="first">
          <Link to={to} class="run-title" title={title}>
            {title}
          </Link>
        </span>
        <SecondLine run={run} waiting={waiting} />
        {waiting !== undefined && (
          <Link to={to} class="answer" label={`Answer: ${title}`}>
            Answer
          </Link>
        )}
      </>
    ),
    program: (
      <span title={visibleLine(run.machine ?? 'a run without a program')}>
        {visibleLine(run.machine ?? '(unknown)')}
      </span>
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
    run: <ShortId id={run.run_id} />,
  };
  return (
    <>
      {onSelect !== null && (
        <div role="cell" class="cell col-select">
          <input
            type="checkbox"
            aria-label={`Select ${title}`}
            checked={isSelected}
            onChange={({ currentTarget }) => onSelect(run.run_id, currentTarget.checked)}
          />
        </div>
      )}
      {Object.entries(cells).map(([name, content]) => (
        <div key={name} role="cell" class={`cell col-${name}`}>
          {content}
        </div>
      ))}
    </>
  );
}

/** What it asks or waits for, why it failed, or what it returned. */
function SecondLine({ run, waiting = run.waiting }: Pick<RunCellsProps, 'run' | 'waiting'>) {
  const { error, result } = run;
  const why = typeof error === 'object' ? (error as { readonly message: string }).message : error;
  const asks = waiting?.some(({ kind }) => kind === 'ask' || kind === 'approval') === true;
  const awaited = waiting?.map(questionOf).join('; ');
  const text = awaited === undefined ? (why ?? result ?? '') : asks ? awaited : `waits for ${awaited}`;
  const kind = asks ? 'asks' : why === undefined ? 'faint' : 'failed';
  const line = visibleLine(text);
  return (
    <span class={`second ${kind}`} title={line}>
      {waiting === undefined ? line : <Prose text={line} />}
    </span>
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
