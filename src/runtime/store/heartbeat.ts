/**
 * Heartbeats of the runs that this process holds. Processes in other containers and on other machines cannot look up
 * this process, so they watch a file. One timer serves all runs, because an embedding process may hold thousands.
 */
import { closeSync, writeSync } from 'node:fs';
import { openOwn } from './own-file.js';

const EVERY_MS = 2000;
/** An owner without a heartbeat for this long is dead, or notices later that it lost the run. Milliseconds. */
export const OLD_MS = 15_000;

const beating = new Set<string>();
let timer: ReturnType<typeof setInterval> | null = null;

/** Touches a file at intervals. Returns the function that stops it. */
export function beat(path: string): () => void {
  beating.add(path);
  if (timer === null) {
    timer = setInterval(() => beating.forEach(touch), EVERY_MS);
    timer.unref();
  }
  return () => {
    beating.delete(path);
    if (beating.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
}

/** Writes instead of setting the time: so the file system's own clock is used, which the other processes compare with. */
function touch(path: string): void {
  try {
    const fd = openOwn(path, 'r+');
    try {
      // The file begins with a brace, so writing a brace there changes nothing but the time.
      writeSync(fd, '{', 0);
    } finally {
      closeSync(fd);
    }
  } catch {
    // The run was removed or taken over. Its next record notices that.
  }
}
