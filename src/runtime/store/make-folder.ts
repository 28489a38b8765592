/**
 * Makes a folder and its parents. Node's recursive `mkdir` never returns on file systems such as `/proc`, which answer
 * `ENOENT` for a folder whose parent exists.
 */
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from './store-error.js';

/** Leaves an existing folder as it is. Throws the system's error. */
export function makeFolder(path: string, mode = 0o777): void {
  const cause = problemWith(path, mode);
  if (cause === null) return;
  const parent = dirname(path);
  if (errorCode(cause) !== 'ENOENT' || parent === path) throw cause;
  if (!existsSync(parent)) makeFolder(parent, mode);
  // Another process may have made the parent, or the folder itself, since the first attempt.
  const still = problemWith(path, mode);
  if (still !== null) throw still;
}

/** Null: the folder is there. */
function problemWith(path: string, mode: number): unknown {
  try {
    mkdirSync(path, { mode });
    return null;
  } catch (cause) {
    return errorCode(cause) === 'EEXIST' && statSync(path).isDirectory() ? null : cause;
  }
}
