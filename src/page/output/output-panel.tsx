/** What a command or agent prints, live and with its colors: the one of the shown event, or the last one before it. */

import { type ReadonlySignal, signal } from '@preact/signals';
import Anser from 'anser';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { WORK_EFFECTS } from '../../interpreter/events/status-after.js';
import { size } from '../../views/drawing/amounts.js';
import { escapeControls, visibleLine } from '../../views/drawing/visible-text.js';
import { commandLine } from '../../views/log/started-command.js';
import { type DataError, type PageData, type RecordedRunEvent, toDataError } from '../data/page-data.js';
import type { RecordLines } from '../data/record-lines.js';
import type { ScreenModel } from '../run/screen-model.js';
import { SearchField } from '../shell/search-field.jsx';

export function OutputPanel({ model }: { readonly model: ScreenModel }) {
  const found = effectAt(model.record.value.lines, model.shownSeq.value);
  if (found === null) return <p class="faint pad">Nothing has been printed yet.</p>;
  return <Output key={found.effect} model={model} effect={found.effect} name={found.text} isLive={!found.hasEnded} />;
}

interface OutputProps {
  readonly model: ScreenModel;
  readonly effect: string;
  readonly name: string;
  readonly isLive: boolean;
}

/** How near to the end counts as the end. */
const NEAR = 40;

function Output({ model: { data, run }, effect, name, isLive }: OutputProps) {
  const [stream, setStream] = useState<'stdout' | 'stderr'>('stdout');
  const [search, setSearch] = useState('');
  const wasLive = useRef(isLive);
  const reader = useMemo(
    () => openOutput(data, { run, effect, stream, isLive: wasLive.current }),
    [data, run, effect, stream],
  );
  useEffect(() => () => reader.close(), [reader]);
  const { text, read, kept, bytes, isLoading, part, problem } = reader.shown.value;
  const frame = useRef<HTMLPreElement>(null);
  const [isFollowing, setFollowing] = useState(isLive);
  useLayoutEffect(() => {
    const { current } = frame;
    if (isFollowing && current !== null) current.scrollTop = current.scrollHeight;
  }, [text, isFollowing]);
  const wanted = search.toLowerCase();
  const matches = useMemo(() => (wanted === '' ? 0 : text.toLowerCase().split(wanted).length - 1), [text, wanted]);
  const hasMore = bytes !== null && read < bytes && part === null;
  return (
    <div class="output">
      <div class="panel-tools">
        <span class="mono effect" title={name}>
          {visibleLine(name)}
        </span>
        <select
          aria-label="Stream"
          value={stream}
          onChange={({ currentTarget }) => setStream(currentTarget.value as 'stdout' | 'stderr')}
        >
          <option value="stdout">Output</option>
          <option value="stderr">Errors</option>
        </select>
      </div>
      <div class="panel-tools">
        <SearchField
          label="Search in the output"
          placeholder="Search"
          value={search}
          onChange={setSearch}
          onEnter={() => showNextMatch(frame.current)}
        />
        {wanted !== '' && <span class="faint">{matches === 1 ? '1 match' : `${matches} matches`}</span>}
        {isLive && (
          <label class="check">
            <input
              type="checkbox"
              checked={isFollowing}
              onChange={({ currentTarget }) => setFollowing(currentTarget.checked)}
            />{' '}
            Follow
          </label>
        )}
        <span class="faint">{bytes === null ? (isLoading && isLive ? 'live' : '') : size(bytes)}</span>
      </div>
      <pre
        ref={frame}
        class="output-text scroll"
        tabIndex={0}
        role="region"
        aria-label="Output"
        dir="ltr"
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          const isAtEnd = scrollTop + clientHeight >= scrollHeight - NEAR;
          if (!isAtEnd) setFollowing(false);
          if (isAtEnd && hasMore) reader.more();
        }}
      >
        {problem !== null && <span class="faint">{problem.message}</span>}
        {problem === null && bytes === 0 && <span class="faint">It printed nothing here.</span>}
        <ColoredOutput text={text} search={wanted} />
      </pre>
      {part !== null && (
        <p class="cut">
          Only the {part === 'end' ? 'last' : 'first'} {size(kept)} of {size(bytes ?? read)} are shown.{' '}
          <code>
            statedsl output {run} {effect}
          </code>{' '}
          prints all.
        </p>
      )}
      {hasMore && (
        <button type="button" class="more-output" disabled={isLoading} onClick={() => reader.more()}>
          {size(read)} of {size(bytes)}: read more
        </button>
      )}
    </div>
  );
}

