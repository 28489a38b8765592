/** The screen of a run: its facts, the slider over its events, and its parts, which all show the same event. */
import { useSignal, useSignalEffect } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import type { Json } from '../../machine/expression.js';
import { localTime } from '../../views/drawing/amounts.js';
import { Questions } from '../acting/questions.jsx';
import type { PageRun } from '../data/page-data.js';
import { GraphPanel } from '../graph/graph-panel.jsx';
import { ChangesPanel } from '../history/changes-panel.jsx';
import { ComparePanel } from '../history/compare-panel.jsx';
import { FilesPanel } from '../history/files-panel.jsx';
import { StepsPanel } from '../history/steps-panel.jsx';
import { OutputPanel } from '../output/output-panel.jsx';
import { shownFolders, shownTitle, usePage } from '../page-parts.js';
import { RecordPanel } from '../record/record-panel.jsx';
import { Link } from '../shell/link.jsx';
import { Problem } from '../shell/problem.jsx';
import { useKeys } from '../shell/use-keys.js';
import { SourcePanel } from '../source/source-panel.jsx';
import { TimelineCanvas } from '../timeline/timeline-canvas.jsx';
import { openTimelineView } from '../timeline/timeline-view.js';
import { Panels } from './panels.jsx';
import { RunHead } from './run-head.jsx';
import { openScreenModel, type ScreenModel } from './screen-model.js';
import { ValueName, ValueView } from './value-view.jsx';

export function RunScreen({ run }: { readonly run: string }) {
  const { data, router } = usePage();
  const model = useMemo(() => openScreenModel(data, router, run), [run]);
  useEffect(() => () => model.close(), [model]);
  useKeys({
    u: () => router.go({ run: null, query: {} }),
    l: () => model.select(null),
    j: () => model.select(model.shownSeq.value + 1),
    k: () => model.select(Math.max(1, model.shownSeq.value - 1)),
  });
  useSignalEffect(() => {
    const { title, machine } = model.latest.value ?? model.shown.value ?? { title: null, machine: null };
    shownTitle.value = title ?? machine;
    shownFolders.value = foldersOf(model);
  });
  useEffect(
    () => () => {
      shownTitle.value = null;
      shownFolders.value = [];
    },
    [model],
  );
  const { lines, isComplete } = model.record.value;
  if (isComplete && lines.length === 0 && model.problem.value !== null) return <NoRun model={model} />;
  const notBegun = isComplete && lines.length === 0 ? model.latest.value : null;
  // One tree for both: a dialog that is open in the head stays when the run begins.
  return (
    <div class="run-screen">
      <RunHead model={model} />
      {(notBegun === null || notBegun.error === null) && <RunProblem model={model} />}
      {notBegun === null ? <RunParts model={model} /> : <NotBegun run={notBegun} />}
    </div>
  );
}

function RunParts({ model }: { readonly model: ScreenModel }) {
  return (
    <>
      <Questions model={model} />
      <EventSlider model={model} />
      <Panels
        panels={[
          {
            ...{ id: 'timeline', title: 'Timeline', area: 'top', content: <TimelinePanel model={model} /> },
            narrow: (
              <TimelinePanel model={model}>
                <RecordPanel model={model} />
              </TimelinePanel>
            ),
          },
          { id: 'graph', title: 'Graph', area: 'main', content: <GraphPanel model={model} /> },
          { id: 'record', title: 'Record', area: 'middle', content: <RecordPanel model={model} /> },
          { id: 'output', title: 'Output', area: 'side', content: <OutputPanel model={model} /> },
          { id: 'files', title: 'Files', area: 'side', content: <FilesPanel model={model} /> },
          { id: 'source', title: 'Source', area: 'side', content: <SourcePanel model={model} /> },
          { id: 'values', title: 'Values', area: 'side', content: <ValuesPanel model={model} /> },
          { id: 'steps', title: 'Steps', area: 'side', content: <StepsPanel model={model} /> },
          { id: 'compare', title: 'Compare', area: 'side', content: <ComparePanel model={model} /> },
        ]}
      />
    </>
  );
}

