/** The facts of a run: how it is, where it is, what it took. */
import type { ComponentChildren } from 'preact';
import { dollars } from '../../views/drawing/amounts.js';
import { duration } from '../../views/drawing/duration.js';
import { waitingLine } from '../../views/log/event-line.js';
import { Actions } from '../acting/actions.jsx';
import { StatusMark } from '../shell/status-mark.jsx';
import { Time } from '../shell/time.jsx';
import type { RunModel } from './run-model.js';

export function RunHead({ model }: { readonly model: RunModel }) {
  const run = model.shown.value ?? model.latest.value;
  if (run === null) return <header class="run-head loading" aria-busy="true" />;
  const isPast = model.at.value !== null;
  return (
    <header class="run-head">
      <h1>
        {run.machine} <StatusMark status={run.status} />
        {isPast && <span class="tag past">as it was after event {run.seq}</span>}
      </h1>
      <dl class="facts">
        {run.state !== null && <Fact name="State">{run.state}</Fact>}
        <Fact name="Started">
          <Time at={run.started_at} />
        </Fact>
        <Fact name="Time">{duration(run.duration_ms)}</Fact>
        <Fact name="Cost">{run.cost === null ? '–' : `${run.cost_unknown ? '≥ ' : ''}${dollars(run.cost)}`}</Fact>
        <Fact name="Effects">{run.effects}</Fact>
      </dl>
      <Actions model={model} />
      {isPast && run.waiting.length > 0 && (
        <p class="waits">
          <strong>Waits for</strong> {run.waiting.map(waitingLine).join('; ')}
        </p>
      )}
      {run.error !== null && (
        <p class="failed">
          <strong>{run.error.kind}</strong> {run.error.message}
        </p>
      )}
    </header>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