/** The first match below the ones that were shown, and the first one of all at the end. */
function showNextMatch(frame: HTMLElement | null): void {
  const marks = [...(frame?.querySelectorAll('mark') ?? [])];
  const at = marks.findIndex((mark) => mark.classList.contains('shown'));
  marks[at]?.classList.remove('shown');
  const next = marks[(at + 1) % marks.length];
  next?.classList.add('shown');
  next?.scrollIntoView({ block: 'center' });
}

/** The effect that an event belongs to, as its output shows it. */
interface ShownEffect {
  readonly effect: string;
  readonly text: string;
  /** Whether its outcome is on record. */
  readonly hasEnded: boolean;
  readonly seq: number;
}

type RequestedOutput = Extract<RecordedRunEvent, { type: 'effect_requested' }>;

/** The effect of the event, or the last one before it; null: none that prints. */
export function effectAt(lines: RecordLines, seq: number): ShownEffect | null {
  const start = lines.indexOf(seq + 1) - 1;
  const shown = lines.at(start);
  const wanted = shown !== null && 'effect' in shown ? (shown.effect as string) : null;
  const request = findRequest(lines, start, wanted);
  if (request === null) return null;
  const { effect, seq: requested } = request;
  const text = commandLine(request) ?? request.text;
  return { effect, text, hasEnded: hasEnded(lines, lines.indexOf(requested), effect), seq: requested };
}

function findRequest(lines: RecordLines, start: number, wanted: string | null): RequestedOutput | null {
  let last: RequestedOutput | null = null;
  for (const request of lines.before('effect_requested', start)) {
    if (!WORK_EFFECTS.has(request.kind)) continue;
    last ??= request;
    if (wanted === null || request.effect === wanted) return request;
  }
  return last;
}

function hasEnded(lines: RecordLines, from: number, effect: string): boolean {
  for (const settled of lines.after('effect_settled', from)) if (settled.effect === effect) return true;
  return false;
}

