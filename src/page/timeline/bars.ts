/**
 * The bars of a timeline as columns: one number of each kind for each bar. A million bars are a few large arrays instead
 * of a million objects, so adding one costs almost nothing and reading them in a picture leaves nothing to collect.
 */

/** What a bar represents. `sample`: a clock, a random number, an id, a schema. `pause`: the time before a retry. */
const BAR_KINDS = [
  'state',
  'command',
  'function',
  'agent',
  'gate',
  'call',
  'question',
  'signal',
  'timer',
  'approval',
  'pause',
  'sample',
] as const;
export type BarKind = (typeof BAR_KINDS)[number];

/** How it ended. `put-off`: the agent was unavailable. `interrupted`: the process ended, and the work was started again. */
const BAR_STATUSES = ['open', 'succeeded', 'failed', 'stopped', 'put-off', 'interrupted'] as const;
export type BarStatus = (typeof BAR_STATUSES)[number];

/** A bar as an object, for one that is shown in detail. Times are milliseconds since the epoch. */
export interface Bar {
  readonly bar: number;
  readonly kind: BarKind;
  readonly status: BarStatus;
  /** What it executes as the program has it; for a state, its name. */
  readonly text: string;
  readonly state: string;
  /** The line of the program; 0 for a state. */
  readonly line: number;
  readonly attempt: number;
  /** The number of its lane; -1 is the lane of states. */
  readonly lane: number;
  readonly beganMs: number;
  /** Null while it is open. */
  readonly endedMs: number | null;
  /** The event that began it, and the event that ended it. */
  readonly seq: number;
  readonly endSeq: number | null;
  /** The run was resumed at an earlier point, so that this no longer counts. */
  readonly undone: boolean;
}

export interface NewBar {
  readonly kind: BarKind;
  readonly lane: number;
  readonly beganMs: number;
  readonly seq: number;
  readonly text: number;
  readonly state: number;
  readonly line: number;
  readonly attempt: number;
}

export const STATE_LANE = -1;

const KIND_NUMBERS = Object.fromEntries(BAR_KINDS.map((kind, at) => [kind, at])) as Readonly<Record<BarKind, number>>;
const STATUS_NUMBERS = Object.fromEntries(BAR_STATUSES.map((status, at) => [status, at])) as Readonly<
  Record<BarStatus, number>
>;
const COLUMNS = 13;
const LEAST_CAPACITY = 256;

/** The columns grow at different lengths: copying all large arrays at once would take as long as several frames of a screen. */
const firstCapacity = (column: number): number => Math.round(LEAST_CAPACITY * 2 ** (column / COLUMNS));

export class Bars {
  length = 0;
  /** How many bars there is room for in every column. */
  private room = LEAST_CAPACITY;
  beganMs = new Float64Array(firstCapacity(0));
  /** Infinity while it is open. */
  endedMs = new Float64Array(firstCapacity(1));
  seq = new Uint32Array(firstCapacity(2));
  /** 0 while it is open. */
  endSeq = new Uint32Array(firstCapacity(3));
  lane = new Int32Array(firstCapacity(4));
  line = new Uint32Array(firstCapacity(5));
  /** Numbers of interned names. */
  text = new Uint32Array(firstCapacity(6));
  state = new Uint32Array(firstCapacity(7));
  attempt = new Uint32Array(firstCapacity(8));
  undone = new Uint8Array(firstCapacity(9));
  /** The bar of the same line before it, or -1. */
  private previousOnLine = new Int32Array(firstCapacity(10));
  private kinds = new Uint8Array(firstCapacity(11));
  private statuses = new Uint8Array(firstCapacity(12));
  private readonly lastOnLine = new Map<number, number>();

  add(one: NewBar): number {
    const bar = this.length;
    if (bar === this.room) this.grow();
    this.length++;
    this.beganMs[bar] = one.beganMs;
    this.endedMs[bar] = Number.POSITIVE_INFINITY;
    this.seq[bar] = one.seq;
    this.lane[bar] = one.lane;
    this.line[bar] = one.line;
    this.text[bar] = one.text;
    this.state[bar] = one.state;
    this.attempt[bar] = one.attempt;
    this.kinds[bar] = KIND_NUMBERS[one.kind];
    this.previousOnLine[bar] = this.lastOnLine.get(one.line) ?? -1;
    this.lastOnLine.set(one.line, bar);
    return bar;
  }

  kindOf(bar: number): BarKind {
    return BAR_KINDS[this.kinds[bar] as number] as BarKind;
  }

  setKind(bar: number, kind: BarKind): void {
    this.kinds[bar] = KIND_NUMBERS[kind];
  }

  statusOf(bar: number): BarStatus {
    return BAR_STATUSES[this.statuses[bar] as number] as BarStatus;
  }

  setStatus(bar: number, status: BarStatus): void {
    this.statuses[bar] = STATUS_NUMBERS[status];
  }

  /** Bars of a line of the program, the last one first. Lines of other files with the same number are among them. */
  *ofLine(line: number): Generator<number> {
    for (let bar = this.lastOnLine.get(line) ?? -1; bar >= 0; bar = this.previousOnLine[bar] as number) yield bar;
  }

  private grow(): void {
    const { room } = this;
    if (this.beganMs.length === room) this.beganMs = withDoubleRoom(this.beganMs, Float64Array);
    if (this.endedMs.length === room) this.endedMs = withDoubleRoom(this.endedMs, Float64Array);
    if (this.seq.length === room) this.seq = withDoubleRoom(this.seq, Uint32Array);
    if (this.endSeq.length === room) this.endSeq = withDoubleRoom(this.endSeq, Uint32Array);
    if (this.lane.length === room) this.lane = withDoubleRoom(this.lane, Int32Array);
    if (this.line.length === room) this.line = withDoubleRoom(this.line, Uint32Array);
    if (this.text.length === room) this.text = withDoubleRoom(this.text, Uint32Array);
    if (this.state.length === room) this.state = withDoubleRoom(this.state, Uint32Array);
    if (this.attempt.length === room) this.attempt = withDoubleRoom(this.attempt, Uint32Array);
    if (this.undone.length === room) this.undone = withDoubleRoom(this.undone, Uint8Array);
    if (this.previousOnLine.length === room) this.previousOnLine = withDoubleRoom(this.previousOnLine, Int32Array);
    if (this.kinds.length === room) this.kinds = withDoubleRoom(this.kinds, Uint8Array);
    if (this.statuses.length === room) this.statuses = withDoubleRoom(this.statuses, Uint8Array);
    this.room = Math.min(
      ...[this.beganMs, this.endedMs, this.seq, this.endSeq, this.lane, this.line, this.text].map(lengthOf),
      ...[this.state, this.attempt, this.undone, this.previousOnLine, this.kinds, this.statuses].map(lengthOf),
    );
  }
}

const lengthOf = ({ length }: ArrayLike<number>): number => length;

/** A copy of an array with room for twice as much. */
export function withDoubleRoom<T extends ArrayLike<number> & { set(from: T): void }>(
  array: T,
  Kind: new (length: number) => T,
): T {
  const larger = new Kind(array.length * 2);
  larger.set(array);
  return larger;
}

/** The first index below `length` for which `isAfter` holds, if it holds for all that follow; else `length`. */
export function firstIndex(length: number, isAfter: (index: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isAfter(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
