/** Looking at files that may not be there, or not be files. */
import { Buffer } from 'node:buffer';
import { lstatSync, readFileSync, readlinkSync, type Stats } from 'node:fs';

/** What a file holds, or what a symbolic link says; null for anything else. */
export function bytesOf(path: string): Buffer | null {
  const stat = statOf(path);
  if (stat?.isSymbolicLink()) return Buffer.from(readlinkSync(path));
  return stat?.isFile() ? readFileSync(path) : null;
}

/** What is there, links not followed; null when nothing is. */
export function statOf(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}
