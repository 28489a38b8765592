/**
 * Makes a folder and its parents. Node's recursive `mkdir` never returns on file systems such as `/proc`, which answer
 * `ENOENT` for a folder whose parent exists.
 */
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from './store-error.js';

/** Leaves an existing folder as it is. Throws the system's error. */
export function makeFolder(path: string, mode = 0o777): void {
  try {
    mkdirSync(path, { mode });
  } catch (cause) {
    if (errorCode(cause) === 'EEXIST' && statSync(path).isDirectory()) return;
    const parent = dirname(path);
    if (errorCode(cause) !== 'ENOENT' || existsSync(parent)) throw cause;
    makeFolder(parent, mode);
    mkdirSync(path, { mode });
  }
}
