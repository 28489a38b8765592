/**
 * A file that output too large for memory goes into while it is read. Its name at the end is the SHA-256 of what it
 * holds. Where there are secrets, the recorded file has them replaced and the bytes as printed are in a private one.
 */
import { Buffer } from 'node:buffer';
import { createHash, type Hash } from 'node:crypto';
import { closeSync, fdatasync, openSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { RedactingStream } from '../redact.js';
import { storeError } from '../store/store-error.js';
import { type LiveName, partialName } from './live-output.js';
import type { OutputStore } from './output-store.js';
import { closeQuietly } from './scratch.js';

/** How much of the end of an output is kept in memory: the last line of it may say what went wrong. */
const TAIL_BYTES = 4 * 1024;

export interface Spool {
  write(bytes: Buffer): void;
  close(): Promise<Spooled>;
  /** Removes what was written. */
  discard(): void;
}

export interface Spooled {
  /** Name of the artifact. */
  readonly artifact: string;
  /** The end of it as text, at most 4 KiB. */
  readonly tail: string;
}

/** A file that is open for writing. */
interface Target {
  readonly path: string;
  readonly fd: number;
}

/** Opens the file. It and its `write` and `close` throw a `StoreError` when the disk is full. `name`: see `LiveName`. */
export function openSpool(store: OutputStore, name: LiveName | null = null): Spool {
  const { artifacts, redactor, scratch } = store;
  const kept = openTarget(artifacts === null ? scratch.path('output') : join(artifacts, partialName(name)));
  // Without a folder of the run nothing is recorded, so the bytes as printed are all there is.
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
        // Nothing refers to a file that was not finished, and on a full disk its room is needed.
        discardAll();
        throw cause;
      }
    },
    discard() {
      // Its readers have the file open, and read on to its end.
      if (name !== null && redacting !== null) keep(redacting.end());
      discardAll();
    },
    async close() {
      if (redacting !== null) keep(redacting.end());
      if (original !== null) closeSync(original.fd);
      // The event that names an artifact must never be on disk before it.
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

/** Only what can be part of the end is copied: a gigabyte of chunks would be a gigabyte of garbage. */
function endOf(before: Buffer, bytes: Buffer): Buffer {
  const end = bytes.subarray(-TAIL_BYTES);
  return Buffer.concat([before.subarray(Math.max(0, before.length + end.length - TAIL_BYTES)), end]);
}

/** A character cut in half at the front is left out. */
function tailText(tail: Buffer): string {
  let start = 0;
  if (tail.length === TAIL_BYTES) while (start < 3 && ((tail[start] as number) & 0xc0) === 0x80) start++;
  return tail.subarray(start).toString('utf8');
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
    throw storeError('write', path, cause);
  }
}

function discard({ path, fd }: Target): void {
  closeQuietly(fd);
  try {
    unlinkSync(path);
  } catch {
    // The disk is gone, and the file with it.
  }
}
