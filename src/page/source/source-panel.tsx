/** The text of the program with what each line did: how often, how long, how much money. The line of the shown event is marked. */
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Waiting } from '../../interpreter/events/event.js';
import type { Machine } from '../../machine/machine.js';
import { dollars, duration } from '../../views/drawing/amounts.js';
import { escapeControls, visibleLine } from '../../views/drawing/visible-text.js';
import type { LineTotals, SourceLines } from '../history/source-lines.js';
import { modelAt, type ScreenModel } from '../run/screen-model.js';
import type { Timeline } from '../timeline/timeline.js';
import { languageOf } from './data-grammars.js';
import type { ColoredText } from './highlight.js';

/** A longer text is shown without colors, which would take too long. */
const MOST_COLORED = 200_000;

export function SourcePanel({ model }: { readonly model: ScreenModel }) {
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
  readonly model: ScreenModel;
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

/** A line of the program. */
interface SourcePosition {
  /** The number of the file among those of the program. */
  readonly file: number;
  readonly line: number;
}

/** The position of an event; if it has none, the last one before it in the same visit of a state. */
export function positionAt(timeline: Timeline, seq: number, fileOf: FileOfLine): SourcePosition | null {
  const { events, bars } = timeline;
  const visit = events.visitOf(seq);
  const entered = visit < 0 ? 0 : (bars.seq[visit] as number);
  for (let at = Math.min(seq, events.last); at > entered; at--) {
    const line = lineOf(timeline, at);
    if (line > 0) return { file: fileOf(stateOf(timeline, at), line), line };
  }
  return null;
}

/** The first question or signal for which a run waits in a state; null if it waits for none. Its events have no line. */
export function waitingPosition(machine: Machine, state: string, waiting: readonly Waiting[]): SourcePosition | null {
  const code = machine.states.find(({ name }) => name === state)?.code ?? [];
  for (const { kind, name } of waiting) {
    const found = code.find((one) => (one.op === 'ask' || one.op === 'signal') && one.op === kind && one.name === name);
    if (found !== undefined) return { file: found.origin.file, line: found.origin.line };
  }
  return null;
}

/** The event at a position before the given one, or else the last one; null if there is none. */
export function findLine(
  timeline: Timeline,
  seq: number,
  { file, line }: SourcePosition,
  fileOf: FileOfLine,
): number | null {
  const { events } = timeline;
  const find = (from: number): number | null => {
    for (let at = from; at > 0; at--)
      if (events.lineOf(at) === line && fileOf(stateOf(timeline, at), line) === file) return at;
    return null;
  };
  return find(Math.min(seq - 1, events.last)) ?? find(events.last);
}

/** That of the event itself, or of the work that it ends. */
function lineOf({ events, bars }: Timeline, seq: number): number {
  const own = events.lineOf(seq);
  const bar = events.barOf(seq);
  return own > 0 || bar < 0 ? own : (bars.line[bar] as number);
}

function stateOf(timeline: Timeline, seq: number): string {
  const bar = timeline.events.barOf(seq);
  const state = bar < 0 ? '' : timeline.describe(bar).state;
  return state === '' ? (timeline.stateAt(seq) ?? '') : state;
}

/** By file, then by line. */
type FileOfLine = (state: string, line: number) => number;

/** A line of a state comes from one file, but for a pattern that happens to have the same number: then the first counts. */
export function fileFinder({ states, plans = {}, files }: Machine): FileOfLine {
  const known = new Map<string, number>();
  const add = (state: string, line: number, file: number): void => {
    const key = `${line} ${state}`;
    if (!known.has(key)) known.set(key, file);
  };
  for (const { name, code } of states) for (const { origin } of code) add(name, origin.line, origin.file);
  // The calls of a plan have the lines of its document.
  for (const { name, code } of states)
    for (const instruction of code) {
      if (instruction.op !== 'plan' || instruction.main === true) continue;
      const file = documentOf(instruction.plan, files[instruction.origin.file] ?? '', files);
      for (const { line } of plans[instruction.plan]?.calls ?? []) if (line > 0 && file >= 0) add(name, line, file);
    }
  return (state, line) => known.get(`${line} ${state}`) ?? 0;
}

/** The number of the file of a plan, which is named as the file that uses it names it; -1: it is not known. */
function documentOf(plan: string, usedBy: string, files: Machine['files']): number {
  const name = plan.replace(/^PLAN /, '');
  const exact = files.indexOf(pathFrom(usedBy, name));
  if (exact >= 0) return exact;
  const path = name.replace(/^(\.{1,2}\/)+/, '');
  return files.findIndex((file) => file === path || file.endsWith(`/${path}`));
}

/** The path of what a file names relative to its folder. */
function pathFrom(file: string, name: string): string {
  if (name.startsWith('/')) return name;
  const parts = file.split('/').slice(0, -1);
  for (const part of name.split('/')) {
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '.') parts.push(part);
  }
  return parts.join('/');
}

type LineFacts = Pick<LineTotals, 'count' | 'ms' | 'cost' | 'failed'>;

/** The totals of the lines of one file. A line of a pattern can run in several states. */
function factsOfFile(lines: SourceLines, file: number, fileOf: FileOfLine): ReadonlyMap<number, LineFacts> {
  const facts = new Map<number, LineFacts>();
  for (const { state, line, count, ms, cost, failed } of lines.all) {
    if (fileOf(state, line) !== file) continue;
    const before = facts.get(line) ?? { count: 0, ms: 0, cost: 0, failed: 0 };
    facts.set(line, {
      count: before.count + count,
      ms: before.ms + ms,
      cost: before.cost + cost,
      failed: before.failed + failed,
    });
  }
  return facts;
}
