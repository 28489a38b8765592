/** What a person wants to know before answering: what the state found out, what it said, and which files have changed. */
import { useMemo } from 'preact/hooks';
import type { Json } from '../../machine/expression.js';
import { countOf } from '../../views/drawing/amounts.js';
import { visibleLine } from '../../views/drawing/visible-text.js';
import type { PageRun } from '../data/page-data.js';
import type { RecordLines } from '../data/record-lines.js';
import { usePage } from '../page-parts.js';
import { eventWords } from '../record/event-words.js';
import type { ScreenModel } from '../run/screen-model.js';
import { ValueName, ValueView } from '../run/value-view.jsx';

const MOST_VALUES = 8;
const MOST_EMITTED = 3;
/** How far back in the record it is looked for. */
const FARTHEST = 400;

interface WhatLedHereProps {
  readonly model: ScreenModel;
  readonly run: PageRun;
  /** The program itself says what to show, so that other values are one click away. */
  readonly isShort: boolean;
}

export function WhatLedHere({ model, run, isShort }: WhatLedHereProps) {
  const { router } = usePage();
  const { lines } = model.record.value;
  const entered = model.history.timeline.run.visits.findLast(({ entered, isUndone }) => entered && !isUndone);
  const { emitted, files } = useMemo(() => before(lines, entered?.seq ?? 0), [lines.length]);
  const most = isShort ? 0 : MOST_VALUES;
  const values: (readonly [string, Json])[] = [...Object.entries(run.bound), ...Object.entries(run.tracked)];
  if (values.length === 0 && emitted.length === 0 && files.length === 0) return null;
  return (
    <div class="led-here">
      {emitted.map((words, at) => (
        <p key={at} class="mono small">
          {visibleLine(words)}
        </p>
      ))}
      <ValueList values={values.slice(0, most)} />
      <p class="small">
        {values.length > most && (
          <button type="button" class="quiet more" onClick={() => router.change({ tab: 'values' })}>
            {countOf(values.length - most, isShort ? 'value' : 'more value')}
          </button>
        )}
        {files.length > 0 && (
          <button type="button" class="quiet more" onClick={() => router.change({ tab: 'files' })}>
            {countOf(files.length, 'changed file')}: {files.slice(0, MOST_EMITTED).map(visibleLine).join(', ')}
            {files.length > MOST_EMITTED ? ', …' : ''}
          </button>
        )}
      </p>
    </div>
  );
}

export function ValueList({ values }: { readonly values: readonly (readonly [string, Json])[] }) {
  if (values.length === 0) return null;
  return (
    <dl>
      {values.map(([name, value]) => (
        <div key={name} class="value-row">
          <ValueName name={name} />
          <dd>
            <ValueView value={value} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** What was emitted in the state, which was entered at the event `since`, and the files that changed last. */
function before(
  lines: RecordLines,
  since: number,
): { readonly emitted: readonly string[]; readonly files: readonly string[] } {
  const emitted: string[] = [];
  let files: readonly string[] = [];
  for (let at = lines.length - 1; at >= Math.max(0, lines.length - FARTHEST); at--) {
    const line = lines.at(at);
    if (line === null) continue;
    if (line.seq < since) break;
    if (line.type === 'emitted' && emitted.length < MOST_EMITTED) emitted.unshift(eventWords(line));
    if (line.type === 'effect_settled' && line.outcome.kind === 'changed' && files.length === 0)
      files = line.outcome.files;
  }
  return { emitted, files };
}
