/**
 * The events of a run of a folder, as its journal has them, while any process executes the run. The file is read in pieces
 * and never as a whole, and what is before the first wanted event is not read.
 */
import { Buffer } from 'node:buffer';
import { closeSync, fstatSync } from 'node:fs';
import { join } from 'node:path';
import { statusAfter } from '../../interpreter/events/status-after.js';
import { hasLostEnd } from '../../runtime/store/covered-journal.js';
import { positionAfter } from '../../runtime/store/find-event.js';
import { JournalLines, type LineListener, lastEvents } from '../../runtime/store/journal-lines.js';
import { entryAt, openToRead } from '../../runtime/store/own-file.js';
import { lockHolder } from '../../runtime/store/run-lock.js';
import { StoreError } from '../../runtime/store/store-error.js';
import type { DamagedEvents, EventLine, EventStream, Follow, RecordedEvent, StreamEnd } from '../runs.js';
import { watchRun } from './file-changes.js';

/** How many bytes of the journal are passed on at once. */
const BATCH_BYTES = 1024 * 1024;
/** How many bytes of a journal hold its last event: almost always, and always. */
const END_BYTES = [16 * 1024, 1024 * 1024];

interface StreamSpec {
  /** The folder of the run. */
  readonly folder: string;
  /** The number of the event after which the stream starts. */
  readonly after: number;
  /** `while-executed`: as long as a process executes the run. */
  readonly follow: Follow | 'while-executed';
  readonly signal: AbortSignal | undefined;
}

/** The stream reads nothing before it is iterated. */
export function eventStream(spec: StreamSpec): EventStream {
  let end: StreamEnd | null = null;
  let isTaken = false;
  const pass = <T extends Sized>(Kind: new (path: string, after: number) => Gatherer<T>): AsyncIterable<T> => {
    if (isTaken) throw new TypeError('a stream of events can be iterated once');
    isTaken = true;
    return passOn(spec, Kind, (reason) => {
      end = reason;
    });
  };
  const lines = (): AsyncIterable<readonly EventLine[]> => pass(GatheredLines);
  return {
    get end() {
      return end;
    },
    lines,
    ndjson: () => pass(GatheredBytes),
    [Symbol.asyncIterator]: () => parseLines(lines()),
  };
}

async function* parseLines(
  batches: AsyncIterable<readonly EventLine[]>,
): AsyncGenerator<RecordedEvent | DamagedEvents> {
  for await (const batch of batches)
    for (const { text } of batch) yield JSON.parse(text) as RecordedEvent | DamagedEvents;
}

async function* passOn<T extends Sized>(
  spec: StreamSpec,
  Kind: new (path: string, after: number) => Gatherer<T>,
  onEnd: (end: StreamEnd) => void,
): AsyncGenerator<T> {
  const { folder, follow, signal } = spec;
  const path = join(folder, 'journal.ndjson');
  // Before the first look at the file, so that no change is missed.
  const changes = follow === 'no' ? null : watchRun(folder, signal);
  let fd: number | null = null;
  try {
    fd = openToRead(path);
    const journal = new JournalLines(fd, path, positionAfter(fd, path, spec.after));
    const gathered = new Kind(path, spec.after);
    let isWhole = false;
    for (;;) {
      if (signal?.aborted === true) return onEnd({ reason: 'aborted' });
      // Before reading: what was recorded until the run was released is read after it.
      const isReleased = follow !== 'forever' && follow !== 'no' && lockHolder(folder).owner === null;
      const isMore = journal.read(BATCH_BYTES, gathered);
      if (!isMore && !isWhole) {
        isWhole = true;
        const { seq, offset } = journal.end;
        if (hasLostEnd(folder, fd, seq)) gathered.damage(seq + 1, offset);
      }
      const batch = gathered.take(isMore);
      if (batch.length > 0) yield batch;
      if (isMore) continue;
      if (changes === null) return onEnd({ reason: 'caught-up' });
      if (isGone(path, fd)) return onEnd({ reason: 'removed' });
      if (isReleased && (follow === 'while-executed' || hasEnded(path, follow === 'until-final')))
        return onEnd({ reason: 'over' });
      await changes.next();
    }
  } catch (cause) {
    if (isGone(path, fd)) return onEnd({ reason: 'removed' });
    if (!(cause instanceof StoreError)) throw cause;
    onEnd({ reason: 'failed', message: cause.message });
  } finally {
    changes?.close();
    if (fd !== null) closeSync(fd);
  }
}

