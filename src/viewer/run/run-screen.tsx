/** The screen of a run: its facts, the slider over its events, and its parts, which all show the same event. */
import { useEffect, useMemo } from 'preact/hooks';
import { Questions } from '../acting/questions.jsx';
import type { ShownRun } from '../data/run-data.js';
import { GraphPanel } from '../graph/graph-panel.jsx';
import { ChangesPanel } from '../history/changes-panel.jsx';
import { ComparePanel } from '../history/compare-panel.jsx';
import { StepsPanel } from '../history/steps-panel.jsx';
import { OutputPanel } from '../output/output-panel.jsx';
import { usePage } from '../page-parts.js';
import { RecordPanel } from '../record/record-panel.jsx';
import { Link } from '../shell/link.jsx';
import { useKeys } from '../shell/use-keys.js';
import { SourcePanel } from '../source/source-panel.jsx';
import { TimelinePanel } from '../timeline/timeline-panel.jsx';
import { EventSlider } from './event-slider.jsx';
import { Panels } from './panels.jsx';
import { RunHead } from './run-head.jsx';
import { openRunModel, type RunModel } from './run-model.js';
import { RunProblem } from './run-problem.jsx';
import { ValuesPanel } from './values-panel.jsx';

export function RunScreen({ run }: { readonly run: string }) {
  const { data, router } = usePage();
  const model = useMemo(() => openRunModel(data, router, run), [run]);
  useEffect(() => () => model.close(), [model]);
  useKeys({
    u: () => router.go({ run: null, query: {} }),
    l: () => model.select(null),
    j: () => model.select(model.shownSeq.value + 1),
    k: () => model.select(Math.max(1, model.shownSeq.value - 1)),
  });
  const { lines, isComplete } = model.record.value;
  if (isComplete && lines.length === 0 && model.problem.value !== null) return <NoRun model={model} />;
  if (isComplete && lines.length === 0 && model.latest.value !== null)
    return <NotBegun model={model} run={model.latest.value} />;
  return (
    <div class="run-screen">
      <RunHead model={model} />
      <RunProblem model={model} />
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
          { id: 'source', title: 'Source', area: 'side', content: <SourcePanel model={model} /> },
          { id: 'values', title: 'Values', area: 'side', content: <ValuesPanel model={model} /> },
          { id: 'output', title: 'Output', area: 'side', content: <OutputPanel model={model} /> },
          { id: 'steps', title: 'Steps', area: 'side', isBroad: true, content: <StepsPanel model={model} /> },
          { id: 'changes', title: 'Changes', area: 'side', content: <ChangesPanel model={model} /> },
          { id: 'compare', title: 'Compare', area: 'side', isBroad: true, content: <ComparePanel model={model} /> },
        ]}
      />
    </div>
  );
}

/** The run waits for its turn, or could not begin. */
function NotBegun({ model, run }: { readonly model: RunModel; readonly run: ShownRun }) {
  return (
    <div class="run-screen">
      <RunHead model={model} />
      {run.error === null && <RunProblem model={model} />}
      <p class="faint pad">
        {run.status === 'queued'
          ? 'This run has not begun. It waits until other runs have ended, and its parts are shown here as soon as it begins.'
          : run.status === 'failed'
            ? 'This run never began, so there is nothing to show of it.'
            : 'This run begins now.'}
      </p>
    </div>
  );
}

/** There is nothing of the run to show. */
function NoRun({ model }: { readonly model: RunModel }) {
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
