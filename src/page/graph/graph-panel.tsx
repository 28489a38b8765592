/** The graph of the program of a run or of one of its plans: where the run is, what it has taken, and what became of its parts. */
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Machine } from '../../machine/machine.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import { mainPlan, type RunPicture, runPictures } from '../../views/graph/run-pictures.js';
import type { Drawing, DrawnEdge, Picture, PictureNode } from '../../views/picture/picture.js';
import { usePage } from '../page-parts.js';
import { modelAt, type ScreenModel } from '../run/screen-model.js';
import { countWords, type EdgeFacts, Graph } from './graph.jsx';
import { callOf, isStep, LEAD, planFacts, programFacts, stateOf, takenEdges } from './node-facts.js';
import { lastExecution, type PlanExecution, pathsOf, valueAt, withValues } from './plan-calls.js';

export function GraphPanel({ model }: { readonly model: ScreenModel }) {
  const { layOut } = usePage();
  const [hasFailures, setFailures] = useState(false);
  const [plan, setPlan] = useState<string | null>(null);
  const [zoom, setZoom] = useState<number | null>(null);
  const fitted = useRef(1);
  const machine = model.program.value?.machine ?? null;
  const pictures = useMemo(
    () => (machine === null ? [] : runPictures(machine, { failures: hasFailures })),
    [machine, hasFailures],
  );
  const chosen = pictures.find((one) => one.plan === plan) ?? pictures[0] ?? null;
  const drawing = useDrawing(chosen?.picture ?? null, layOut);
  const by = (factor: number): void => setZoom(Math.min(3, Math.max(0.1, (zoom ?? fitted.current) * factor)));
  const frame = {
    zoom,
    onFit: (scale: number) => {
      fitted.current = scale;
    },
  };
  return (
    <div class="graph">
      <Tools zoom={zoom} by={by} fit={() => setZoom(null)}>
        {pictures.length > 1 && (
          <select
            aria-label="What the graph shows"
            value={chosen?.title}
            onChange={({ currentTarget }) => setPlan(pictures[currentTarget.selectedIndex]?.plan ?? null)}
          >
            {pictures.map(({ title }) => (
              <option key={title} value={title}>
                {visibleLine(title)}
              </option>
            ))}
          </select>
        )}
        {chosen?.plan === null && (
          <label class="check">
            <input
              type="checkbox"
              checked={hasFailures}
              onChange={({ currentTarget }) => setFailures(currentTarget.checked)}
            />{' '}
            All failures
          </label>
        )}
      </Tools>
      {drawing === null && <p class="faint pad">The graph is being drawn …</p>}
      {typeof drawing === 'string' && <p class="faint pad">{drawing}</p>}
      {isDrawing(drawing) && machine !== null && chosen?.plan === null && (
        <ProgramGraph model={model} machine={machine} drawing={drawing} frame={frame} />
      )}
      {isDrawing(drawing) && machine !== null && chosen !== null && chosen.plan !== null && (
        <PlanGraph model={model} machine={machine} of={chosen} drawing={drawing} frame={frame} />
      )}
    </div>
  );
}

const isDrawing = (value: Drawing | string | null): value is Drawing => value !== null && typeof value === 'object';

interface ToolsProps {
  readonly zoom: number | null;
  readonly by: (factor: number) => void;
  readonly fit: () => void;
  readonly children: ComponentChildren;
}

function Tools({ zoom, by, fit, children }: ToolsProps) {
  return (
    <div class="panel-tools">
      <button type="button" aria-label="Make the graph larger" onClick={() => by(1.25)}>
        +
      </button>
      <button type="button" aria-label="Make the graph smaller" onClick={() => by(0.8)}>
        −
      </button>
      <button type="button" onClick={fit} disabled={zoom === null}>
        Fit
      </button>
      {children}
    </div>
  );
}

interface PlanGraphProps extends GraphOf {
  readonly machine: Machine;
  readonly of: RunPicture;
}

interface GraphOf {
  readonly model: ScreenModel;
  readonly drawing: Drawing;
  readonly frame: { readonly zoom: number | null; readonly onFit: (scale: number) => void };
}

function ProgramGraph({ model, machine, drawing, frame }: GraphOf & { readonly machine: Machine }) {
  const { router } = usePage();
  const edges = modelAt(model, model.history.edges);
  const taken = takenEdges(machine, edges.all, drawing.edges);
  const steps = model.shown.value?.steps ?? [];
  const choose = ({ id, step }: PictureNode): void => {
    if (step !== undefined) {
      const found = findStep(model, step);
      if (found !== null) router.change({ event: String(found.seq), step: found.path, tab: 'steps' });
      return;
    }
    const name = machine.states[stateOf(id)]?.name;
    const seq = name === undefined ? null : findEntry(model, name);
    if (seq !== null) model.select(seq);
  };
  return (
    <Graph
      {...frame}
      drawing={drawing}
      name={`Graph of ${visibleLine(machine.name)}`}
      current={currentNode(model, machine.states)}
      ending={endingOf(model)}
      factsOf={programFacts(machine, edges, steps)}
      edgeFacts={({ edge, label, fullText }) => {
        const count = taken.get(edge.id) ?? 0;
        const lines = label?.texts.map(({ text }) => text) ?? [];
        return { count, lines, about: [fullText, countWords(count)].filter(Boolean).join('\n') };
      }}
      onChoose={choose}
    />
  );
}

