/**
 * Reads the output of a command while it runs and after it has ended. A pipe is watched only if its command takes some
 * time, or if its output is displayed. Most commands end earlier, and then their pipes contain all output.
 */
import { readSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { startTimer } from '../timer.js';
import type { Pipe, PipePair } from './pipes.js';

export type OutputListeners = readonly [(bytes: Buffer) => void, (bytes: Buffer) => void];

export interface OutputStreams {
  /**
   * Call it when the command has ended. Waits for the ends of its pipes if they have not ended; resolves with false if one
   * did not end in time.
   */
  end(withinMs: number): boolean | Promise<boolean>;
}

/** A pipe holds 64 KiB, so a command that prints more waits for at most this time. */
const UNWATCHED_MS = 4;
const PIPE_BYTES = 64 * 1024;
/** How often the pipe of an ended command may be full before it is watched like any other. */
const MOST_READS = 4;

/** Call it when the command has opened the pipes. `isLive`: output is needed as soon as it arrives. */
export function readPipes({ stdout, stderr }: PipePair, listeners: OutputListeners, isLive: boolean): OutputStreams {
  let watched: OutputStreams | null = null;
  const watch = (): OutputStreams => {
    watched ??= readStreams([stdout.reader(), stderr.reader()], listeners);
    return watched;
  };
  if (isLive) return watch();
  const cancelTimer = startTimer(UNWATCHED_MS, watch);
  return {
    end(withinMs) {
      cancelTimer();
      const [onStdout, onStderr] = listeners;
      if (watched === null && readRest(stdout, onStdout) && readRest(stderr, onStderr)) return true;
      return watch().end(withinMs);
    },
  };
}

const room = Buffer.allocUnsafeSlow(PIPE_BYTES);

/** Returns true if there are no writers left and everything was read. */
function readRest({ readEnd }: Pipe, listener: (bytes: Buffer) => void): boolean {
  try {
    for (let count = 0; count < MOST_READS; count++) {
      const length = readSync(readEnd, room);
      if (length === 0) return true;
      listener(Buffer.from(room.subarray(0, length)));
    }
  } catch {
    // `EAGAIN`: a process that the command started still has the pipe open.
  }
  return false;
}

/** Reads streams as data arrives. */
export function readStreams(
  streams: readonly [Readable | null, Readable | null],
  listeners: OutputListeners,
): OutputStreams {
  let open = 0;
  let onDrained = (): void => undefined;
  streams.forEach((stream, index) => {
    if (stream === null) return;
    open++;
    stream.on('data', listeners[index] as (bytes: Buffer) => void);
    // A read error ends the stream. It needs no report.
    stream.on('error', () => undefined);
    stream.on('close', () => {
      open--;
      if (open === 0) onDrained();
    });
  });
  return {
    end(withinMs) {
      if (open === 0) return true;
      return new Promise((resolve) => {
        const cancelTimer = startTimer(withinMs, () => {
          onDrained = () => undefined;
          for (const stream of streams) stream?.destroy();
          resolve(false);
        });
        onDrained = () => {
          cancelTimer();
          resolve(true);
        };
      });
    },
  };
}
