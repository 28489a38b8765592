/** The lines that a turn writes, and the time that they have: the latest that the turn knows from its entries. */
import type { Outcome, RunEvent } from '../interpreter/events/event.js';
import type { Redactor } from '../runtime/redact.js';
import { Recorder } from '../runtime/run/recorder.js';
import { LineBuffer } from '../runtime/store/journal-line.js';
import { LargeValues } from '../runtime/store/large-values.js';
import type { Progress, StoredArtifact, TurnStart } from './messages.js';
import { MOST_KEPT_LINES, MOST_LINE, type TooLarge, tooMuch } from './most-stored.js';
import { storedLines } from './stored-lines.js';
import { TurnArtifacts } from './turn-artifacts.js';

export class TurnRecord {
  /** How many bytes of lines and outcomes this turn has. */
  bytes = 0;
  private readonly recorder: Recorder;
  private readonly artifacts = new TurnArtifacts();
  private readonly buffer = new LineBuffer();
  private lines: string[] = [];
  /** How many bytes of lines were not taken yet. */
  private kept = 0;
  private from: number;
  private journal: number;
  private latest: number;

  constructor({ seq, written }: Pick<TurnStart, 'seq' | 'written'>, begun: number, redactor: Redactor | null) {
    this.recorder = new Recorder(seq, redactor, new LargeValues(this.artifacts));
    this.from = seq + 1;
    this.journal = written.journal;
    this.latest = begun;
  }

  /** Milliseconds since the epoch. */
  get now(): number {
    return this.latest;
  }

  /** How many bytes the whole journal of the run has. */
  get journalBytes(): number {
    return this.journal;
  }

  get hasLines(): boolean {
    return this.lines.length > 0;
  }

  /** Whether the lines should be sent before there are more. */
  get isHeavy(): boolean {
    return this.kept > MOST_KEPT_LINES;
  }

  /**
   * Null, or what is too large for an engine: then neither that event nor a later one is on record, and the run
   * must be ended.
   */
  add(events: readonly RunEvent[]): TooLarge | null {
    if (events.length === 0) return null;
    const time = new Date(this.latest).toISOString();
    for (const one of events) {
      const { recorded, firstSeq } = this.recorder.record([one]);
      this.buffer.add(recorded[0] as RunEvent, firstSeq, time);
      const line = this.buffer.take();
      const tooLarge = this.artifacts.takeTooLarge() ?? tooMuch(line.length, MOST_LINE);
      if (tooLarge !== null) {
        this.recorder.seq = firstSeq - 1;
        return tooLarge;
      }
      this.bytes += line.length;
      this.journal += line.length;
      this.kept += line.length;
      this.lines.push(line.toString('utf8').slice(0, -1));
    }
    return null;
  }

  passTime(at: number): void {
    this.latest = Math.max(this.latest, at);
  }

  passOutcome(outcome: Outcome, at: number): void {
    this.passTime(at);
    this.bytes += JSON.stringify(outcome).length;
    this.artifacts.noteOutput(outcome);
  }

  /** Values that are too large for a line, since the last call. They are stored before the lines. */
  takeArtifacts(): readonly StoredArtifact[] {
    return this.artifacts.takeAdded();
  }

  /** The lines since the last call. */
  take(): Pick<Progress, 'from' | 'lines'> {
    const { from, lines } = this.takeLines();
    return { from, lines: storedLines(lines) };
  }

  /** The same, in parts of which each fits into a message. */
  takeParts(): readonly Pick<Progress, 'from' | 'lines'>[] {
    const { from, lines } = this.takeLines();
    const parts: { from: number; lines: string[] }[] = [];
    let length = Number.POSITIVE_INFINITY;
    for (const [at, line] of lines.entries()) {
      length += line.length;
      if (length > MOST_KEPT_LINES) {
        parts.push({ from: from + at, lines: [] });
        length = line.length;
      }
      parts.at(-1)?.lines.push(line);
    }
    return parts.map((part) => ({ from: part.from, lines: storedLines(part.lines) }));
  }

  private takeLines(): { readonly from: number; readonly lines: readonly string[] } {
    const taken = { from: this.from, lines: this.lines };
    this.from += this.lines.length;
    this.lines = [];
    this.kept = 0;
    return taken;
  }
}
