/** Two runs of one program: the first event that differs, both timelines, and the states that each of them visited. */
import { type ReadonlySignal, signal } from '@preact/signals';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { compareRuns, differentMembers, type RunComparison, type VisitPair } from '../../views/compare/compare-runs.js';
import { RunTrace, type VisitTrace } from '../../views/compare/run-trace.js';
import { countOf, duration, localTime } from '../../views/drawing/amounts.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import { Pace } from '../data/pace.js';
import { DataError, type PageData, type RecordLine, type RunRow } from '../data/page-data.js';
import { RecordLines, recordOf } from '../data/record-lines.js';
import { usePage } from '../page-parts.js';
import { eventWords, kindWords } from '../record/event-words.js';
import type { ScreenModel } from '../run/screen-model.js';
import { ValueView } from '../run/value-view.jsx';
import { ColumnTable } from '../shell/column-table.jsx';
import { Problem } from '../shell/problem.jsx';
import { shortId } from '../shell/short-id.jsx';
import { Timeline } from '../timeline/timeline.js';
import { TimelineCanvas } from '../timeline/timeline-canvas.jsx';
import { openTimelineView } from '../timeline/timeline-view.js';
import type { GrowingTimeline } from './run-history.js';

const MOST_RUNS = 100;
const MOST_ROWS = 500;

export function ComparePanel({ model }: { readonly model: ScreenModel }) {
  const { router } = usePage();
  const other = router.address.value.query.with ?? null;
  return (
    <div class="compare scroll">
      <OtherRunChoice model={model} chosen={other} onChoose={(run) => router.change({ with: run })} />
      {other !== null && <Comparison key={other} model={model} run={other} />}
    </div>
  );
}

interface RunChoiceProps {
  readonly model: ScreenModel;
  readonly chosen: string | null;
  readonly onChoose: (run: string | undefined) => void;
}

function OtherRunChoice({ model, chosen, onChoose }: RunChoiceProps) {
  const machine = model.latest.value?.machine ?? null;
  const [runs, setRuns] = useState<readonly RunRow[] | null>(null);
  useEffect(() => {
    if (machine === null) return;
    const controller = new AbortController();
    model.data.list({ machine, limit: MOST_RUNS }, controller.signal).then(
      (page) => setRuns(page.runs.filter(({ run_id }) => run_id !== model.run)),
      () => controller.signal.aborted || setRuns([]),
    );
    return () => controller.abort();
  }, [machine]);
  if (runs === null) return <p class="faint pad">…</p>;
  if (runs.length === 0 && chosen === null) return <p class="faint pad">There is no other run of this program here.</p>;
  return (
    <label class="step-choice">
      Compare with{' '}
      <select value={chosen ?? ''} onChange={({ currentTarget }) => onChoose(currentTarget.value || undefined)}>
        <option value="">choose a run</option>
        {chosen !== null && !runs.some(({ run_id }) => run_id === chosen) && <option value={chosen}>{chosen}</option>}
        {runs.map(({ run_id, title, machine, status, started_at }) => (
          <option key={run_id} value={run_id}>
            {title === null || title === machine ? '' : `${visibleLine(title)} · `}
            {localTime(started_at)} · {status} · {shortId(run_id)}
          </option>
        ))}
      </select>
    </label>
  );
}

function Comparison({ model, run }: { readonly model: ScreenModel; readonly run: string }) {
  const other = useMemo(() => openOtherRun(model.data, run), [run]);
  useEffect(() => () => other.close(), [other]);
  const own = useTrace(model);
  const timeline = other.timeline.value;
  const comparison = useMemo(
    () => (own !== null && other.isComplete.value ? compareRuns(own.trace, other.trace) : null),
    [own, other.isComplete.value, timeline],
  );
  const views = useMemo(
    () => ({
      left: openTimelineView(model, model.timeline),
      right: openTimelineView({ at: signal(null), shownSeq: signal(0), select: () => undefined }, other.timeline),
    }),
    [model, other],
  );
  const problem = other.problem.value;
  if (problem !== null) return <Problem of={problem}>The other run cannot be compared: </Problem>;
  if (comparison === null) return <p class="faint pad">Reading the records …</p>;
  return (
    <>
      <InputDifferences inputs={comparison.inputs} />
      <Difference comparison={comparison} model={model} other={other} />
      <h3>This run</h3>
      <TimelineCanvas view={views.left} label="Timeline of this run" />
      <h3>The other run</h3>
      <TimelineCanvas view={views.right} label="Timeline of the other run" />
      <VisitTable pairs={comparison.visits} onSelect={model.select} />
    </>
  );
}

function InputDifferences({ inputs }: Pick<RunComparison, 'inputs'>) {
  if (inputs.length === 0) return null;
  return (
    <ColumnTable columns={['Input', 'This run', 'The other run']}>
      {inputs.map(({ name, left, printed_left, right, printed_right }) => (
        <tr key={name}>
          <th scope="row" class="mono">
            {visibleLine(name)}
          </th>
          <td>{left === undefined ? '–' : <ValueView value={left} printed={printed_left} />}</td>
          <td>{right === undefined ? '–' : <ValueView value={right} printed={printed_right} />}</td>
        </tr>
      ))}
    </ColumnTable>
  );
}

interface DifferenceProps {
  readonly comparison: RunComparison;
  readonly model: ScreenModel;
  readonly other: OtherRun;
}

