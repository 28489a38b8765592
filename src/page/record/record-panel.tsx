/** The record of a run: one sentence for each event, with a filter. The shown event is marked, and its JSON can be read. */
import { useEffect, useMemo, useReducer, useState } from 'preact/hooks';
import { cut, escapeControls, visibleLine } from '../../views/drawing/visible-text.js';
import { Pace } from '../data/pace.js';
import type { RecordLine } from '../data/page-data.js';
import type { RecordLines } from '../data/record-lines.js';
import { shownFolders } from '../page-parts.js';
import type { ScreenModel } from '../run/screen-model.js';
import { SearchField } from '../shell/search-field.jsx';
import { Time } from '../shell/time.jsx';
import { VirtualList } from '../shell/virtual-list.jsx';
import { firstIndex } from '../timeline/bars.js';
import { exactEventWords, kindWords, wordsInRecord } from './event-words.js';

const ROW_HEIGHT = 26;
const LONGEST_JSON = 200_000;

export function RecordPanel({ model }: { readonly model: ScreenModel }) {
  const { lines, last, isComplete } = model.record.value;
  const [text, setText] = useState('');
  const [isRaw, setRaw] = useState(false);
  const found = useFoundLines(lines, text);
  const at = model.shownSeq.value;
  const line = lines.find(at);
  // Lines that are not here yet have their rows already, so that nothing moves when they come.
  const count = text.trim() === '' && !isComplete ? Math.max(found.count, last) : found.count;
  return (
    <div class="record" style={{ '--seq-width': `${String(last).length}ch` }}>
      <div class="panel-tools">
        <SearchField label="Filter the events" placeholder="Filter" value={text} onChange={setText} />
        <label class="check">
          <input type="checkbox" checked={isRaw} onChange={({ currentTarget }) => setRaw(currentTarget.checked)} /> JSON
        </label>
      </div>
      <VirtualList
        class="record-table"
        label="Events"
        count={count}
        total={isComplete && found.isComplete ? found.count : -1}
        rowHeight={ROW_HEIGHT}
        keyOf={found.indexAt}
        row={(index) => {
          const shown = lines.at(found.indexAt(index));
          return shown === null ? (
            <div role="cell" class="event">
              <span class="faint">…</span>
            </div>
          ) : (
            <EventCells line={shown} lines={lines} at={at} onChoose={model.select} />
          );
        }}
        reveal={Math.min(found.rowOf(lines.indexOf(at)), count - 1)}
      />
      {!isRaw && <ShownEvent line={line} lines={lines} />}
      {isRaw && line !== null && (
        <pre class="raw scroll" tabIndex={0} role="region" aria-label="The event as JSON">
          {rawText(line)}
        </pre>
      )}
    </div>
  );
}

/** The sentence of an event in full, and its time. Its place has one height, so that nothing jumps. */
function ShownEvent({ line, lines }: { readonly line: RecordLine | null; readonly lines: RecordLines }) {
  if (line === null) return <div class="shown-event" />;
  return (
    <div class="shown-event scroll" tabIndex={0} role="region" aria-label="The event in full">
      <p class="faint">
        Event {line.seq}, {kindWords(line.type)}
        {'ts' in line && (
          <>
            , <Time at={line.ts} />
          </>
        )}
      </p>
      <p class="mono" dir="ltr" title={visibleLine(exactEventWords(line).slice(0, LONGEST_SENTENCE))}>
        {escapeControls(cut(wordsInRecord(line, lines), LONGEST_SHOWN))}
      </p>
    </div>
  );
}

const LONGEST_SHOWN = 4000;

function rawText(line: RecordLine): string {
  const { crc: _, chain: __, ...event } = line as RecordLine & { readonly crc?: string; readonly chain?: string };
  const whole = JSON.stringify(event, null, 2);
  return whole.length > LONGEST_JSON ? `${whole.slice(0, LONGEST_JSON)}…` : whole;
}

interface EventCellsProps {
  readonly line: RecordLine;
  readonly lines: RecordLines;
  readonly at: number;
  readonly onChoose: (seq: number) => void;
}

const LONGEST_SENTENCE = 400;

/** Scrolling draws the list often; a row that has not changed is not drawn again. */
function EventCells({ line, lines, at, onChoose }: EventCellsProps) {
  const isShown = line.seq === at;
  const isLater = line.seq > at;
  return useMemo(
    () => eventCells(line, { lines, isShown, isLater, onChoose }),
    [line, isShown, isLater, onChoose, shownFolders.value],
  );
}

interface EventState {
  readonly lines: RecordLines;
  readonly isShown: boolean;
  readonly isLater: boolean;
  readonly onChoose: (seq: number) => void;
}

function eventCells(line: RecordLine, { lines, isShown, isLater, onChoose }: EventState) {
  const shown = visibleLine(wordsInRecord(line, lines, true).slice(0, LONGEST_SENTENCE));
  return (
    <div role="cell" class={`event ${line.type} ${isShown ? 'shown' : ''} ${isLater ? 'later' : ''}`}>
      <button
        type="button"
        aria-current={isShown ? 'true' : undefined}
        onClick={() => onChoose(line.seq)}
        title={shown}
      >
        <span class="seq">{line.seq}</span>
        <span class="type">{kindWords(line.type)}</span>
        <span class="gist" dir="ltr">
          {shown}
        </span>
      </button>
    </div>
  );
}

/** The lines of a record that have certain words, wherever they are in the event. A long record is searched in parts. */
interface FoundLines {
  readonly count: number;
  /** Whether everything that is on record was searched. */
  readonly isComplete: boolean;
  /** The index in the record of a found line. */
  indexAt(row: number): number;
  /** The row of the first found line at this index or after it. */
  rowOf(index: number): number;
}

/** A search that continues when there are more lines. */
export class Search {
  readonly found: number[] = [];
  searched = 0;
  private readonly words: readonly string[];

  constructor(text: string) {
    this.words = text.toLowerCase().split(/\s+/).filter(Boolean);
  }

  get isForAll(): boolean {
    return this.words.length === 0;
  }

  /** Searches some more lines; false: there are none. */
  continue(lines: RecordLines): boolean {
    if (this.isForAll || this.searched >= lines.length) return false;
    const { next, found } = lines.search(this.words, this.searched);
    for (const index of found) this.found.push(index);
    this.searched = next;
    return true;
  }

  result(lines: RecordLines): FoundLines {
    const { found } = this;
    if (this.isForAll) return { count: lines.length, isComplete: true, indexAt: (row) => row, rowOf: (index) => index };
    return {
      count: found.length,
      isComplete: this.searched >= lines.length,
      indexAt: (row) => found[row] as number,
      rowOf: (index) => firstIndex(found.length, (row) => (found[row] as number) >= index),
    };
  }
}

function useFoundLines(lines: RecordLines, text: string): FoundLines {
  const search = useMemo(() => new Search(text), [lines, text]);
  const [, render] = useReducer((times: number) => times + 1, 0);
  useEffect(() => {
    let isStopped = false;
    const read = async (): Promise<void> => {
      const pace = new Pace();
      while (search.continue(lines)) {
        if (!pace.isDue) continue;
        render(undefined);
        await pace.pause();
        if (isStopped) return;
      }
      render(undefined);
    };
    if (!search.isForAll && search.searched < lines.length) void read();
    return () => {
      isStopped = true;
    };
  }, [search, lines.length]);
  return search.result(lines);
}