/** Whether the last recorded event says that the run has returned or failed. `isForGood`: so that it cannot be resumed. */
function hasEnded(path: string, isForGood: boolean): boolean {
  const last = END_BYTES.map((bytes) => lastEvents(path, bytes)[0]).find((event) => event !== undefined);
  if (last?.type === 'run_failed') return !isForGood || last.error.kind === 'cancelled';
  return statusAfter(last) === 'returned';
}

/** Whether the run was removed: its journal is not there, or another file is. */
function isGone(path: string, fd: number | null): boolean {
  const entry = entryAt(path);
  return entry === null || (fd !== null && entry.ino !== fstatSync(fd).ino);
}

interface Sized {
  readonly length: number;
}

/** Gathers what is passed on at once. */
abstract class Gatherer<T extends Sized> implements LineListener {
  /** Damage that the next line gives its number. */
  private damaged: { readonly seq: number; readonly byte: number } | null = null;

  /** `after`: damage up to this event was passed on before. */
  constructor(
    private readonly path: string,
    private readonly after: number,
  ) {}

  line(buffer: Buffer, start: number, end: number, { seq }: { readonly seq: number }): void {
    if (this.damaged !== null) this.addDamage(seq);
    this.addBytes(buffer, { seq, start, end });
  }

  damage(seq: number, byte: number): void {
    if (seq > this.after) this.damaged = { seq, byte };
  }

  /** `isMore`: the next line will come at once. */
  take(isMore: boolean): T {
    if (!isMore) this.addDamage(null);
    return this.takeAll();
  }

  protected abstract addLine(line: EventLine): void;
  protected abstract addBytes(buffer: Buffer, line: LineBytes): void;
  protected abstract takeAll(): T;

  /**
   * Damage has the number of the event that it hides. If that event follows, or may follow, it has the number before: a
   * reader who continues after the damage must not miss the event.
   */
  private addDamage(next: number | null): void {
    if (this.damaged === null) return;
    const { seq: first, byte } = this.damaged;
    this.damaged = null;
    const message = `\`${this.path}\` is damaged: event ${first}, which begins at byte ${byte}, has changed or is missing`;
    const seq = next !== null && next > first ? first : first - 1;
    const damaged: DamagedEvents = { seq, type: 'journal_damaged', byte, message };
    this.addLine({ seq, text: JSON.stringify(damaged), isDamage: true });
  }
}

interface LineBytes {
  readonly seq: number;
  readonly start: number;
  readonly end: number;
}

class GatheredLines extends Gatherer<readonly EventLine[]> {
  private lines: EventLine[] = [];

  protected addLine(line: EventLine): void {
    this.lines.push(line);
  }

  protected addBytes(buffer: Buffer, { seq, start, end }: LineBytes): void {
    this.lines.push({ seq, text: buffer.toString('utf8', start, end) });
  }

  protected takeAll(): readonly EventLine[] {
    const { lines } = this;
    this.lines = [];
    return lines;
  }
}

const NEWLINE = Buffer.from('\n');

/** Lines that follow each other in the file are passed on together, without becoming text. */
class GatheredBytes extends Gatherer<Buffer> {
  private readonly pieces: Buffer[] = [];
  private buffer: Buffer | null = null;
  private start = 0;
  private end = 0;

  /** The piece so far is in a buffer that will be used again. */
  release(): void {
    if (this.buffer !== null) this.pieces.push(Buffer.from(this.buffer.subarray(this.start, this.end)), NEWLINE);
    this.buffer = null;
  }

  protected addLine({ text }: EventLine): void {
    this.release();
    this.pieces.push(Buffer.from(`${text}\n`));
  }

  protected addBytes(buffer: Buffer, { start, end }: LineBytes): void {
    if (this.buffer !== buffer || start !== this.end + 1) {
      this.release();
      [this.buffer, this.start] = [buffer, start];
    }
    this.end = end;
  }

  protected takeAll(): Buffer {
    this.release();
    const [only, end] = this.pieces;
    const all = only !== undefined && end === undefined ? only : Buffer.concat(this.pieces);
    this.pieces.length = 0;
    return all;
  }
}