function PlanGraph({ model, machine, of, drawing, frame }: PlanGraphProps) {
  const run = model.shown.value;
  const { lines } = model.record.value;
  const plan = of.plan ?? '';
  const isMain = mainPlan(machine) === plan;
  const execution = lastExecution(machine, plan, lines, lines.indexOf(model.shownSeq.value + 1) - 1);
  const calls = isMain ? (run?.calls ?? []) : skippedCalls(machine, plan, execution);
  const factsOf = planFacts(calls, execution.calls);
  // The data of the run is that of its main plan. Other plans have their own.
  const values = { ...(isMain ? run?.values : {}), ...execution.values };
  const titles = new Map(drawing.nodes.map(({ node }) => [node.id, node.title]));
  const isDone = (id: string): boolean => {
    const node = drawing.nodes.find((one) => one.node.id === id)?.node;
    const facts = node === undefined ? null : factsOf(node);
    return facts === null || facts.mark === 'done' || facts.mark === 'running' || facts.mark === 'failed';
  };
  const edgeFacts = ({ edge, label, fullText }: DrawnEdge): EdgeFacts => {
    const paths = pathsOf(edge, titles.get(edge.from) ?? '');
    const found = paths.map((path) => valueAt(values, path));
    const isTaken = found.some((value) => value !== undefined) && isDone(edge.from) && isDone(edge.to);
    const words = paths.flatMap((path, at) => (found[at] === undefined ? [] : [`${path} = ${longValue(found[at])}`]));
    const texts = label?.texts.map(({ text }) => text) ?? [];
    return { count: isTaken ? 1 : 0, lines: withValues(texts, found), about: words.join('\n') || fullText };
  };
  return (
    <Graph
      {...frame}
      drawing={drawing}
      name={`Graph of the plan ${visibleLine(of.title)}`}
      current={null}
      ending={endingOf(model)}
      factsOf={factsOf}
      edgeFacts={edgeFacts}
      onChoose={({ id }) => {
        const call = execution.calls.get(callOf(id));
        if (call !== undefined) model.select(call.seq);
      }}
    />
  );
}

/** What a plan that has ended has not begun was skipped. */
function skippedCalls({ plans }: Machine, plan: string, { calls, isOver }: PlanExecution) {
  const all = isOver ? (plans?.[plan]?.calls ?? []) : [];
  const skipped = all.filter(({ index, tool }) => tool !== null && !calls.has(index));
  return skipped.map(({ index }) => ({ index, status: 'skipped' as const }));
}

const LONGEST_VALUE = 2000;

const longValue = (value: unknown): string => JSON.stringify(value, null, 1).slice(0, LONGEST_VALUE);

function endingOf(model: ScreenModel): 'returned' | 'failed' | null {
  const status = model.shown.value?.status;
  return status === 'returned' || status === 'failed' ? status : null;
}

function currentNode(model: ScreenModel, states: readonly { readonly name: string }[]): string | null {
  const name = model.shown.value?.state;
  const index = states.findIndex((state) => state.name === name);
  return index < 0 ? null : `${LEAD} state ${index}`;
}

/** A text says why there is no drawing; null: it is not known yet. */
function useDrawing(picture: Picture | null, layOut: (picture: Picture) => Promise<Drawing>): Drawing | string | null {
  const [drawing, setDrawing] = useState<Drawing | string | null>(null);
  useEffect(() => {
    if (picture === null) return;
    let isWanted = true;
    layOut(picture).then(
      (done) => isWanted && setDrawing(done),
      (cause: Error) => isWanted && setDrawing(`The graph cannot be drawn: ${cause.message}`),
    );
    return () => {
      isWanted = false;
    };
  }, [picture]);
  return drawing;
}

/**
 * The number of the entry before the shown event; from an entry itself, the one before it; the last one if there is none.
 * So choosing a state again and again leads through all its visits. Null: it was never entered.
 */
function findEntry({ history, shownSeq }: ScreenModel, state: string): number | null {
  const { bars, events, stateLane } = history.timeline;
  const visits = stateLane.bars;
  const find = (from: number): number | null => {
    for (let at = from; at >= 0; at--) {
      const visit = visits.at(at);
      const seq = bars.seq[visit] as number;
      if (history.timeline.stateAt(seq) === state) return seq;
    }
    return null;
  };
  const before = visits.countBelow(events.visitOf(shownSeq.peek() - 1) + 1) - 1;
  return find(before) ?? find(visits.length - 1);
}

/** The event that began the last attempt of a step, and its path; null: it has not begun. */
function findStep(model: ScreenModel, written: string): { readonly seq: number; readonly path: string } | null {
  const { lines } = model.record.peek();
  const findStart = (from: number): { seq: number; path: string } | null => {
    for (const { seq, step } of lines.before('step_started', from))
      if (isStep(written, step)) return { seq, path: step };
    return null;
  };
  return findStart(lines.indexOf(model.shownSeq.peek()) - 1) ?? findStart(lines.length - 1);
}
