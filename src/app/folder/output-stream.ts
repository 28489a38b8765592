/**
 * What a command or an agent of a run printed: from the record once it has ended, and until then from the file into which
 * the executing process writes it. It is passed on in pieces, because it may be larger than memory.
 */
import { Buffer } from 'node:buffer';
import { closeSync, fstatSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { EffectKind, Outcome } from '../../interpreter/events/event.js';
import { WORK_EFFECTS } from '../../interpreter/events/status-after.js';
import { type OutputName, prefixOf } from '../../runtime/process/output.js';
import { artifactsFolder, isArtifactName } from '../../runtime/store/artifacts.js';
import { readJournalLine } from '../../runtime/store/journal-line.js';
import { JournalLines, type LineListener } from '../../runtime/store/journal-lines.js';
import { decodeEvent, REFERS } from '../../runtime/store/large-values.js';
import { entryAt, openOwn, openToRead } from '../../runtime/store/own-file.js';
import { journalStart } from '../../runtime/store/read-journal.js';
import { lockHolder } from '../../runtime/store/run-lock.js';
import { bytesOf, sizeOf, type Wanted } from '../../runtime/store/run-output.js';
import { JournalDamage, RunRefused, StoreError, storeError } from '../../runtime/store/store-error.js';
import type { OutputOptions, OutputStream, StreamEnd } from '../runs.js';
import { watchFolders } from './file-changes.js';

const CHUNK_BYTES = 64 * 1024;

interface LiveFile {
  /** What was written since the last call, in pieces. */
  next(): Generator<Uint8Array>;
  close(): void;
}

/** The file of the last attempt; null if there is none, because nothing was printed or the effect has ended. */
function openLiveFile(artifacts: string, effect: string, stream: OutputName): LiveFile | null {
  const prefix = prefixOf({ effect, stream });
  try {
    const name = readdirSync(artifacts)
      .filter((one) => one.startsWith(prefix))
      .sort()
      .at(-1);
    return name === undefined ? null : liveFile(openOwn(join(artifacts, name), 'r'));
  } catch {
    // It was removed just now, so its output is on record.
    return null;
  }
}

/** The file is read to its end even after it was renamed or removed. */
function liveFile(fd: number): LiveFile {
  let at = 0;
  return {
    *next() {
      for (;;) {
        const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
        const count = readSync(fd, chunk, 0, CHUNK_BYTES, at);
        if (count === 0) return;
        at += count;
        yield chunk.subarray(0, count);
      }
    },
    close: () => closeSync(fd),
  };
}

/** Throws a `RunRefused` or a `StoreError`. */
export function outputStream(folder: string, runId: string, effect: string, options: OutputOptions): OutputStream {
  const { stream = 'stdout', raw = false } = options;
  const wanted = { stderr: stream === 'stderr', raw };
  const record = new EffectRecord(folder, effect);
  let bytes = 0;
  try {
    record.update();
    if (record.outcome === null && record.damaged !== null) throw record.damaged;
    if (record.kind === null || !WORK_EFFECTS.has(record.kind))
      throw new RunRefused('unknown', `run \`${runId}\` has no command or agent call \`${effect}\``);
    if (record.outcome !== null) bytes = sizeOf(folder, record.outcome, wanted);
  } finally {
    record.close();
  }
  const spec = { folder, effect, stream, wanted, from: options.from ?? 0, follow: options.follow ?? true };
  return openStream(record.outcome !== null, bytes, (onEnd) => passOn(spec, options.signal, onEnd));
}

/** A stream that can be asked for its end. */
function openStream(
  complete: boolean,
  bytes: number,
  pieces: (onEnd: (end: StreamEnd) => void) => AsyncGenerator<Uint8Array>,
): OutputStream {
  let end: StreamEnd | null = null;
  return {
    complete,
    bytes,
    get end() {
      return end;
    },
    [Symbol.asyncIterator]: () =>
      pieces((reason) => {
        end = reason;
      }),
  };
}

interface OutputSpec {
  readonly folder: string;
  readonly effect: string;
  readonly stream: OutputName;
  readonly wanted: Wanted;
  readonly from: number;
  readonly follow: boolean;
}

async function* passOn(
  { folder, effect, stream, wanted, from, follow }: OutputSpec,
  signal: AbortSignal | undefined,
  onEnd: (end: StreamEnd) => void,
): AsyncGenerator<Uint8Array> {
  const artifacts = artifactsFolder(folder);
  const changes = follow ? watchFolders([folder, artifacts], signal) : null;
  let record: EffectRecord | null = null;
  let live: LiveFile | null = null;
  /** How many bytes were read of what it printed. */
  let read = 0;
  try {
    record = new EffectRecord(folder, effect);
    for (;;) {
      if (signal?.aborted === true) return onEnd({ reason: 'aborted' });
      const isHeld = lockHolder(folder).owner !== null;
      const before = record.requests;
      record.update();
      const { outcome } = record;
      if (record.requests !== before) {
        live?.close();
        live = null;
        read = 0;
      }
      if (outcome === null) live ??= openLiveFile(artifacts, effect, stream);
      if (live !== null)
        for (const piece of live.next()) {
          yield* after([piece], from - read);
          read += piece.length;
        }
      if (outcome !== null) {
        // An agent's file has all that it said, and its outcome only the answer.
        if (live === null || record.kind !== 'agent') yield* bytesOf(folder, outcome, wanted, Math.max(from, read));
        return onEnd({ reason: 'over' });
      }
      if (changes === null || !isHeld)
        return onEnd(entryAt(folder) === null ? { reason: 'removed' } : { reason: 'caught-up' });
      await changes.next();
    }
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    onEnd(entryAt(folder) === null ? { reason: 'removed' } : { reason: 'failed', message: cause.message });
  } finally {
    changes?.close();
    live?.close();
    record?.close();
  }
}

/** The pieces without the first `from` bytes. */
function* after(pieces: Iterable<Uint8Array>, from: number): Generator<Uint8Array> {
  let skip = Math.max(0, from);
  for (const piece of pieces) {
    if (skip < piece.length) yield skip === 0 ? piece : piece.subarray(skip);
    skip = Math.max(0, skip - piece.length);
  }
}

/** The content of an artifact from a byte on. Throws a `RunRefused` if the run has none of that name, or a `StoreError`. */
export function artifactStream(folder: string, runId: string, hash: string, from = 0): OutputStream {
  if (!isArtifactName(hash))
    throw new RunRefused('wrong-use', `\`${hash}\` is not the name of an artifact`, 'use 64 hexadecimal digits');
  const path = join(artifactsFolder(folder), hash);
  let fd: number;
  try {
    fd = openOwn(path, 'r');
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT')
      throw new RunRefused('unknown', `run \`${runId}\` has no artifact \`${hash}\``);
    throw storeError('read', path, cause);
  }
  const bytes = fstatSync(fd).size;
  closeSync(fd);
  return openStream(true, bytes, (onEnd) => fileContent(path, from, onEnd));
}

async function* fileContent(path: string, from: number, onEnd: (end: StreamEnd) => void): AsyncGenerator<Uint8Array> {
  const fd = openOwn(path, 'r');
  try {
    for (let at = from; ; ) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const count = readSync(fd, chunk, 0, CHUNK_BYTES, at);
      if (count === 0) return onEnd({ reason: 'over' });
      at += count;
      yield chunk.subarray(0, count);
    }
  } finally {
    closeSync(fd);
  }
}

const RECORD_BYTES = 4 * 1024 * 1024;

/** Reads the journal only once, as it grows. */
class EffectRecord implements LineListener {
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
    while (this.journal.read(RECORD_BYTES, this));
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
