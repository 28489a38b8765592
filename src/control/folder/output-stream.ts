/**
 * What a command or an agent of a run printed: from the record once it has ended, and until then from the file into which
 * the executing process writes it. It is passed on in pieces, because it may be larger than memory.
 */
import { closeSync, fstatSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { ARTIFACT_NAME } from '../../runtime/store/large-values.js';
import { entryAt, openOwn } from '../../runtime/store/own-file.js';
import { lockHolder } from '../../runtime/store/run-lock.js';
import { bytesOf, OutputRecord, type Printed, type Wanted } from '../../runtime/store/run-output.js';
import { RunRefused } from '../../runtime/store/run-refused.js';
import { StoreError, storeError } from '../../runtime/store/store-error.js';
import type { OutputOptions, OutputStream, StreamEnd } from '../runs.js';
import { watchFolder } from './file-changes.js';

const CHUNK_BYTES = 64 * 1024;

/** Throws a `RunRefused` or a `StoreError`. */
export function outputStream(folder: string, runId: string, effect: string, options: OutputOptions): OutputStream {
  const { stream = 'stdout', raw = false } = options;
  const wanted = { stderr: stream === 'stderr', raw };
  const record = new OutputRecord(folder);
  const settled = lastOf(record, effect);
  if (!record.printers.has(effect))
    throw new RunRefused('unknown', `run \`${runId}\` has no command or agent call \`${effect}\``);
  const printed = { folder, effect, wanted, record, settled };
  return openStream(settled !== null, settled === null ? 0 : sizeOf(printed, settled), (onEnd) =>
    passOn(printed, options, onEnd),
  );
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

interface PrintedEffect {
  readonly folder: string;
  readonly effect: string;
  readonly wanted: Wanted;
  readonly record: OutputRecord;
  /** Its outcome when the stream was opened. */
  readonly settled: Printed | null;
}

async function* passOn(
  printed: PrintedEffect,
  { from = 0, follow = true, signal }: OutputOptions,
  onEnd: (end: StreamEnd) => void,
): AsyncGenerator<Uint8Array> {
  const { folder, effect, wanted, record } = printed;
  let { settled } = printed;
  const changes = follow && settled === null ? watchFolder(folder, signal) : null;
  try {
    while (settled === null) {
      if (signal?.aborted === true) return onEnd({ reason: 'aborted' });
      const isHeld = lockHolder(folder).owner !== null;
      settled = lastOf(record, effect);
      if (settled !== null) break;
      if (changes === null || !isHeld) return onEnd({ reason: 'caught-up' });
      await changes.next();
    }
    yield* after(bytesOf(folder, settled.outcome, wanted), from);
    onEnd({ reason: 'over' });
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    onEnd(entryAt(folder) === null ? { reason: 'removed' } : { reason: 'failed', message: cause.message });
  } finally {
    changes?.close();
  }
}

/** The last outcome of the effect in what was recorded since the last call: an effect that is tried again has several. */
function lastOf(record: OutputRecord, effect: string): Printed | null {
  let last: Printed | null = null;
  for (let batch = record.next(); batch.length > 0; batch = record.next())
    last = batch.findLast(({ printer }) => printer.effect === effect) ?? last;
  return last;
}

function sizeOf({ folder, wanted }: PrintedEffect, { outcome }: Printed): number {
  let bytes = 0;
  for (const piece of bytesOf(folder, outcome, wanted)) bytes += piece.length;
  return bytes;
}

/** The pieces without the first `from` bytes. */
function* after(pieces: Iterable<Uint8Array>, from: number): Generator<Uint8Array> {
  let skip = from;
  for (const piece of pieces) {
    if (skip < piece.length) yield skip === 0 ? piece : piece.subarray(skip);
    skip = Math.max(0, skip - piece.length);
  }
}

/** The content of an artifact. Throws a `RunRefused` if the run has none of that name, or a `StoreError`. */
export function artifactStream(folder: string, runId: string, hash: string): OutputStream {
  if (!ARTIFACT_NAME.test(hash))
    throw new RunRefused('wrong-use', `\`${hash}\` is not the name of an artifact`, 'use 64 hexadecimal digits');
  const path = join(folder, 'artifacts', hash);
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
  return openStream(true, bytes, (onEnd) => fileContent(path, onEnd));
}

async function* fileContent(path: string, onEnd: (end: StreamEnd) => void): AsyncGenerator<Uint8Array> {
  const fd = openOwn(path, 'r');
  try {
    for (;;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const count = readSync(fd, chunk, 0, CHUNK_BYTES, null);
      if (count === 0) return onEnd({ reason: 'over' });
      yield chunk.subarray(0, count);
    }
  } finally {
    closeSync(fd);
  }
}
