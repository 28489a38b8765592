/**
 * A file for output that is too large for memory, written while the output is read. Its final name is the SHA-256 of
 * its content. If there are secrets, they are replaced in the recorded file, and a private file has the exact bytes.
 */
import { Buffer } from 'node:buffer';
import { createHash, type Hash } from 'node:crypto';
import { closeSync, fdatasync, openSync, renameSync, unlinkSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RedactingStream } from '../redact.js';
import { makeFolder } from '../store/make-folder.js';
import { errorCode, storeError } from '../store/store-error.js';
import { type LiveName, partialName } from './live-output.js';
import type { OutputStore } from './output-store.js';
import { closeQuietly } from './scratch.js';

/** The size of the end of an output that is kept in memory, because the last line may explain a failure. */
const TAIL_BYTES = 4 * 1024;

export interface Spool {
  write(bytes: Buffer): void;
  close(): Promise<Spooled>;
  /** Removes the file. */
  discard(): void;
}

export interface Spooled {
  /** The name of the artifact. */
  readonly artifact: string;
  /** The end of the output as text, at most 4 KiB. */
  readonly tail: string;
}

/** A file that is open for writing. */
interface Target {
  readonly path: string;
  readonly fd: number;
}

/**
 * Opens the file. This function, `write` and `close` throw a `StoreError` if the disk is full. `name`: see `LiveName`.
 */
export function openSpool(store: OutputStore, name: LiveName | null = null): Spool {
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

function openTarget(path: string): Target {
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

function syncFile({ path, fd }: Target): Promise<void> {
  return new Promise((resolve, reject) => {
    fdatasync(fd, (cause) => (cause === null ? resolve() : reject(storeError('write', path, cause))));
  });
}

function appendHashed(target: Target, hash: Hash, bytes: Buffer): void {
  hash.update(bytes);
  append(target, bytes);
}

/** Writing synchronously instead of queueing limits memory: the pipe waits while the disk is busy. */
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
    // The disk is gone, and so is the file.
  }
}
