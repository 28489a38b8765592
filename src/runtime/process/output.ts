/**
 * Collects the output of a command. Memory holds at most 64 KiB of it. More output goes to a file while it is read, so
 * that a command may print a gigabyte. The exact bytes are kept for pipes and values until the run ends. Secrets are
 * replaced in everything that is recorded or shown.
 */
import { Buffer, isUtf8 } from 'node:buffer';
import { createHash, type Hash } from 'node:crypto';
import { closeSync, fdatasync, openSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Output } from '../../interpreter/events/event.js';
import type { RedactingStream, Redactor } from '../redact.js';
import { makeFolder, readOwn } from '../store/own-file.js';
import { errorCode, storeError } from '../store/store-error.js';
import { startTimer } from '../timer.js';
import { artifactPath, closeQuietly, type OutputStore } from './scratch.js';

/** Output of at most this many bytes is part of the event. */
export const INLINE_BYTES = 64 * 1024;
/** Output of at most this many bytes can become a value. */
export const VALUE_BYTES = 16 * 1024 * 1024;

/** Collects one output stream. Throws a `StoreError` if the disk is full. */
export interface OutputSink {
  write(bytes: Buffer): void;
  /** `needsText`: output of at most 16 MiB is also returned as text, because it becomes a value. */
  finish(needsText: boolean): Output | Promise<Output>;
  /** Discards the output. */
  discard(): void;
}

/** `name`: the name by which other processes can read the output while it is written. */
export function outputSink(
  store: OutputStore,
  show: ((bytes: Buffer) => void) | null,
  name: LiveName | null = null,
): OutputSink {
  const shown = show === null ? null : createShower(store.redactor, show);
  const gathered = createGatherer(store, name);
  return {
    write(chunk) {
      shown?.push(chunk);
      gathered.write(chunk);
    },
    finish(needsText) {
      shown?.end();
      const all = gathered.finish();
      if ('content' in all) return inline(all.content, needsText);
      return all.then(({ artifact, bytes, tail }) => {
        const text = needsText && bytes <= VALUE_BYTES ? textOf(readOwn(artifactPath(store, artifact))) : {};
        return { ...text, artifact, tail, bytes };
      });
    },
    discard: () => gathered.discard(),
  };
}

function inline(content: Buffer, needsText: boolean): Output {
  const bytes = content.length;
  if (isUtf8(content)) return { text: content.toString('utf8'), bytes };
  const base64 = content.toString('base64');
  return needsText ? { ...textOf(content), base64, bytes } : { base64, bytes };
}

function textOf(content: Buffer): Pick<Output, 'text' | 'lossy'> {
  const text = content.toString('utf8');
  return isUtf8(content) ? { text } : { text, lossy: true };
}

/** Passes output on to the display, with secrets replaced. */
export function createShower(redactor: Redactor | null, show: (bytes: Buffer) => void) {
  const stream = redactor?.stream() ?? null;
  const pass = (bytes: Buffer): void => {
    if (bytes.length > 0) show(bytes);
  };
  return {
    push: (bytes: Buffer): void => pass(stream === null ? bytes : stream.push(bytes)),
    end: (): void => pass(stream === null ? Buffer.alloc(0) : stream.end()),
  };
}

/** The collected standard error, with secrets replaced. */
interface ErrorOutput {
  /** All of it if it is at most 64 KiB, else its end. */
  readonly text: string;
  /** The artifact with all of it, if there is more. */
  readonly artifact?: string;
}

/** Collects standard error, the source of error messages. Throws a `StoreError` if the disk is full. */
export interface ErrorSink {
  write(bytes: Buffer): void;
  finish(): ErrorOutput | Promise<ErrorOutput>;
  discard(): void;
}

/** `name`: the name by which other processes can read it while it is written. */
export function errorSink(
  store: OutputStore,
  show: ((bytes: Buffer) => void) | null,
  name: LiveName | null = null,
): ErrorSink {
  // Secrets are replaced before anything is cut off.
  const gathered = createGatherer({ ...store, redactor: null }, name);
  const shown = createShower(store.redactor, (bytes) => {
    show?.(bytes);
    gathered.write(bytes);
  });
  return {
    write: (bytes) => shown.push(bytes),
    finish() {
      shown.end();
      const all = gathered.finish();
      if ('content' in all) return { text: all.content.toString('utf8') };
      return all.then(({ tail, artifact }) => ({ text: tail, artifact }));
    },
    discard: () => gathered.discard(),
  };
}

/** The text of an agent while it works, only for other processes to read. Its answer is recorded separately. */
export function liveSink(store: OutputStore, name: LiveName): Pick<OutputSink, 'write' | 'discard'> {
  const use = { bytes: 0, limit: store.use.limit, onExceeded: () => undefined };
  const gathered = createGatherer({ ...store, use }, name);
  return {
    write(bytes) {
      try {
        gathered.write(bytes);
      } catch {
        // If the disk is full, the journal reports that.
      }
    },
    discard: gathered.discard,
  };
}

