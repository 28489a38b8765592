/**
 * What a reader has to know of a whole record to show a run after any of its events: the last event, damage, resumes,
 * steps, and for how long the run was executed. All lines are checked, and few are parsed. A scan that is kept reads only
 * what was recorded since.
 */
import type { Buffer } from 'node:buffer';
import { closeSync, fstatSync } from 'node:fs';
import type { RunEvent } from '../interpreter/events/event.js';
import { ActiveTime } from '../interpreter/events/status-after.js';
import { type JournalRecord, readJournalLine } from './store/journal-line.js';
import { JournalLines, type LineListener } from './store/journal-lines.js';
import { openToRead } from './store/own-file.js';
import { type JournalPosition, journalStart } from './store/read-journal.js';

const CHUNK_BYTES = 4 * 1024 * 1024;
/** The active time is remembered once for this many events. */
const EVERY_EVENTS = 512;
/** How a line continues after its number: `,"ts":"2026-01-01T00:00:00.000Z","type":"`. */
const TIME_AT = ',"ts":"'.length;
const TIME_LENGTH = 24;
const TYPE_AT = TIME_AT + TIME_LENGTH + '","type":"'.length;

/** Types of events that are parsed, by the beginnings of their names. */
const PARSED = ['run_', 'step_', 'retry_'];

interface ActiveMark {
  readonly seq: number;
  readonly ms: number;
  /** The time of the last event while a process executed the run, in milliseconds since the epoch; null: none does. */
  readonly last: number | null;
}

export class RecordScan implements LineListener {
  /** The number of the last event. */
  last = 0;
  /** The first damage; null: there is none. */
  damaged: { readonly seq: number; readonly byte: number } | null = null;
  /** Events of the run as a whole and of steps, in order. */
  readonly events: JournalRecord[] = [];
  private position: JournalPosition = journalStart;
  private ino = 0;
  private active = new ActiveTime();
  private readonly marks: ActiveMark[] = [];
  private timeText = '';
  private time = 0;

  constructor(readonly journal: string) {}

  /** Reads what was recorded since the last call. False: the journal is another file than before. Throws a `StoreError`. */
  update(): boolean {
    const fd = openToRead(this.journal);
    try {
      const { ino, size } = fstatSync(fd);
      if (this.ino === 0) this.ino = ino;
      if (ino !== this.ino || size < this.position.offset) return false;
      const lines = new JournalLines(fd, this.journal, this.position);
      while (lines.read(CHUNK_BYTES, this));
      this.position = lines.end;
      return true;
    } finally {
      closeSync(fd);
    }
  }

  line(buffer: Buffer, start: number, end: number, { seq }: JournalPosition): void {
    this.last = seq;
    const at = start + '{"seq":'.length + digitsOf(seq);
    const event = this.eventAt(buffer, at, start, end);
    const isDelivery = DELIVERIES.some((name) => beginsWith(buffer, at + TYPE_AT, name));
    this.active.take(this.timeAt(buffer, at + TIME_AT), event ?? (isDelivery ? DELIVERY : OTHER));
    if (seq % EVERY_EVENTS === 0) this.marks.push({ seq, ms: this.active.ms, last: this.active.last });
  }

  damage(seq: number, byte: number): void {
    this.damaged ??= { seq, byte };
  }

  /** The last mark of the active time at or before an event. Reading the events after it gives the time until then. */
  activeMark(seq: number): ActiveMark {
    if (seq === this.last) return { seq, ms: this.active.ms, last: this.active.last };
    const mark = this.marks[Math.floor(seq / EVERY_EVENTS) - 1];
    return mark !== undefined && mark.seq <= seq ? mark : { seq: 0, ms: 0, last: null };
  }

  private eventAt(buffer: Buffer, at: number, start: number, end: number): RunEvent | null {
    const type = at + TYPE_AT;
    if (!PARSED.some((name) => beginsWith(buffer, type, name))) return null;
    const record = readJournalLine(buffer.toString('utf8', start, end));
    if (record !== null) this.events.push(record);
    return record?.event ?? null;
  }

  /** Many events have the same time. */
  private timeAt(buffer: Buffer, at: number): number {
    const text = buffer.toString('latin1', at, at + TIME_LENGTH);
    if (text !== this.timeText) {
      this.timeText = text;
      this.time = Date.parse(text);
    }
    return this.time;
  }
}

/** Events that may be recorded while no process executes the run. */
const DELIVERIES = ['answered"', 'answer_refused"', 'signal_received"', 'key_shared"'];
/** Stands for all of those: what they deliver does not matter here. */
const DELIVERY = { type: 'signal_received', name: '', payload: null, by: '' } as const;
/** Stands for all events that do not begin or end an execution. */
const OTHER = { type: 'state_entered', state: '' } as const;

function digitsOf(count: number): number {
  let digits = 1;
  for (let rest = count; rest >= 10; rest = Math.floor(rest / 10)) digits++;
  return digits;
}

function beginsWith(buffer: Buffer, at: number, name: string): boolean {
  for (let index = 0; index < name.length; index++) if (buffer[at + index] !== name.charCodeAt(index)) return false;
  return true;
}