/** Where the run and its program work, the longest path first. */
function foldersOf({ program, latest }: ScreenModel): readonly string[] {
  const worktree = latest.value?.worktree?.directory;
  const all = [...(program.value?.folders ?? []), ...(worktree === undefined ? [] : [worktree])];
  return all.sort((one, other) => other.length - one.length);
}

/** The run waits for its turn, or could not begin. */
function NotBegun({ run }: { readonly run: PageRun }) {
  return (
    <p class="faint pad">
      {run.status === 'queued'
        ? 'This run has not begun. It waits until other runs have ended, and its parts are shown here as soon as it begins.'
        : run.status === 'failed'
          ? 'This run never began, so there is nothing to show of it.'
          : 'This run begins now.'}
    </p>
  );
}

/** There is nothing of the run to show. */
function NoRun({ model }: { readonly model: ScreenModel }) {
  return (
    <div class="run-screen">
      <h1 class="hidden">A run that cannot be shown</h1>
      <RunProblem model={model} />
      <p>
        <Link to={{ run: null, query: {} }}>All runs</Link>
      </p>
    </div>
  );
}

/** Why a run, or a part of it, cannot be shown. */
function RunProblem({ model }: { readonly model: ScreenModel }) {
  const { end } = model.record.value;
  const problem = end instanceof Error ? end : model.problem.value;
  if (end === 'removed')
    return (
      <p class="problem" role="alert">
        <strong>This run was removed.</strong> What you see was read before that.
      </p>
    );
  if (problem === null) return null;
  return <Problem of={problem} />;
}

/** The names and values of a run as they were after the shown event. */
function ValuesPanel({ model }: { readonly model: ScreenModel }) {
  const { router } = usePage();
  const [asJson, setAsJson] = useState(false);
  const run = model.shown.value;
  if (run === null) return <p class="faint pad">…</p>;
  const isChanges = router.address.value.query.values === 'changes' || router.address.value.query.since !== undefined;
  const choice = (
    <div class="panel-tools" role="group" aria-label="Which values">
      <button
        type="button"
        aria-pressed={!isChanges}
        onClick={() => router.change({ values: undefined, since: undefined })}
      >
        All values
      </button>
      <button type="button" aria-pressed={isChanges} onClick={() => router.change({ values: 'changes' })}>
        Changes
      </button>
      {!isChanges && (
        <label class="check">
          <input type="checkbox" checked={asJson} onChange={({ currentTarget }) => setAsJson(currentTarget.checked)} />{' '}
          JSON
        </label>
      )}
    </div>
  );
  if (isChanges)
    return (
      <>
        {choice}
        <ChangesPanel model={model} />
      </>
    );
  const result: Readonly<Record<string, Json>> = run.returned === null ? {} : { returned: run.returned };
  const { printed_returned: returned, printed_inputs, printed_values, printed_tracked, printed_bound } = run;
  return (
    <div class="values scroll" tabIndex={0} role="region" aria-label="Values">
      {choice}
      <Group
        title="Result"
        values={result}
        printed={returned === undefined ? undefined : { returned }}
        asJson={asJson}
      />
      <Group title="Inputs" values={run.inputs} printed={printed_inputs} asJson={asJson} />
      <Group title="Data" values={dataOf(run.values)} printed={printed_values} asJson={asJson} />
      <Group title="Tracked" values={run.tracked} printed={printed_tracked} asJson={asJson} />
      <Group
        title={run.state === null ? 'Names' : `Names in ${run.state}`}
        values={run.bound}
        printed={printed_bound}
        asJson={asJson}
      />
    </div>
  );
}

/** What plans read and write. Other values have groups of their own. */
function dataOf(values: Readonly<Record<string, Json>>): Readonly<Record<string, Json>> {
  return Object.fromEntries(Object.entries(values).filter(([path]) => path.startsWith('state.')));
}

interface GroupProps {
  readonly title: string;
  readonly values: Readonly<Record<string, Json>>;
  /** The JSON text of values with a number that was written differently, such as `1.10`. */
  readonly printed?: Readonly<Record<string, string>> | undefined;
  readonly asJson: boolean;
}

