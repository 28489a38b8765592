/** Examines paths that may not exist or may not be files. */
import { Buffer } from 'node:buffer';
import { lstatSync, readFileSync, readlinkSync, type Stats } from 'node:fs';

/** The content of a file or the target of a symbolic link; null for anything else. */
export function bytesOf(path: string): Buffer | null {
  const stat = statOf(path);
  if (stat?.isSymbolicLink()) return Buffer.from(readlinkSync(path));
  return stat?.isFile() ? readFileSync(path) : null;
}

/** What is at a path, without following links; null if nothing is there. */
export function statOf(path: string): Stats | null {
  try {
    return lstatSync(path);
  } catch {
    return null;
  }
}
