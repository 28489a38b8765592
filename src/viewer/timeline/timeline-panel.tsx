/** The timeline of a run: zoomed and moved by pointer, keys and buttons. What is selected in it is selected everywhere. */
import { useSignal, useSignalEffect } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import type { RunModel } from '../run/run-model.js';
import { Legend } from './legend.jsx';
import { TimelineCanvas } from './timeline-canvas.jsx';
import { openTimelineView } from './timeline-view.js';

interface TimelinePanelProps {
  readonly model: RunModel;
  /** What fills the space below the lanes where there is any. */
  readonly children?: ComponentChildren;
}

export function TimelinePanel({ model, children }: TimelinePanelProps) {
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
function useLiveClock(model: RunModel, tick: () => void): void {
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
