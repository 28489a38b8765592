/** Whether a path is a folder, for flags that name one. */
import { statSync } from 'node:fs';

export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