/** More output, or more changes between the streams, than a person reads in their order. */
const ORDERED_BYTES = 1024 * 1024;
const MOST_PARTS = 1000;
const NEWLINE = 10;

/** The order in which the lines of two streams came, as `order` of an outcome has it. */
export class ArrivalOrder {
  private readonly parts = [0];
  private bytes = 0;
  private isKnown = true;

  stdout(bytes: Buffer): void {
    this.add(0, bytes);
  }

  stderr(bytes: Buffer): void {
    this.add(1, bytes);
  }

  private add(stream: 0 | 1, bytes: Buffer): void {
    this.bytes += bytes.length;
    if (!this.isKnown) return;
    if (this.bytes > ORDERED_BYTES || this.parts.length > MOST_PARTS) {
      this.isKnown = false;
      return;
    }
    let lines = 0;
    for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) lines++;
    if (lines === 0) return;
    if ((this.parts.length - 1) % 2 !== stream) this.parts.push(0);
    this.parts[this.parts.length - 1] = (this.parts[this.parts.length - 1] as number) + lines;
  }

  /** Undefined if it says nothing. */
  finish(): readonly number[] | undefined {
    return this.isKnown && this.parts.length > 2 ? this.parts : undefined;
  }
}

/** A command that ends earlier needs no file for other readers: creating it takes as long as starting the command. */
const LIVE_AFTER_MS = 100;

/** Keeps few bytes in memory, and more in a file. With a name, a longer command has a file even for few bytes. */
function createGatherer(store: OutputStore, name: LiveName | null) {
  let head: Buffer[] = [];
  let bytes = 0;
  let spool: Spool | null = null;
  let cancelTimer: (() => void) | null = store.artifacts === null || name === null ? () => undefined : null;
  const openLive = (): void => {
    try {
      spool = openSpool(store, name);
      for (const earlier of head) spool.write(earlier);
    } catch {
      // The file was only for other readers. If the disk is full, the journal reports that.
      spool = null;
    }
  };
  const writeLive = (chunk: Buffer): void => {
    try {
      spool?.write(chunk);
    } catch {
      spool = null;
    }
  };
  return {
    write(chunk: Buffer): void {
      const { use } = store;
      const isWithin = use.bytes <= use.limit;
      use.bytes += chunk.length;
      if (use.bytes > use.limit) {
        if (isWithin) use.onExceeded();
        return;
      }
      bytes += chunk.length;
      if (bytes <= INLINE_BYTES) {
        head.push(chunk);
        cancelTimer ??= startTimer(LIVE_AFTER_MS, openLive);
        writeLive(chunk);
        return;
      }
      cancelTimer?.();
      if (spool === null) {
        spool = openSpool(store, name);
        for (const earlier of head) spool.write(earlier);
      }
      head = [];
      spool.write(chunk);
    },
    finish(): { readonly content: Buffer } | Promise<Spooled & { readonly bytes: number }> {
      cancelTimer?.();
      if (spool !== null && bytes > INLINE_BYTES) return spool.close().then((spooled) => ({ ...spooled, bytes }));
      spool?.discard();
      return { content: Buffer.concat(head) };
    },
    discard(): void {
      cancelTimer?.();
      spool?.discard();
    },
  };
}

/** The size of the end of an output that is kept in memory, because the last line may explain a failure. */
const TAIL_BYTES = 4 * 1024;

/**
 * A file for output that is too large for memory, written while the output is read. Its final name is the SHA-256 of
 * its content. If there are secrets, they are replaced in the recorded file, and a private file has the exact bytes.
 */
interface Spool {
  write(bytes: Buffer): void;
  close(): Promise<Spooled>;
  /** Removes the file. */
  discard(): void;
}

interface Spooled {
  /** The name of the artifact. */
  readonly artifact: string;
  /** The end of the output as text, at most 4 KiB. */
  readonly tail: string;
}

/** A file that is open for writing. */
interface OutputFile {
  readonly path: string;
  readonly fd: number;
}

/**
 * Opens the file. This function, `write` and `close` throw a `StoreError` if the disk is full. `name`: see `LiveName`.
 */
