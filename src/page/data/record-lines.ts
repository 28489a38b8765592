/**
 * The lines of a record, held as text in blocks: a million of them are about as large as their file. A line becomes an object
 * when it is needed, together with its neighbors, and the objects of the last blocks stay.
 */
import type { Recorded } from '../../runtime/record/record-facts.js';
import { firstIndex } from '../timeline/bars.js';
import type { RecordedRunEvent, RecordLine } from './page-data.js';

const BLOCK = 1024;
/** So many blocks stay as objects. */
const MOST_PARSED = 12;

type EventType = RecordedRunEvent['type'];
type LineEventOf<T extends EventType> = Extract<RecordedRunEvent, { type: T }>;

/** Whether a line is an event, and not a place where the record is damaged. */
export function isEvent(line: RecordLine): line is RecordedRunEvent {
  return line.type !== 'journal_damaged';
}

/** The time that was copied last: many events of a run that computes have the same. */
let lastTime = '';

/**
 * The time of a line as a text of its own. The browser keeps it as a part of the text from which it was read, which is a large piece of
 * the record, and models keep times.
 */
function ownTime({ ts }: RecordedRunEvent): string {
  if (ts !== lastTime) lastTime = `\n${ts}`.trimStart();
  return lastTime;
}

/** The event of a line with its number and time; null: the line is not an event. */
export function recordOf(line: RecordLine): Recorded | null {
  return isEvent(line) ? { seq: line.seq, time: ownTime(line), event: line } : null;
}

export class RecordLines {
  length = 0;
  private seqs = new Uint32Array(BLOCK);
  private readonly blocks: string[] = [];
  /** The texts of the lines after the last block, and those of these lines that were needed. */
  private tailTexts: string[] = [];
  private tail: (RecordLine | undefined)[] = [];
  /** Blocks as objects, the one used last at the end. */
  private readonly parsed = new Map<number, readonly RecordLine[]>();
  /** Lines that are shown before all lines before them are here, by their numbers. */
  private ahead: ReadonlyMap<number, RecordLine> = new Map();

  /** `text`: the line as it was read, if it was; then only the number of `line` counts. */
  add(line: RecordLine, text?: string): void {
    if (this.length === this.seqs.length) {
      const grown = new Uint32Array(2 * this.length);
      grown.set(this.seqs);
      this.seqs = grown;
    }
    this.seqs[this.length++] = line.seq;
    if (text === undefined) this.tail[this.tailTexts.length] = line;
    this.tailTexts.push(text ?? JSON.stringify(line));
    if (this.tailTexts.length < BLOCK) return;
    this.blocks.push(this.tailTexts.join('\n'));
    [this.tail, this.tailTexts] = [[], []];
  }

  /** Lines from anywhere in the record, which are found although they were not added yet. They replace those before. */
  readAhead(lines: readonly RecordLine[]): void {
    this.ahead = new Map(lines.map((line) => [line.seq, line]));
  }

  /** The line at an index. The index of a line that was read ahead is the one that it has in a record without gaps. */
  at(index: number): RecordLine | null {
    if (index < 0) return null;
    if (index >= this.length) return this.ahead.get(index + 1) ?? null;
    const block = Math.floor(index / BLOCK);
    return (block === this.blocks.length ? this.inTail(index % BLOCK) : this.block(block)[index % BLOCK]) ?? null;
  }

  /** The number of a line; 0 if there is none. */
  seqAt(index: number): number {
    return index < 0 || index >= this.length ? 0 : (this.seqs[index] as number);
  }

  /** The number of the last line; 0 before the first one. */
  get last(): number {
    return this.seqAt(this.length - 1);
  }

  /** The index of the first line with at least this number. */
  indexOf(seq: number): number {
    if (seq > this.last && this.ahead.size > 0) return Math.max(this.length, seq - 1);
    return firstIndex(this.length, (index) => this.seqAt(index) >= seq);
  }

  /** The line with a number; null if it is not there (yet). */
  find(seq: number): RecordLine | null {
    if (seq > this.last) return this.ahead.get(seq) ?? null;
    const index = this.indexOf(seq);
    return this.seqAt(index) === seq ? this.at(index) : null;
  }

  /** The events of a type from an index down to the first one. Blocks without such an event are only searched. */
  *before<T extends EventType>(type: T, index: number): Generator<LineEventOf<T>> {
    for (let at = Math.min(index, this.length - 1); at >= 0; at--) {
      const line = this.mayHave(type, Math.floor(at / BLOCK)) ? this.at(at) : null;
      if (line === null) at -= at % BLOCK;
      else if (line.type === type) yield line as LineEventOf<T>;
    }
  }

  /** The events of a type from an index up to the last one. */
  *after<T extends EventType>(type: T, index: number): Generator<LineEventOf<T>> {
    for (let at = Math.max(index, 0); at < this.length; at++) {
      const line = this.mayHave(type, Math.floor(at / BLOCK)) ? this.at(at) : null;
      if (line === null) at += BLOCK - 1 - (at % BLOCK);
      else if (line.type === type) yield line as LineEventOf<T>;
    }
  }

  /**
   * The index after the last line of the block that contains the index, and the indexes of those of its lines from there on
   * that have all words. Words are in lower case.
   */
  search(words: readonly string[], from: number): { readonly next: number; readonly found: readonly number[] } {
    const block = Math.floor(from / BLOCK);
    const texts = this.blocks[block];
    const next = Math.min((block + 1) * BLOCK, this.length);
    const all = (texts ?? this.tailTexts.join('\n')).toLowerCase();
    if (!words.every((word) => all.includes(word))) return { next, found: [] };
    const found = all.split('\n').flatMap((text, at) => {
      const index = block * BLOCK + at;
      return index >= from && words.every((word) => text.includes(word)) ? [index] : [];
    });
    return { next, found };
  }

  private inTail(at: number): RecordLine | undefined {
    const text = this.tailTexts[at];
    if (text === undefined) return undefined;
    this.tail[at] ??= JSON.parse(text) as RecordLine;
    return this.tail[at];
  }

  private mayHave(type: EventType, block: number): boolean {
    return block === this.blocks.length || (this.blocks[block] as string).includes(`"type":"${type}"`);
  }

  private block(block: number): readonly RecordLine[] {
    const known = this.parsed.get(block);
    if (known !== undefined) {
      this.parsed.delete(block);
      this.parsed.set(block, known);
      return known;
    }
    const lines = (this.blocks[block] as string).split('\n').map((text) => JSON.parse(text) as RecordLine);
    this.keep(block, lines);
    return lines;
  }

  private keep(block: number, lines: readonly RecordLine[]): void {
    this.parsed.set(block, lines);
    if (this.parsed.size <= MOST_PARSED) return;
    for (const oldest of this.parsed.keys()) {
      this.parsed.delete(oldest);
      return;
    }
  }
}
