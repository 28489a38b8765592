/** The graph of the program of a run: the state it is in, how often each edge was taken, and where it has been. */
import { useMemo, useRef, useState } from 'preact/hooks';
import { machinesPicture } from '../../views/graph/machine-picture.js';
import type { Drawing } from '../../views/picture/drawing.js';
import { usePage } from '../page-parts.js';
import { modelAt, type RunModel } from '../run/run-model.js';
import { Graph } from './graph.jsx';
import { findEntry } from './state-entries.js';
import { LEAD, takenEdges } from './taken-edges.js';
import { useDrawing } from './use-drawing.js';

export function GraphPanel({ model }: { readonly model: RunModel }) {
  const { layOut } = usePage();
  const [hasFailures, setFailures] = useState(false);
  const [zoom, setZoom] = useState<number | null>(null);
  const fitted = useRef(1);
  const program = model.program.value;
  const machine = program?.machine ?? null;
  const picture = useMemo(
    () => (machine === null ? null : machinesPicture([machine], { failures: hasFailures })),
    [machine, hasFailures],
  );
  const drawing = useDrawing(picture, layOut);
  const edges = modelAt(model, model.history.edges);
  const by = (factor: number): void => setZoom(Math.min(3, Math.max(0.1, (zoom ?? fitted.current) * factor)));
  const choose = (index: number): void => {
    const name = machine?.states[index]?.name;
    const seq = name === undefined ? null : findEntry(model, name);
    if (seq !== null) model.select(seq);
  };
  return (
    <div class="graph">
      <div class="panel-tools">
        <button type="button" aria-label="Make the graph larger" onClick={() => by(1.25)}>
          +
        </button>
        <button type="button" aria-label="Make the graph smaller" onClick={() => by(0.8)}>
          −
        </button>
        <button type="button" onClick={() => setZoom(null)} disabled={zoom === null}>
          Fit
        </button>
        <label class="check">
          <input
            type="checkbox"
            checked={hasFailures}
            onChange={({ currentTarget }) => setFailures(currentTarget.checked)}
          />{' '}
          All failures
        </label>
      </div>
      {drawing === null && <p class="faint pad">The graph is being drawn …</p>}
      {typeof drawing === 'string' && <p class="faint pad">{drawing}</p>}
      {isDrawing(drawing) && machine !== null && (
        <Graph
          drawing={drawing}
          name={`Graph of ${machine.name}`}
          zoom={zoom}
          onFit={(scale) => {
            fitted.current = scale;
          }}
          current={currentNode(model, machine.states)}
          isOver={isOver(model)}
          edgeCounts={takenEdges(machine, edges.all, drawing.edges)}
          nodeCount={(id) => {
            const name = machine.states[stateOf(id)]?.name;
            return name === undefined ? null : edges.entriesOf(name);
          }}
          onChoose={(id) => choose(stateOf(id))}
        />
      )}
    </div>
  );
}

const isDrawing = (value: Drawing | string | null): value is Drawing => value !== null && typeof value === 'object';

/** The index of the state that a node stands for; -1: none. */
function stateOf(id: string): number {
  return Number(new RegExp(`^${LEAD} state (\\d+)$`).exec(id)?.[1] ?? -1);
}

function isOver(model: RunModel): boolean {
  const status = model.shown.value?.status;
  return status === 'returned' || status === 'failed';
}

function currentNode(model: RunModel, states: readonly { readonly name: string }[]): string | null {
  const name = model.shown.value?.state;
  const index = states.findIndex((state) => state.name === name);
  return index < 0 ? null : `${LEAD} state ${index}`;
}