function openSpool(store: OutputStore, name: LiveName | null = null): Spool {
  const { artifacts, redactor, scratch } = store;
  const kept = openTarget(artifacts === null ? scratch.path('output') : join(artifacts, partialName(name)));
  // Without a folder of the run nothing is recorded, so there is only the file with the exact bytes.
  const redacting: RedactingStream | null = artifacts === null ? null : (redactor?.stream() ?? null);
  const original = redacting === null ? null : openTarget(scratch.path('output'));
  const hash = createHash('sha256');
  let tail: Buffer = Buffer.alloc(0);
  const keep = (bytes: Buffer): void => {
    appendHashed(kept, hash, bytes);
    tail = endOf(tail, bytes);
  };
  const discardAll = (): void => {
    for (const target of [kept, original]) if (target !== null) discard(target);
  };
  return {
    write(bytes) {
      try {
        if (original !== null) append(original, bytes);
        keep(redacting === null ? bytes : redacting.push(bytes));
      } catch (cause) {
        // Nothing refers to an unfinished file, and on a full disk its space is needed.
        discardAll();
        throw cause;
      }
    },
    discard() {
      // Readers have the file open and can read it to its end.
      if (name !== null && redacting !== null) keep(redacting.end());
      discardAll();
    },
    async close() {
      if (redacting !== null) keep(redacting.end());
      if (original !== null) closeSync(original.fd);
      // The artifact must be on disk before the event that names it.
      if (artifacts !== null) await syncFile(kept);
      closeSync(kept.fd);
      const artifact = hash.digest('hex');
      if (artifacts === null) store.originals.set(artifact, kept.path);
      else renameSync(kept.path, join(artifacts, artifact));
      if (original !== null && redacting?.replaced === true) store.originals.set(artifact, original.path);
      else if (original !== null) unlinkSync(original.path);
      return { artifact, tail: tailText(tail) };
    },
  };
}

/** Copies only bytes that can be part of the end, because copying a gigabyte would produce a gigabyte of garbage. */
function endOf(before: Buffer, bytes: Buffer): Buffer {
  const end = bytes.subarray(-TAIL_BYTES);
  return Buffer.concat([before.subarray(Math.max(0, before.length + end.length - TAIL_BYTES)), end]);
}

/** Leaves out an incomplete character at the front. */
function tailText(tail: Buffer): string {
  let start = 0;
  if (tail.length === TAIL_BYTES) while (start < 3 && ((tail[start] as number) & 0xc0) === 0x80) start++;
  return tail.subarray(start).toString('utf8');
}

function openTarget(path: string): OutputFile {
  try {
    return { path, fd: create(path) };
  } catch (cause) {
    throw storeError('create', path, cause);
  }
}

/** Few runs have large outputs, so the folder may not be there yet. */
function create(path: string): number {
  const open = (): number => openSync(path, 'wx', 0o600);
  try {
    return open();
  } catch (cause) {
    if (errorCode(cause) !== 'ENOENT') throw cause;
    makeFolder(dirname(path));
    return open();
  }
}

function syncFile({ path, fd }: OutputFile): Promise<void> {
  return new Promise((resolve, reject) => {
    fdatasync(fd, (cause) => (cause === null ? resolve() : reject(storeError('write', path, cause))));
  });
}

function appendHashed(target: OutputFile, hash: Hash, bytes: Buffer): void {
  hash.update(bytes);
  append(target, bytes);
}

/** Writing synchronously instead of queueing limits memory: the pipe waits while the disk is busy. */
function append({ path, fd }: OutputFile, bytes: Buffer): void {
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
  } catch (cause) {
    throw storeError('write', path, cause);
  }
}

function discard({ path, fd }: OutputFile): void {
  closeQuietly(fd);
  try {
    unlinkSync(path);
  } catch {
    // The disk is gone, and so is the file.
  }
}

// ---- names of files with the output of running effects ----------------------------------------------

export type OutputName = 'stdout' | 'stderr';

/** The output of one attempt of an effect. */
interface LiveName {
  readonly effect: string;
  readonly attempt: number;
  readonly stream: OutputName;
}

/** The maximum length of a file name. An output with a longer name cannot be read while it is written. */
const LONGEST = 120;

/**
 * The prefix of unfinished files in the folder of artifacts, so that other processes can read them. When its effect
 * ends, such a file becomes an artifact, or is removed if the journal contains the whole output.
 */
export const PARTIAL = '.partial-';

/** The name of a new file; null for an output that cannot be read while it is written. */
function partialName(name: LiveName | null): string {
  const time = process.hrtime.bigint();
  if (name === null) return `${PARTIAL}${time}`;
  const effect = encodeURIComponent(name.effect);
  return effect.length > LONGEST ? `${PARTIAL}${time}` : `${prefixOf(name)}${name.attempt}-${time}`;
}

/** The prefix of all files with this output. */
export function prefixOf({ effect, stream }: Pick<LiveName, 'effect' | 'stream'>): string {
  return `${PARTIAL}${encodeURIComponent(effect)}@${stream}@`;
}

const LONGEST_HEARD = 200;

/** The last line that is not empty, at the end of what was printed. */
export function lastHeard(text: string): string {
  const lines = text.slice(-4 * LONGEST_HEARD).split(/[\r\n]+/);
  return (lines.findLast((line) => line.trim() !== '') ?? '').trim().slice(0, LONGEST_HEARD);
}
