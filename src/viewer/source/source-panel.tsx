/** The text of the program with what each line did: how often, how long, how much money. The line of the shown event is marked. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Machine } from '../../machine/machine.js';
import { dollars } from '../../views/drawing/amounts.js';
import { duration } from '../../views/drawing/duration.js';
import { escapeControls, visibleLine } from '../../views/drawing/visible-text.js';
import { modelAt, type RunModel } from '../run/run-model.js';
import { languageOf } from './data-grammars.js';
import type { ColoredText } from './highlight.js';
import { factsOfFile, fileFinder, type LineFacts } from './line-facts.js';
import { findLine, positionAt, waitingPosition } from './position.js';

/** A longer text is shown without colors, which would take too long. */
const MOST_COLORED = 200_000;

export function SourcePanel({ model }: { readonly model: RunModel }) {
  const program = model.program.value;
  if (program === null) return <p class="faint pad">…</p>;
  if (program.sources.length === 0)
    return (
      <p class="faint pad">
        The text of this program is not stored: only that of the program with which the run started is.
      </p>
    );
  return <Sources model={model} machine={program.machine} sources={program.sources} />;
}

interface SourcesProps {
  readonly model: RunModel;
  readonly machine: Machine;
  readonly sources: readonly { readonly name: string; readonly text: string }[];
}

function Sources({ model, machine, sources }: SourcesProps) {
  const fileOf = useMemo(() => fileFinder(machine), [machine]);
  const totals = modelAt(model, model.history.lines);
  const shown = model.shown.value;
  const isWaiting = shown !== null && shown.status === 'suspended' && shown.seq === model.shownSeq.value;
  const current =
    (isWaiting ? waitingPosition(machine, shown.state ?? '', shown.waiting) : null) ??
    positionAt(model.timeline.value.model, model.shownSeq.value, fileOf);
  const [chosen, setChosen] = useState<number | null>(null);
  // The file of the shown event is shown, until another one is chosen for the same event.
  useEffect(() => setChosen(null), [current?.file, current?.line]);
  const file = Math.min(chosen ?? current?.file ?? 0, sources.length - 1);
  const source = sources[file];
  if (source === undefined) return null;
  return (
    <div class="source">
      {sources.length > 1 && (
        <div class="panel-tools">
          <select
            aria-label="File"
            value={String(file)}
            onChange={({ currentTarget }) => setChosen(Number(currentTarget.value))}
          >
            {sources.map(({ name }, index) => (
              <option key={name} value={String(index)}>
                {visibleLine(name)}
              </option>
            ))}
          </select>
        </div>
      )}
      <Lines
        key={source.name}
        name={source.name}
        text={source.text}
        facts={factsOfFile(totals, file, fileOf)}
        current={current?.file === file ? current.line : null}
        onChoose={(line) => {
          const seq = findLine(model.history.timeline, model.shownSeq.peek(), { file, line }, fileOf);
          if (seq !== null) model.select(seq);
        }}
      />
    </div>
  );
}

interface LinesProps {
  readonly name: string;
  readonly text: string;
  readonly facts: ReadonlyMap<number, LineFacts>;
  readonly current: number | null;
  readonly onChoose: (line: number) => void;
}

function Lines({ name, text, facts, current, onChoose }: LinesProps) {
  const lines = useColors(name, text);
  const frame = useRef<HTMLElement>(null);
  useEffect(() => {
    if (frame.current !== null) showCurrent(frame.current);
  }, [current, lines]);
  return (
    <section ref={frame} class="source-lines scroll" tabIndex={0} aria-label={`Source of ${visibleLine(name)}`}>
      <table>
        <thead class="hidden">
          <tr>
            <th scope="col">Line</th>
            <th scope="col">Text</th>
            <th scope="col">Count</th>
            <th scope="col">Time</th>
            <th scope="col">Cost</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line, index) => {
            const number = index + 1;
            const fact = facts.get(number);
            return (
              <tr
                key={number}
                class={`${number === current ? 'current' : ''} ${fact === undefined ? '' : 'ran'} ${(fact?.failed ?? 0) > 0 ? 'failed' : ''}`}
                aria-current={number === current ? 'step' : undefined}
              >
                <td class="number">
                  {fact === undefined ? (
                    number
                  ) : (
                    <button
                      type="button"
                      class="quiet"
                      aria-label={`Line ${number}: show it`}
                      onClick={() => onChoose(number)}
                    >
                      {number}
                    </button>
                  )}
                </td>
                <td class="text">
                  {line.map(({ text: part, color }, at) => (
                    <span key={at} style={color === null ? undefined : { color: `var(${color})` }}>
                      {part}
                    </span>
                  ))}
                </td>
                <td class="amount">{fact === undefined || fact.count === 0 ? '' : `${fact.count}×`}</td>
                <td class="amount">{fact === undefined || fact.ms < 1 ? '' : duration(fact.ms)}</td>
                <td class="amount">{fact === undefined || fact.cost === 0 ? '' : dollars(fact.cost)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

/** Only a line that is not visible is scrolled to: otherwise the text would jump with each event. */
function showCurrent(frame: HTMLElement): void {
  const line = frame.querySelector('.current');
  if (line === null) return;
  const [outer, inner] = [frame.getBoundingClientRect(), line.getBoundingClientRect()];
  if (inner.top < outer.top || inner.bottom > outer.bottom) frame.scrollTop += inner.top - outer.top - outer.height / 3;
}

/** The lines without colors at first; they come when the grammar is loaded. */
function useColors(name: string, text: string): readonly (readonly ColoredText[])[] {
  const visible = useMemo(() => escapeControls(text.replace(/\r\n?/g, '\n').replace(/\n$/, '')), [text]);
  const plain = useMemo(() => visible.split('\n').map((line) => [{ text: line, color: null }]), [visible]);
  const [colored, setColored] = useState<readonly (readonly ColoredText[])[] | null>(null);
  useEffect(() => {
    if (visible.length > MOST_COLORED) return;
    let isWanted = true;
    import('./highlight.js').then(
      ({ highlightProgram }) => isWanted && setColored(highlightProgram(visible, languageOf(name))),
      // Without colors the text can be read, too.
      () => undefined,
    );
    return () => {
      isWanted = false;
    };
  }, [name, visible]);
  return colored ?? plain;
}
