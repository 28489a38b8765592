/**
 * Artifacts in a folder that all workers have: each is a file with the SHA-256 of its content as its name, so workers never
 * write different content to one file. Clients get them from workers, in parts.
 */
import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import { closeSync, copyFileSync, fstatSync, mkdirSync, readSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isArtifactName } from '../runtime/store/artifacts.js';
import { entryAt, openToRead } from '../runtime/store/own-file.js';
import type { ArtifactContent } from './messages.js';

/** How much an answer has of an artifact, in bytes. */
const PART = 8 * 1024 * 1024;

export interface SharedArtifacts {
  /** Stores the file, unless it is there. */
  put(name: string, path: string): void;
  /** Copies the artifact to a file. False: it is not there. */
  copyTo(name: string, path: string): boolean;
  /** A part of it, from an offset on; null: it is not there. */
  read(name: string, from: number): ArtifactContent | null;
}

/** `shared`: the folder that all workers have. */
export function sharedArtifacts(shared: string): SharedArtifacts {
  const folder = join(shared, 'artifacts');
  const pathOf = (name: string): string | null => {
    const path = join(folder, name);
    return isArtifactName(name) && entryAt(path) !== null ? path : null;
  };
  return {
    put(name, path) {
      if (pathOf(name) !== null) return;
      mkdirSync(folder, { recursive: true });
      // Another worker must never see a part of it.
      const unfinished = join(folder, `.${name}.${randomUUID()}`);
      try {
        copyFileSync(path, unfinished);
        renameSync(unfinished, join(folder, name));
      } finally {
        rmSync(unfinished, { force: true });
      }
    },
    copyTo(name, path) {
      const found = pathOf(name);
      if (found !== null) copyFileSync(found, path);
      return found !== null;
    },
    read(name, from) {
      const found = pathOf(name);
      return found === null ? null : partOf(found, from);
    },
  };
}

function partOf(path: string, from: number): ArtifactContent {
  const fd = openToRead(path);
  try {
    const { size } = fstatSync(fd);
    const bytes = Buffer.alloc(Math.max(0, Math.min(PART, size - from)));
    let read = 0;
    for (let count = -1; count !== 0 && read < bytes.length; read += count)
      count = readSync(fd, bytes, read, bytes.length - read, from + read);
    const base64 = bytes.subarray(0, read).toString('base64');
    return from + read < size ? { base64, next: from + read } : { base64 };
  } finally {
    closeSync(fd);
  }
}