function Difference({ comparison: { difference, sameProgram }, model, other }: DifferenceProps) {
  const { router } = usePage();
  const programs = sameProgram ? '' : ' Their programs differ.';
  if (difference === null) return <p class="pad">Both runs did the same.{programs}</p>;
  const { left, right } = difference;
  const own = left === null ? null : model.record.value.lines.find(left);
  const others = right === null ? null : other.lines.find(right);
  return (
    <div class="first-difference">
      <p>
        <strong>The first event that differs</strong>
        {programs}
      </p>
      <dl>
        <dt>This run</dt>
        <dd>
          <EventWords line={own} other={others} />{' '}
          {left !== null && (
            <button type="button" class="quiet more" onClick={() => model.select(left)}>
              Show event {left}
            </button>
          )}
        </dd>
        <dt>The other run</dt>
        <dd>
          <EventWords line={others} other={own} />{' '}
          {right !== null && (
            <a
              class="more"
              href={router.href({ run: other.run, query: { event: String(right), tab: 'compare', with: model.run } })}
            >
              Show event {right}
            </a>
          )}
        </dd>
      </dl>
    </div>
  );
}

const LONGEST_WORDS = 300;

interface EventWordsProps {
  readonly line: RecordLine | null;
  readonly other: RecordLine | null;
}

function EventWords({ line, other }: EventWordsProps) {
  if (line === null) return <span class="faint">has no such event</span>;
  // What differs need not be in the sentence.
  const members = other !== null && other.type === line.type ? differentMembers(line, other) : '';
  return (
    <span>
      {kindWords(line.type)} <span class="mono">{visibleLine(eventWords(line).slice(0, LONGEST_WORDS))}</span>
      {members !== '' && <span class="mono members">{visibleLine(members.slice(0, LONGEST_WORDS))}</span>}
    </span>
  );
}

interface VisitTableProps {
  readonly pairs: readonly VisitPair[];
  readonly onSelect: (seq: number) => void;
}

function VisitTable({ pairs, onSelect }: VisitTableProps) {
  if (pairs.length === 0) return null;
  return (
    <ColumnTable columns={['State', 'This run', 'The other run']}>
      {pairs.slice(0, MOST_ROWS).map(({ left, right, isSame }) => (
        <tr key={`${left?.seq ?? ''} ${right?.seq ?? ''}`} class={isSame ? '' : 'differs'}>
          <th scope="row">
            {left === null ? (
              visibleLine(right?.state ?? '')
            ) : (
              <button type="button" class="quiet more" onClick={() => onSelect(left.seq)}>
                {visibleLine(left.state)}
              </button>
            )}
            {isSame ? '' : ' ≠'}
          </th>
          <td>{visitWords(left)}</td>
          <td>{visitWords(right)}</td>
        </tr>
      ))}
    </ColumnTable>
  );
}

function visitWords(visit: VisitTrace | null): string {
  if (visit === null) return '–';
  return `${duration(visit.endedMs - visit.beganMs)}, ${countOf(visit.effects, 'effect')}`;
}

/** Null until the whole record is here and was read; a new object when there is more. */
function useTrace(model: ScreenModel): { readonly trace: RunTrace } | null {
  const { lines, isComplete } = model.record.value;
  const growing = useRef({ trace: new RunTrace(), taken: 0 }).current;
  const [known, setKnown] = useState<{ readonly trace: RunTrace } | null>(null);
  useEffect(() => {
    if (!isComplete) return;
    let isStopped = false;
    const read = async (): Promise<void> => {
      const pace = new Pace();
      while (growing.taken < lines.length) {
        const line = lines.at(growing.taken++);
        const record = line === null ? null : recordOf(line);
        if (record !== null) growing.trace.take(record);
        if (!pace.isDue) continue;
        await pace.pause();
        if (isStopped) return;
      }
      setKnown({ trace: growing.trace });
    };
    void read();
    return () => {
      isStopped = true;
    };
  }, [isComplete, lines.length]);
  return known;
}

/** Another run of the same program, read for a comparison. */
interface OtherRun {
  readonly run: string;
  readonly timeline: ReadonlySignal<GrowingTimeline>;
  readonly trace: RunTrace;
  readonly lines: RecordLines;
  readonly isComplete: ReadonlySignal<boolean>;
  /** Why it cannot be compared. */
  readonly problem: ReadonlySignal<DataError | null>;
  close(): void;
}

function openOtherRun(data: PageData, run: string): OtherRun {
  const timeline = signal<GrowingTimeline>({ model: new Timeline(), taken: 0 });
  const isComplete = signal(false);
  const problem = signal<DataError | null>(null);
  const trace = new RunTrace();
  const lines = new RecordLines();
  const close = data.follow(run, 0, {
    take(portion, texts) {
      const { model } = timeline.peek();
      for (const [at, line] of portion.entries()) {
        lines.add(line, texts?.[at]);
        const record = recordOf(line);
        if (record === null) continue;
        model.take(record);
        trace.take(record);
      }
      timeline.value = { model, taken: lines.length };
    },
    caughtUp() {
      isComplete.value = true;
    },
    end(end) {
      if (end instanceof DataError) problem.value = end;
      else if (end.reason === 'removed') problem.value = new DataError('unknown', 'the other run was removed');
      else isComplete.value = true;
    },
  });
  return { run, timeline, trace, lines, isComplete, problem, close };
}
