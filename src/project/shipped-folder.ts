/** Finds the shipped folders `patterns/` and `workflows/`, which are above the bundle, its chunks or the sources. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The absolute path; null if the folder is missing from the package. */
export function shippedFolder(name: 'patterns' | 'workflows'): string | null {
  for (const up of ['..', '../..', '../../..']) {
    const folder = join(dirname(fileURLToPath(import.meta.url)), up, name);
    if (existsSync(folder)) return folder;
  }
  return null;
}
