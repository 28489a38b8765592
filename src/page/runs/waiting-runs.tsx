/** Runs that wait for a person, above all others: what they ask, and the way to answer. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Waiting } from '../../interpreter/events/event.js';
import { dollars, duration } from '../../views/drawing/amounts.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import type { RunRow, WaitingRun } from '../data/page-data.js';
import { usePage } from '../page-parts.js';
import { waitingWords } from '../record/event-words.js';
import { Link, Prose } from '../shell/problem.jsx';
import { Elapsed, StatusMark } from '../shell/status-mark.jsx';
import { Time } from '../shell/time.jsx';
import { type BarPart, barWords } from './state-bar.js';

/** More of them would hide the list. */
const MOST = 5;

const REFRESH_MS = 10_000;
/** While the service has not looked at all suspended runs. */
const CONTINUE_MS = 300;
/** The list does not wait longer for what is above it. */
const LONGEST_WAIT_MS = 400;

/** What a person is asked; the run itself has the rest. */
function questionOf(waiting: Waiting): string {
  const { question } = waiting;
  const choices = waiting.choices ?? [];
  if (question === undefined) return waitingWords(waiting);
  const id = waiting.id === undefined ? '' : ` [${waiting.id}]`;
  return visibleLine(`${question}${choices.length === 0 ? '' : ` (${choices.join(', ')})`}${id}`);
}

/**
 * Null until it is known: then the list appears together with what is above it, and nothing moves. `runs`: the newest ones.
 * Whenever they change, all are looked through again, since an old one may wait, too.
 */
export function useWaitingRuns(runs: readonly RunRow[]): readonly WaitingRun[] | null {
  const { data } = usePage();
  const [known, setKnown] = useState<readonly WaitingRun[] | null>(data.waiting === null ? [] : null);
  const lookAgain = useRef<() => void>(() => undefined);
  useEffect(() => {
    const { waiting } = data;
    if (waiting === null) return;
    const controller = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    let asked = 0;
    const look = async (): Promise<void> => {
      const mine = ++asked;
      clearTimeout(timer);
      const page = await waiting(MOST + 1, controller.signal).catch(() => null);
      if (mine !== asked || controller.signal.aborted) return;
      if (page !== null) setKnown(page.runs);
      timer = setTimeout(() => void look(), page?.complete === false ? CONTINUE_MS : REFRESH_MS);
    };
    lookAgain.current = () => void look();
    void look();
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
  }, [data]);
  const key = runs
    .slice(0, 60)
    .map(({ run_id, status, ended_at }) => `${run_id} ${status} ${ended_at}`)
    .join();
  const before = useRef(key);
  useEffect(() => {
    // What was asked for together with the first runs is as new as these.
    if (before.current !== '' && before.current !== key) lookAgain.current();
    before.current = key;
  }, [key]);
  useEffect(() => {
    const timer = setTimeout(() => setKnown((found) => found ?? []), LONGEST_WAIT_MS);
    return () => clearTimeout(timer);
  }, []);
  return known;
}

export function WaitingRuns({ known }: { readonly known: readonly WaitingRun[] }) {
  const { router } = usePage();
  if (known.length === 0) return null;
  return (
    <section class="waiting" aria-labelledby="waiting-title">
      <h2 id="waiting-title">Waiting for you</h2>
      <ul>
        {known.slice(0, MOST).map(({ waiting, ...run }) => (
          <li key={run.run_id}>
            <Link to={{ run: run.run_id, query: {} }} class="program">
              {visibleLine(run.machine ?? run.run_id)}
            </Link>
            <span class="question">
              <Prose text={waiting.map(questionOf).join('; ')} />
            </span>
            <span class="faint small">
              since <Time at={run.ended_at ?? run.started_at} />
            </span>
          </li>
        ))}
      </ul>
      {known.length > MOST && (
        <button type="button" class="quiet" onClick={() => router.change({ status: 'suspended' })}>
          All suspended runs
        </button>
      )}
    </section>
  );
}

/** The class and the title of each column. */
const COLUMNS = {
  ...{ status: 'Status', program: 'Program', state: 'State', states: 'Visited', started: 'Started', time: 'Time' },
  ...{ cost: 'Cost', run: 'Run' },
};

/** A run in the list. */
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
