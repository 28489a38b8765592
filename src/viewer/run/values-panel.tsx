/** The names and values of a run as they were after the shown event. */
import type { Json } from '../../machine/expression.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import type { RunModel } from './run-model.js';
import { ValueView } from './value-view.jsx';

export function ValuesPanel({ model }: { readonly model: RunModel }) {
  const run = model.shown.value;
  if (run === null) return <p class="faint pad">…</p>;
  const result: Readonly<Record<string, Json>> = run.returned === null ? {} : { returned: run.returned };
  const { printed_returned: returned, printed_inputs, printed_values, printed_tracked, printed_bound } = run;
  return (
    <div class="values scroll" tabIndex={0} role="region" aria-label="Values">
      <Group title="Result" values={result} printed={returned === undefined ? undefined : { returned }} />
      <Group title="Inputs" values={run.inputs} printed={printed_inputs} />
      <Group title="Data" values={dataOf(run.values)} printed={printed_values} />
      <Group title="Tracked" values={run.tracked} printed={printed_tracked} />
      <Group
        title={run.state === null ? 'Names' : `Names in ${run.state}`}
        values={run.bound}
        printed={printed_bound}
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
}

function Group({ title, values, printed = {} }: GroupProps) {
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
              <ValueView value={value} printed={Object.hasOwn(printed, name) ? printed[name] : undefined} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
