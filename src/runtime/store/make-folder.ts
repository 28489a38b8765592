/**
 * Makes a folder and those above it. Node's own recursive variant never returns where a file system answers `ENOENT`
 * for a folder whose parent exists, as `/proc` does.
 */
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { errorCode } from './store-error.js';

/** A folder that is there already is left as it is. Throws the system's error. */
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
