/**
 * Signs of life of the runs that this process holds, for processes in other containers and on other machines, which
 * cannot look it up. One timer serves all of them: an embedding process may hold thousands.
 */
import { closeSync, writeSync } from 'node:fs';
import { openOwn } from './own-file.js';

const EVERY_MS = 2000;
/** An owner that was silent for so long is dead, or will find that it is not the owner any more. */
export const OLD_MS = 15_000;

const beating = new Set<string>();
let timer: ReturnType<typeof setInterval> | null = null;

/** Touches a file now and then until the function it gives is called. */
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

/** Written and not just touched: then the time is that of the file system, whose clock the others compare with. */
function touch(path: string): void {
  try {
    const fd = openOwn(path, 'r+');
    try {
      // It begins with a brace; writing that again changes nothing else.
      writeSync(fd, '{', 0);
    } finally {
      closeSync(fd);
    }
  } catch {
    // The run was removed or taken over, which its next record finds out.
  }
}