/** Moves of the cursor and the like: they have no meaning on a page. */
const OTHER_SEQUENCES =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the regular expression looks for control sequences
  /\u001b(?:\[[0-9;?<=>!]*[ -/]*[@-ln-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[PX^_][^\u001b]*\u001b\\|[()][A-Z0-9]|[=>78cDEHMNOZ])/g;

interface StyledPiece {
  readonly text: string;
  readonly classes: string;
  readonly foreground: string | null;
  readonly background: string | null;
}

/** `search`: every place with this text is marked, whatever its case. */
function ColoredOutput({ text, search }: { readonly text: string; readonly search: string }) {
  return (
    <>
      {piecesOf(text).map((piece, at) => (
        <Span key={at} piece={piece} search={search} />
      ))}
    </>
  );
}

function Span({ piece, search }: { readonly piece: StyledPiece; readonly search: string }) {
  const { text, classes, foreground, background } = piece;
  const content = search === '' ? text : markMatches(text, search);
  if (classes === '' && foreground === null && background === null) return <>{content}</>;
  const style = {
    ...(foreground === null ? {} : { color: foreground }),
    ...(background === null ? {} : { backgroundColor: background }),
  };
  return (
    <span class={classes} style={style}>
      {content}
    </span>
  );
}

function markMatches(text: string, search: string) {
  const parts = [];
  const lower = text.toLowerCase();
  let from = 0;
  for (let at = lower.indexOf(search); at >= 0; at = lower.indexOf(search, from)) {
    parts.push(text.slice(from, at), <mark key={at}>{text.slice(at, at + search.length)}</mark>);
    from = at + search.length;
  }
  return [...parts, text.slice(from)];
}

function piecesOf(text: string): StyledPiece[] {
  const cleaned = finalLines(text).replace(OTHER_SEQUENCES, '');
  return Anser.ansiToJson(cleaned, { use_classes: true, remove_empty: true }).map((entry) => ({
    text: escapeControls(entry.content),
    classes: [
      /^ansi-[a-z-]+$/.test(entry.fg ?? '') ? `${entry.fg}-fg` : '',
      /^ansi-[a-z-]+$/.test(entry.bg ?? '') ? `${entry.bg}-bg` : '',
      ...entry.decorations.map((one) => `ansi-${one}`),
    ]
      .filter(Boolean)
      .join(' '),
    foreground: rgb(entry.fg, entry.fg_truecolor),
    background: rgb(entry.bg, entry.bg_truecolor),
  }));
}

function rgb(name: string | null, color: string | null): string | null {
  return name === 'ansi-truecolor' && color !== null && /^[\d, ]+$/.test(color) ? `rgb(${color})` : null;
}

/** What is before the last carriage return of a line is overwritten. One at the very end may be half of a line break. */
export function finalLines(text: string): string {
  if (!text.includes('\r')) return text;
  const lines = text.replace(/\r\n/g, '\n').split('\n');
  return lines.map((line, at) => finalLine(line, at === lines.length - 1)).join('\n');
}

function finalLine(line: string, isLast: boolean): string {
  const end = isLast && line.endsWith('\r') ? line.length - 1 : line.length;
  return end === 0 ? line : line.slice(line.lastIndexOf('\r', end - 1) + 1);
}

const PIECE = 256 * 1024;
/** More text in one part of the page would make it slow. */
const MOST = 4 * 1024 * 1024;
/** Text that grows is drawn again and again. */
const MOST_LIVE = 512 * 1024;
/** A live text that is too long loses a part at once, and not a little with each piece. */
const KEPT_LIVE = 384 * 1024;
const DRAW_PAUSE_MS = 100;

/**
 * The output of an effect as far as it was read: from its beginning in pieces, or as it is printed. Bytes become text here, so
 * that a character which is split between two pieces is whole. Only so much is kept as the page can show: of an output that
 * is still printed its end, of one that has ended its beginning.
 */
interface ShownOutput {
  readonly text: string;
  readonly read: number;
  /** How many of the bytes that were read `text` still has. */
  readonly kept: number;
  /** Null while the effect prints. */
  readonly bytes: number | null;
  readonly isLoading: boolean;
  /** Which part of the output the page shows if it does not show all of it. */
  readonly part: 'beginning' | 'end' | null;
  readonly problem: DataError | null;
}

interface OutputReader {
  readonly shown: ReadonlySignal<ShownOutput>;
  /** Reads the next piece, if there is one. */
  more(): void;
  close(): void;
}

interface WantedOutput {
  readonly run: string;
  readonly effect: string;
  readonly stream: 'stdout' | 'stderr';
  /** Whether it is still printed. */
  readonly isLive: boolean;
}

export function openOutput(data: PageData, { run, effect, stream, isLive }: WantedOutput): OutputReader {
  const controller = new AbortController();
  const { signal: closed } = controller;
  const decoder = new TextDecoder();
  const shown = signal<ShownOutput>({
    ...{ text: '', read: 0, kept: 0, bytes: null, isLoading: false, part: null, problem: null },
  });
  const change = (part: Partial<ShownOutput>): void => {
    if (!closed.aborted) shown.value = { ...shown.peek(), ...part };
  };
  const pending = { text: '', read: 0, timer: null as ReturnType<typeof setTimeout> | null };

  function draw(): void {
    if (pending.timer !== null) clearTimeout(pending.timer);
    pending.timer = null;
    const before = shown.peek();
    const whole = before.text + pending.text;
    const isLong = isLive && whole.length > MOST_LIVE;
    const text = isLong ? lastLines(whole, KEPT_LIVE) : whole;
    const [read, most] = [before.read + pending.read, before.kept + pending.read];
    // A byte that is not text became a character of three bytes.
    const kept = isLong ? Math.min(most, new TextEncoder().encode(text).length) : most;
    change({ text, read, kept, ...(isLong && { part: 'end' as const }) });
    [pending.text, pending.read] = ['', 0];
  }

  function take(piece: Uint8Array): void {
    pending.text += decoder.decode(piece, { stream: true });
    pending.read += piece.length;
    if (!isLive || pending.text.length > MOST_LIVE) draw();
    else pending.timer ??= setTimeout(draw, DRAW_PAUSE_MS);
  }

  async function read(): Promise<void> {
    const { read: from, bytes, isLoading } = shown.peek();
    if (isLoading || (!isLive && from >= MOST) || (bytes !== null && from >= bytes)) return;
    change({ isLoading: true });
    try {
      const to = isLive ? null : from + PIECE;
      const part = await data.output(run, effect, { stream, from, to, signal: closed });
      if (part.bytes !== null) change({ bytes: part.bytes });
      for await (const piece of part.pieces) {
        take(piece);
        if (closed.aborted || (!isLive && shown.peek().read >= MOST)) break;
      }
      draw();
      const { read: total, bytes: whole } = shown.peek();
      if (!isLive && total >= MOST && (whole === null || total < whole)) change({ part: 'beginning' });
      else if (part.bytes === null) change({ bytes: total });
    } catch (cause) {
      if (closed.aborted) return;
      const problem = toDataError(cause);
      // A range of an empty output cannot be given.
      if (problem.code === 'wrong-use' && shown.peek().read === 0) change({ bytes: 0 });
      else change({ problem });
    } finally {
      change({ isLoading: false });
    }
  }

  void read();
  return { shown, more: () => void read(), close: () => controller.abort() };
}

/** The end of a text, from the beginning of a line if it has one. */
function lastLines(text: string, length: number): string {
  const end = text.slice(-length);
  const line = end.indexOf('\n');
  return line < 0 || line === end.length - 1 ? end : end.slice(line + 1);
}
