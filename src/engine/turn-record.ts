/** The lines that a turn writes, the time that they have, and how much an engine stores of anything. */
import { Buffer, isUtf8 } from 'node:buffer';
import type { Outcome, RunEvent } from '../interpreter/events/event.js';
import { timeText } from '../runtime/clock.js';
import type { Redactor } from '../runtime/redact.js';
import { Recorder } from '../runtime/run/recording.js';
import { type Artifacts, artifactName } from '../runtime/store/artifacts.js';
import type { JournalRecord } from '../runtime/store/journal-line.js';
import { LineBuffer } from '../runtime/store/journal-line.js';
import { LargeValues } from '../runtime/store/large-values.js';
import { StoreError } from '../runtime/store/store-error.js';
import type { ArtifactContent, StoredArtifact, TurnProgress, TurnStart } from './messages.js';
import { storedLines } from './stored-lines.js';

/**
 * The artifacts that a turn knows: outputs of its effects, which workers have stored, and values that it puts away itself.
 * What it does not know, it stores again. So its lines depend on nothing but its entries.
 */
class TurnArtifacts implements Artifacts {
  private readonly sizes = new Map<string, number>();
  private readonly texts = new Map<string, string>();
  private added: StoredArtifact[] = [];
  private tooLarge: TooLarge | null = null;

  noteOutput(outcome: Outcome): void {
    if (!('stdout' in outcome)) return;
    const { artifact, bytes, text, lossy, cut } = outcome.stdout;
    if (artifact === undefined || cut) return;
    this.sizes.set(artifact, bytes);
    if (text !== undefined && !lossy) this.texts.set(artifact, text);
  }

  sizeOf(name: string): number | null {
    return this.sizes.get(name) ?? null;
  }

  get(name: string): Buffer {
    const text = this.texts.get(name);
    if (text === undefined) throw new StoreError(`the turn does not have the artifact \`${name}\``);
    return Buffer.from(text);
  }

  put(text: string): string {
    const name = artifactName(text);
    if (this.sizes.has(name)) return name;
    const bytes = Buffer.from(text);
    const tooLarge = tooMuch(bytes.length, MOST_ARTIFACT);
    if (tooLarge !== null) {
      this.tooLarge = tooLarge;
      return name;
    }
    this.sizes.set(name, bytes.length);
    this.added.push({ name, content: artifactContent(bytes) });
    return name;
  }

  /** A value that was put since the last call and is too large for an engine; null: there was none. */
  takeTooLarge(): TooLarge | null {
    const { tooLarge } = this;
    this.tooLarge = null;
    return tooLarge;
  }

  /** Those that were put since the last call. */
  takeAdded(): readonly StoredArtifact[] {
    const { added } = this;
    this.added = [];
    return added;
  }
}

export class TurnRecord {
  /** How many bytes of lines and outcomes this turn has. */
  bytes = 0;
  private readonly recorder: Recorder;
  private readonly artifacts = new TurnArtifacts();
  private readonly buffer = new LineBuffer();
  /** Where each line ends that was not taken yet. */
  private ends: number[] = [];
  private from: number;
  private journal: number;
  private latest: number;
  private time: string;

  constructor(
    { seq, written }: Pick<TurnStart, 'seq' | 'written'>,
    begun: number,
    redactor: Redactor | null,
    /** Gets every event as it is on record. */
    private readonly onRecorded: ((record: JournalRecord) => void) | null = null,
  ) {
    this.recorder = new Recorder(seq, redactor, new LargeValues(this.artifacts));
    this.from = seq + 1;
    this.journal = written.journal;
    this.latest = begun;
    this.time = timeText(begun);
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
    return this.ends.length > 0;
  }

  /** Whether the lines should be sent before there are more. */
  get isHeavy(): boolean {
    return this.buffer.length > MOST_KEPT_LINES;
  }

  /**
   * Null, or what is too large for an engine: then neither that event nor a later one is on record, and the run
   * must be ended.
   */
  add(events: readonly RunEvent[]): TooLarge | null {
    for (const one of events) {
      const recorded = this.recorder.recordOne(one);
      const before = this.buffer.length;
      this.buffer.add(recorded, this.recorder.seq, this.time);
      const length = this.buffer.length - before;
      const tooLarge = this.artifacts.takeTooLarge() ?? tooMuch(length, MOST_LINE);
      if (tooLarge !== null) {
        this.buffer.cutTo(before);
        this.recorder.seq--;
        return tooLarge;
      }
      this.bytes += length;
      this.journal += length;
      this.ends.push(this.buffer.length);
      this.onRecorded?.({ seq: this.recorder.seq, time: this.time, event: recorded });
    }
    return null;
  }

  passTime(at: number): void {
    if (at <= this.latest) return;
    this.latest = at;
    this.time = timeText(at);
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
  take(): Pick<TurnProgress, 'from' | 'lines'> {
    const { from, ends, bytes } = this.takeLines();
    return { from, lines: storedLines(bytes, ends.length, from) };
  }

  /** The same, in parts of which each fits into a message. */
  takeParts(): readonly Pick<TurnProgress, 'from' | 'lines'>[] {
    const { from, ends, bytes } = this.takeLines();
    const parts: Pick<TurnProgress, 'from' | 'lines'>[] = [];
    let [first, begin] = [0, 0];
    for (const [at, end] of ends.entries()) {
      const next = ends[at + 1];
      if (next !== undefined && next - begin <= MOST_KEPT_LINES) continue;
      const number = from + first;
      parts.push({ from: number, lines: storedLines(bytes.subarray(begin, end), at + 1 - first, number) });
      [first, begin] = [at + 1, end];
    }
    return parts;
  }

  private takeLines() {
    const taken = { from: this.from, ends: this.ends, bytes: this.buffer.take() };
    this.from += this.ends.length;
    this.ends = [];
    return taken;
  }
}

/** The content of artifacts as JSON, which is how an engine stores it. */
export function artifactContent(bytes: Buffer): ArtifactContent {
  const text = isUtf8(bytes) ? { text: bytes.toString('utf8') } : null;
  // A control character takes six characters of JSON.
  if (text !== null && bytesOf(text) <= bytes.length * 1.5) return text;
  return { base64: bytes.toString('base64') };
}

export function bytesOfArtifact(content: ArtifactContent): Buffer {
  return 'text' in content ? Buffer.from(content.text) : Buffer.from(content.base64, 'base64');
}

const MIB = 1024 * 1024;
/** What a run is continued from, and what it returns. */
export const MOST_IMAGE = 16 * MIB;
/** An output, or a value that its lines refer to. */
export const MOST_ARTIFACT = 16 * MIB;
/** A value that is bound, given or sent. */
export const MOST_VALUE = 4 * MIB;
/** One line of the journal. */
const MOST_LINE = 6 * MIB;
/** Lines that a turn keeps for later. */
export const MOST_KEPT_LINES = 2 * MIB;
/** What was sent to a run and not received yet. */
export const MOST_MAIL = 4 * MIB;
/** A submission, and an effect for another worker. */
export const MOST_MESSAGE = 16 * MIB;

/** The report of a run that waits, which has an image, and of one that has ended. */
export const MOST_WAITING_REPORT = 6 * MIB;
export const MOST_REPORT = 20 * MIB;

/** What an engine cannot keep. */
export interface TooLarge {
  readonly limit: number;
  readonly used: number;
}

/** The size of a value as JSON. */
export function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value) ?? '');
}

/** Null: it is within the limit. */
export function tooMuch(used: number, limit: number): TooLarge | null {
  return used > limit ? { used, limit } : null;
}
