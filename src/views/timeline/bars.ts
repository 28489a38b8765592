/**
 * The bars of a timeline as columns: one number of each kind for each bar. A million bars are a few large arrays instead
 * of a million objects, so adding one costs almost nothing and reading them in a picture leaves nothing to collect.
 */

/** What a bar represents. `sample`: a clock, a random number, an id, a schema. `pause`: the time before a retry. */
export const BAR_KINDS = [
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
export const BAR_STATUSES = ['open', 'succeeded', 'failed', 'stopped', 'put-off', 'interrupted'] as const;
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
const FIRST_CAPACITY = 256;

export class Bars {
  length = 0;
  beganMs = new Float64Array(FIRST_CAPACITY);
  /** Infinity while it is open. */
  endedMs = new Float64Array(FIRST_CAPACITY);
  seq = new Uint32Array(FIRST_CAPACITY);
  /** 0 while it is open. */
  endSeq = new Uint32Array(FIRST_CAPACITY);
  lane = new Int32Array(FIRST_CAPACITY);
  line = new Uint32Array(FIRST_CAPACITY);
  /** Numbers of interned names. */
  text = new Uint32Array(FIRST_CAPACITY);
  state = new Uint32Array(FIRST_CAPACITY);
  attempt = new Uint32Array(FIRST_CAPACITY);
  undone = new Uint8Array(FIRST_CAPACITY);
  /** The bar of the same line before it, or -1. */
  private previousOnLine = new Int32Array(FIRST_CAPACITY);
  private kinds = new Uint8Array(FIRST_CAPACITY);
  private statuses = new Uint8Array(FIRST_CAPACITY);
  private readonly lastOnLine = new Map<number, number>();

  add(one: NewBar): number {
    const bar = this.length;
    if (bar === this.beganMs.length) this.grow();
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
    this.beganMs = withDoubleRoom(this.beganMs, Float64Array);
    this.endedMs = withDoubleRoom(this.endedMs, Float64Array);
    this.seq = withDoubleRoom(this.seq, Uint32Array);
    this.endSeq = withDoubleRoom(this.endSeq, Uint32Array);
    this.lane = withDoubleRoom(this.lane, Int32Array);
    this.line = withDoubleRoom(this.line, Uint32Array);
    this.text = withDoubleRoom(this.text, Uint32Array);
    this.state = withDoubleRoom(this.state, Uint32Array);
    this.attempt = withDoubleRoom(this.attempt, Uint32Array);
    this.undone = withDoubleRoom(this.undone, Uint8Array);
    this.previousOnLine = withDoubleRoom(this.previousOnLine, Int32Array);
    this.kinds = withDoubleRoom(this.kinds, Uint8Array);
    this.statuses = withDoubleRoom(this.statuses, Uint8Array);
  }
}

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
