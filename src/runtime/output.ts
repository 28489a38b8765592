/**
 * What a command prints. Memory holds at most 64 KiB of it: above that it goes to a file while it is read, so that a
 * command may print a gigabyte. The file is named by its hash at the end. Where there are secrets, the recorded file
 * has them replaced and the bytes as printed stay in a private file, for pipes and values, until the run ends.
 */
import { Buffer, isUtf8 } from 'node:buffer';
import { createHash, type Hash } from 'node:crypto';
import { closeSync, fdatasync, openSync, readFileSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Output } from '../interpreter/event.js';
import type { RedactingStream, Redactor } from './redact.js';
import type { Scratch } from './scratch.js';
import { storeError } from './store-error.js';

/** Output up to this many bytes is part of the event. */
export const INLINE_BYTES = 64 * 1024;
/** Output up to this many bytes can become a value. */
export const VALUE_BYTES = 16 * 1024 * 1024;
const STDERR_BYTES = 4 * 1024;

/** Where the outputs of a run are kept. */
export interface OutputStore {
  /** The run's `artifacts` folder, or null: then outputs are private files that go with the run. */
  readonly artifacts: string | null;
  readonly scratch: Scratch;
  readonly redactor: Redactor | null;
  /** Paths of the bytes as printed, by artifact name, where they are not in `artifacts` under that name. */
  readonly originals: Map<string, string>;
}

export function outputStore(artifacts: string | null, scratch: Scratch, redactor: Redactor | null): OutputStore {
  return { artifacts, scratch, redactor, originals: new Map() };
}

/** The file that holds the bytes of an artifact as they were printed. */
export function artifactPath(store: OutputStore, artifact: string): string {
  return store.originals.get(artifact) ?? join(store.artifacts ?? '', artifact);
}

/** Collects one output stream. Throws a `StoreError` when the disk is full. */
export interface OutputSink {
  write(bytes: Buffer): void;
  /** `needsText`: output up to 16 MiB is given as text too, since it becomes a value. */
  finish(needsText: boolean): Promise<Output>;
}

export function outputSink(store: OutputStore, show: ((bytes: Buffer) => void) | null): OutputSink {
  const shown = show === null ? null : showing(store.redactor, show);
  let head: Buffer[] = [];
  let bytes = 0;
  let spool: Spool | null = null;
  return {
    write(chunk) {
      shown?.push(chunk);
      bytes += chunk.length;
      if (spool === null && bytes > INLINE_BYTES) {
        spool = openSpool(store);
        for (const earlier of head) spool.write(earlier);
        head = [];
      }
      if (spool === null) head.push(chunk);
      else spool.write(chunk);
    },
    async finish(needsText) {
      shown?.end();
      if (spool === null) return inline(Buffer.concat(head), needsText);
      const artifact = await spool.close();
      const text = needsText && bytes <= VALUE_BYTES ? textOf(readFileSync(artifactPath(store, artifact))) : {};
      return { ...text, artifact, bytes };
    },
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

/** Passes output on to whoever shows it, with secrets replaced. */
function showing(redactor: Redactor | null, show: (bytes: Buffer) => void) {
  const stream = redactor?.stream() ?? null;
  const pass = (bytes: Buffer): void => {
    if (bytes.length > 0) show(bytes);
  };
  return {
    push: (bytes: Buffer): void => pass(stream === null ? bytes : stream.push(bytes)),
    end: (): void => pass(stream === null ? Buffer.alloc(0) : stream.end()),
  };
}

interface Spool {
  write(bytes: Buffer): void;
  /** Name of the artifact. */
  close(): Promise<string>;
}

/** A file that is open for writing, and the hash of what went into it. */
interface Target {
  readonly path: string;
  readonly fd: number;
}

function openSpool(store: OutputStore): Spool {
  const { artifacts, redactor, scratch } = store;
  const kept = openTarget(
    artifacts === null ? scratch.path('output') : join(artifacts, `.partial-${process.hrtime.bigint()}`),
  );
  // Without a folder of the run nothing is recorded, so the bytes as printed are all there is.
  const redacting: RedactingStream | null = artifacts === null ? null : (redactor?.stream() ?? null);
  const original = redacting === null ? null : openTarget(scratch.path('output'));
  const hash = createHash('sha256');
  return {
    write(bytes) {
      if (original !== null) append(original, bytes);
      appendHashed(kept, hash, redacting === null ? bytes : redacting.push(bytes));
    },
    async close() {
      if (redacting !== null) appendHashed(kept, hash, redacting.end());
      if (original !== null) closeSync(original.fd);
      // The event that names an artifact must never be on disk before it.
      if (artifacts !== null) await syncFile(kept);
      closeSync(kept.fd);
      const name = hash.digest('hex');
      if (artifacts === null) store.originals.set(name, kept.path);
      else renameSync(kept.path, join(artifacts, name));
      if (original !== null && redacting?.replaced === true) store.originals.set(name, original.path);
      else if (original !== null) unlinkSync(original.path);
      return name;
    },
  };
}

function openTarget(path: string): Target {
  try {
    return { path, fd: openSync(path, 'wx', 0o600) };
  } catch (cause) {
    throw storeError('create', path, cause);
  }
}

function syncFile({ path, fd }: Target): Promise<void> {
  return new Promise((resolve, reject) => {
    fdatasync(fd, (cause) => (cause === null ? resolve() : reject(storeError('write', path, cause))));
  });
}

function appendHashed(target: Target, hash: Hash, bytes: Buffer): void {
  hash.update(bytes);
  append(target, bytes);
}

/** Writing at once instead of queueing is what bounds memory: the pipe waits while the disk is busy. */
function append({ path, fd }: Target, bytes: Buffer): void {
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
  } catch (cause) {
    // Nothing refers to a file that was not finished, and on a full disk its room is needed.
    removeQuietly(path);
    throw storeError('write', path, cause);
  }
}

function removeQuietly(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Gone already, or the disk is gone too.
  }
}

/** The end of stderr: what an error message is taken from. Secrets are replaced before anything is cut off. */
export interface TailSink {
  write(bytes: Buffer): void;
  finish(): string;
}

export function tailSink(redactor: Redactor | null, show: ((bytes: Buffer) => void) | null): TailSink {
  let tail: Buffer = Buffer.alloc(0);
  const shown = showing(redactor, (bytes) => {
    show?.(bytes);
    // Only what can be part of the end is copied: a gigabyte of chunks would be a gigabyte of garbage.
    const end = bytes.subarray(-STDERR_BYTES);
    tail = Buffer.concat([tail.subarray(Math.max(0, tail.length + end.length - STDERR_BYTES)), end]);
  });
  return {
    write: (bytes) => shown.push(bytes),
    finish() {
      shown.end();
      // A character cut in half at the front is left out.
      let start = 0;
      if (tail.length === STDERR_BYTES) while (start < 3 && ((tail[start] as number) & 0xc0) === 0x80) start++;
      return tail.subarray(start).toString('utf8');
    },
  };
}
