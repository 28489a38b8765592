/** What the journal of a run has about one effect: the last request of it, and its outcome. */
import type { Buffer } from 'node:buffer';
import { closeSync } from 'node:fs';
import { join } from 'node:path';
import type { EffectKind, Outcome } from '../../interpreter/events/event.js';
import { artifactsFolder } from '../../runtime/store/artifacts.js';
import { readJournalLine } from '../../runtime/store/journal-line.js';
import { JournalLines, type LineListener } from '../../runtime/store/journal-lines.js';
import { decodeEvent, REFERS } from '../../runtime/store/large-values.js';
import { openToRead } from '../../runtime/store/own-file.js';
import { journalStart } from '../../runtime/store/read-journal.js';
import { JournalDamage } from '../../runtime/store/store-error.js';

const CHUNK_BYTES = 4 * 1024 * 1024;

/** Reads the journal only once, as it grows. */
export class EffectRecord implements LineListener {
  /** Null: it was never requested. */
  kind: EffectKind | null = null;
  /** How often it was requested: an effect that fails may be tried again. */
  requests = 0;
  /** The outcome of its last attempt; null while it has none. */
  outcome: Outcome | null = null;
  /** The first damage after its last request: without an outcome, that may be what has changed. Null: there is none. */
  damaged: JournalDamage | null = null;
  private readonly journal: JournalLines;
  private readonly fd: number;
  private readonly mark: string;
  private readonly path: string;

  /** Throws a `StoreError` if the journal cannot be read. Call `close` in the end. */
  constructor(
    private readonly folder: string,
    private readonly effect: string,
  ) {
    this.path = join(folder, 'journal.ndjson');
    this.fd = openToRead(this.path);
    this.journal = new JournalLines(this.fd, this.path, journalStart);
    this.mark = `"effect":${JSON.stringify(effect)}`;
  }

  /** Reads what was recorded since the last call. Throws a `StoreError`. */
  update(): void {
    while (this.journal.read(CHUNK_BYTES, this));
  }

  line(buffer: Buffer, start: number, end: number): void {
    const line = buffer.subarray(start, end);
    if (!line.includes(this.mark)) return;
    const text = line.toString('utf8');
    const event = readJournalLine(text)?.event;
    if (event?.type === 'effect_requested' && event.effect === this.effect) {
      this.kind = event.kind;
      this.requests++;
      this.outcome = null;
      this.damaged = null;
    } else if (event?.type === 'effect_settled' && event.effect === this.effect) {
      const decoded = text.includes(REFERS) ? decodeEvent(event, artifactsFolder(this.folder)) : event;
      this.outcome = (decoded as typeof event).outcome;
    }
  }

  damage(seq: number, byte: number): void {
    const message = `\`${this.path}\` is damaged: event ${seq}, which begins at byte ${byte}, has changed or is missing`;
    this.damaged ??= new JournalDamage(message, seq, byte);
  }

  close(): void {
    closeSync(this.fd);
  }
}
