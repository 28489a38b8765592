/** The lines that a turn writes, and the time that they have: the latest that the turn knows from its entries. */
import type { Outcome, RunEvent } from '../interpreter/events/event.js';
import type { Redactor } from '../runtime/redact.js';
import { Recorder } from '../runtime/run/recorder.js';
import { LineBuffer } from '../runtime/store/journal-line.js';
import { LargeValues } from '../runtime/store/large-values.js';
import type { Progress, StoredArtifact, TurnStart } from './messages.js';
import { TurnArtifacts } from './turn-artifacts.js';

export class TurnRecord {
  /** How many bytes of lines and outcomes this turn has. */
  bytes = 0;
  private readonly recorder: Recorder;
  private readonly artifacts = new TurnArtifacts();
  private readonly buffer = new LineBuffer();
  private lines: string[] = [];
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

  add(events: readonly RunEvent[]): void {
    if (events.length === 0) return;
    const time = new Date(this.latest).toISOString();
    const { recorded, firstSeq } = this.recorder.record(events);
    for (const [at, event] of recorded.entries()) {
      this.buffer.add(event, firstSeq + at, time);
      const line = this.buffer.take();
      this.bytes += line.length;
      this.journal += line.length;
      this.lines.push(line.toString('utf8').slice(0, -1));
    }
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
    const taken = { from: this.from, lines: this.lines };
    this.from += this.lines.length;
    this.lines = [];
    return taken;
  }
}
