/**
 * Private files that live as long as a run: values passed as files, scripts too long for an argument, standard inputs,
 * named pipes. They are in one folder that only its owner can read, which is created on demand and removed at the end.
 */
import { closeSync, openSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeError } from '../store/store-error.js';
import { makeTemporaryFolder, removeTemporaryFolder } from './temporary-folder.js';

export interface Scratch {
  /** Writes a file and returns its path. */
  file(content: string | Uint8Array, extension?: string): string;
  /** An unused path in the folder. */
  path(name: string): string;
  /** A descriptor to read `content` from. The file has no name any more, so no other process can open it. */
  readable(content: Uint8Array): number;
  remove(): void;
}

export function createScratch(): Scratch {
  let folder: string | null = null;
  let count = 0;
  const path = (name: string): string => {
    try {
      folder ??= makeTemporaryFolder(tmpdir());
    } catch (cause) {
      throw storeError('create a directory in', tmpdir(), cause);
    }
    return join(folder, `${count++}-${name}`);
  };
  const file = (content: string | Uint8Array, extension = ''): string => {
    const target = path(`value${extension}`);
    try {
      writeFileSync(target, content, { mode: 0o600 });
    } catch (cause) {
      throw storeError('write', target, cause);
    }
    return target;
  };
  return {
    file,
    path,
    readable(content) {
      const target = file(content);
      try {
        return openSync(target, 'r');
      } finally {
        unlinkSync(target);
      }
    },
    remove() {
      if (folder !== null) removeTemporaryFolder(folder);
      folder = null;
    },
  };
}

/** Closes a descriptor that is no longer needed. */
export function closeQuietly(fd: number): void {
  try {
    closeSync(fd);
  } catch {
    // Closed already: nothing is lost.
  }
}
