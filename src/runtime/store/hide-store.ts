/** A store in a repository must not show up in `git status`. A folder that the user made is left as it is. */
import { existsSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makeFolder } from './make-folder.js';
import { storeError } from './store-error.js';

/** Makes the folder of a store, unless it is there, and lets git ignore what is in it. Throws a `StoreError`. */
export function hideStore(directory: string): void {
  const firstUse = !existsSync(directory);
  try {
    makeFolder(directory);
    const ignore = join(directory, '.gitignore');
    if ((firstUse || basename(directory) === '.statedsl') && !existsSync(ignore)) writeFileSync(ignore, '*\n');
  } catch (cause) {
    throw storeError('create the folder', directory, cause);
  }
}
