/** The names and values of a run as they were after the shown event. */
import type { Json } from '../../machine/expression.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import type { RunModel } from './run-model.js';
import { ValueView } from './value-view.jsx';

export function ValuesPanel({ model }: { readonly model: RunModel }) {
  const run = model.shown.value;
  if (run === null) return <p class="faint pad">…</p>;
  const result: Readonly<Record<string, Json>> = run.returned === null ? {} : { returned: run.returned };
  return (
    <div class="values scroll" tabIndex={0} role="region" aria-label="Values">
      <Group title="Result" values={result} />
      <Group title="Inputs" values={run.inputs} />
      <Group title="Data" values={dataOf(run.values)} />
      <Group title="Tracked" values={run.tracked} />
      <Group title={run.state === null ? 'Names' : `Names in ${run.state}`} values={run.bound} />
    </div>
  );
}

/** What plans read and write. Other values have groups of their own. */
function dataOf(values: Readonly<Record<string, Json>>): Readonly<Record<string, Json>> {
  return Object.fromEntries(Object.entries(values).filter(([path]) => path.startsWith('state.')));
}

function Group({ title, values }: { readonly title: string; readonly values: Readonly<Record<string, Json>> }) {
  const all = Object.entries(values);
  if (all.length === 0) return null;
  return (
    <section>
      <h3>{title}</h3>
      <dl>
        {all.map(([name, value]) => (
          <div key={name} class="value-row">
            <dt class="mono">{visibleLine(name)}</dt>
            <dd>
              <ValueView value={value} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
