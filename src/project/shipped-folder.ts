/** Where the package keeps what it ships: `patterns/` and `workflows/`, above the bundle, its chunks or the sources. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Absolute; null where the package was taken apart. */
export function shippedFolder(name: 'patterns' | 'workflows'): string | null {
  for (const up of ['..', '../..', '../../..']) {
    const folder = join(dirname(fileURLToPath(import.meta.url)), up, name);
    if (existsSync(folder)) return folder;
  }
  return null;
}
