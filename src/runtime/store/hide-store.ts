/** A store in a repository must not show up in `git status`. A folder that the user made is left as it is. */
import { existsSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { makeFolder } from './make-folder.js';

/** Makes the folder of a store, unless it is there, and lets git ignore what is in it. Throws the system's error. */
export function hideStore(directory: string): void {
  const firstUse = !existsSync(directory);
  makeFolder(directory);
  const ignore = join(directory, '.gitignore');
  if ((firstUse || basename(directory) === '.statedsl') && !existsSync(ignore)) writeFileSync(ignore, '*\n');
}
