/** The file into which another process writes the output of a running command or agent. */
import { Buffer } from 'node:buffer';
import { closeSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { type OutputName, prefixOf } from '../../runtime/process/output.js';
import { openOwn } from '../../runtime/store/own-file.js';

const CHUNK_BYTES = 64 * 1024;

export interface LiveFile {
  /** What was written since the last call, in pieces. */
  next(): Generator<Uint8Array>;
  close(): void;
}

/** The file of the last attempt; null if there is none, because nothing was printed or the effect has ended. */
export function openLiveFile(artifacts: string, effect: string, stream: OutputName): LiveFile | null {
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