function Group({ title, values, printed = {}, asJson }: GroupProps) {
  const all = Object.entries(values);
  if (all.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <dl>
        {all.map(([name, value]) => (
          <div key={name} class="value-row">
            <ValueName name={name} />
            <dd>
              <ValueView
                value={value}
                printed={Object.hasOwn(printed, name) ? printed[name] : undefined}
                asJson={asJson}
              />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The slider over all events: the whole screen shows the run as it was after the chosen one. */
function EventSlider({ model }: { readonly model: ScreenModel }) {
  const { lines, last, isComplete } = model.record.value;
  const at = model.shownSeq.value;
  const line = lines.find(at);
  const isLive = model.at.value === null;
  const when = line !== null && 'ts' in line ? `, ${localTime(line.ts)}` : '';
  return (
    <div class="slider">
      <button
        type="button"
        class="quiet"
        aria-label="Previous event"
        disabled={at <= 1}
        onClick={() => model.select(at - 1)}
      >
        ‹
      </button>
      <input
        type="range"
        aria-label="Event"
        aria-valuetext={`event ${at} of ${last}${when}`}
        min={Math.min(1, last)}
        // The browser would move the value to a maximum that is not known yet.
        max={isComplete ? last : Math.max(last, at)}
        value={at}
        disabled={last === 0}
        onInput={({ currentTarget }) => {
          const seq = currentTarget.valueAsNumber;
          model.select(seq >= last ? null : seq);
        }}
      />
      <button
        type="button"
        class="quiet"
        aria-label="Next event"
        disabled={at >= last}
        onClick={() => model.select(at + 1)}
      >
        ›
      </button>
      <span class="faint small" aria-hidden="true">
        Event
      </span>
      <output class="mono at">
        {at} / {last}
        {isComplete ? '' : ' …'}
      </output>
      <button type="button" class="latest" disabled={isLive} onClick={() => model.select(null)}>
        Latest
      </button>
    </div>
  );
}

interface TimelinePanelProps {
  readonly model: ScreenModel;
  /** What fills the space below the lanes where there is any. */
  readonly children?: ComponentChildren;
}

/** The timeline of a run: zoomed and moved by pointer, keys and buttons. What is selected in it is selected everywhere. */
function TimelinePanel({ model, children }: TimelinePanelProps) {
  const view = useMemo(() => openTimelineView(model, model.timeline), [model]);
  const isFolded = view.isFolded.value;
  const hasIdle = view.picture.value.timeline.idle.all.length > 0;
  useLiveClock(model, view.tick);
  return (
    <div class="timeline">
      <div class="panel-tools">
        <button type="button" aria-label="Zoom in" onClick={() => view.zoom(0.5)}>
          +
        </button>
        <button type="button" aria-label="Zoom out" onClick={() => view.zoom(2)}>
          −
        </button>
        <button type="button" onClick={() => view.fit()} disabled={view.isFitted.value}>
          Fit
        </button>
        <label class="check">
          <input
            type="checkbox"
            checked={isFolded}
            disabled={!hasIdle}
            onChange={({ currentTarget }) => view.fold(currentTarget.checked)}
          />
          Shorten idle time
        </label>
        <Legend />
      </div>
      <TimelineCanvas view={view} label="Timeline" />
      {children}
    </div>
  );
}

const TICK_MS = 1000;

/** Open bars grow while the run is executed. */
function useLiveClock(model: ScreenModel, tick: () => void): void {
  const isLive = useSignal(false);
  useSignalEffect(() => {
    const status = model.latest.value?.status;
    isLive.value = model.data.kind === 'service' && (status === 'running' || status === 'suspended');
  });
  useEffect(() => {
    if (!isLive.value) return;
    const timer = setInterval(tick, TICK_MS);
    return () => clearInterval(timer);
  }, [isLive.value]);
}

const LABELS = [
  ['busy', 'Command'],
  ['agent', 'Agent'],
  ['gate', 'Gate'],
  ['wait', 'Waiting'],
  ['retry', 'Before a retry'],
  ['failed', 'Failed'],
  ['idle', 'Idle'],
] as const;

/** What the colors of a timeline mean. */
function Legend() {
  return (
    <ul class="legend" aria-label="Colors">
      {LABELS.map(([name, label]) => (
        <li key={name}>
          <span class={`swatch ${name}`} aria-hidden="true" />
          {label}
        </li>
      ))}
    </ul>
  );
}
