/** What each event of a run points at, found by its number: its time, its state, its line and its bar. */
import { firstIndex, withDoubleRoom } from './bars.js';

/** No bar, no line. */
const NONE = -1;
/** The columns grow at different lengths, so that no event has to copy all of them. */
const FIRST_CAPACITIES = { times: 1024, bars: 1218, visits: 1448, lines: 1722 };

/** Events are added in the order of their numbers, which begin with 1. A number that is missing has the marks before it. */
export class EventMarks {
  /** The number of the last event. */
  last = 0;
  private times = new Float64Array(FIRST_CAPACITIES.times);
  private bars = new Int32Array(FIRST_CAPACITIES.bars);
  private visits = new Int32Array(FIRST_CAPACITIES.visits);
  private lines = new Uint32Array(FIRST_CAPACITIES.lines);

  /** `visit`: the bar of the state that the run is in. `line`: 0 if the event has none. */
  add(seq: number, mark: { readonly timeMs: number; readonly visit: number; readonly line: number }): void {
    if (seq <= this.last) return;
    this.makeRoom(seq + 1);
    const { timeMs, visit, line } = mark;
    this.times.fill(this.times[this.last] as number, this.last + 1, seq);
    this.bars.fill(NONE, this.last + 1, seq + 1);
    this.visits.fill(this.visits[this.last] as number, this.last + 1, seq);
    this.times[seq] = timeMs;
    this.visits[seq] = visit;
    this.lines[seq] = line;
    if (this.last === 0) this.times[0] = timeMs;
    this.last = seq;
  }

  setBar(seq: number, bar: number): void {
    this.bars[seq] = bar;
  }

  /** Milliseconds since the epoch. */
  timeOf(seq: number): number {
    return this.times[this.within(seq)] as number;
  }

  /** The bar that the event began or ended; -1 if none. */
  barOf(seq: number): number {
    return seq >= 1 && seq <= this.last ? (this.bars[seq] as number) : NONE;
  }

  /** The bar of the state in which the run was after the event; -1 before the first state. */
  visitOf(seq: number): number {
    return this.last === 0 ? NONE : (this.visits[this.within(seq)] as number);
  }

  /** 0 if the event has no line. */
  lineOf(seq: number): number {
    return seq >= 1 && seq <= this.last ? (this.lines[seq] as number) : 0;
  }

  /** The last event at this time or before it; 0 if it is before the first one. */
  lastAt(timeMs: number): number {
    return firstIndex(this.last, (index) => (this.times[index + 1] as number) > timeMs);
  }

  private within(seq: number): number {
    return Math.min(Math.max(seq, 0), this.last);
  }

  private makeRoom(length: number): void {
    while (this.times.length < length) this.times = withDoubleRoom(this.times, Float64Array);
    while (this.bars.length < length) this.bars = withDoubleRoom(this.bars, Int32Array);
    while (this.visits.length < length) this.visits = withDoubleRoom(this.visits, Int32Array);
    while (this.lines.length < length) this.lines = withDoubleRoom(this.lines, Uint32Array);
  }
}

/** Texts that occur often, each kept once and named by a number. */
export class Names {
  private readonly texts: string[] = [];
  private readonly numbers = new Map<string, number>();

  number(text: string): number {
    const known = this.numbers.get(text);
    if (known !== undefined) return known;
    const number = this.texts.push(text) - 1;
    this.numbers.set(text, number);
    return number;
  }

  get size(): number {
    return this.texts.length;
  }

  at(number: number): string {
    return this.texts[number] ?? '';
  }
}
