/** Where the bundler has left the files of the page, all compressed by gzip. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Next to the bundle, or where the bundler has left it for the sources. Null: the page was not built. */
export function viewerFolder(): string | null {
  const here = fileURLToPath(new URL('.', import.meta.url));
  const folders = [join(here, '../viewer'), join(here, '../../dist/viewer')];
  return folders.find((folder) => existsSync(join(folder, 'index.html.gz'))) ?? null;
}
