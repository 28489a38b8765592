/**
 * Artifacts in a folder that all workers have: each is a file with the SHA-256 of its content as its name, so workers never
 * write different content to one file. Each run that has one is counted by another name of the file, so that the last one
 * can remove it. Clients get them from workers, in parts.
 */
import { Buffer } from 'node:buffer';
import { randomUUID } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  fstatSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { isArtifactName } from '../runtime/store/artifacts.js';
import { entryAt, openToRead } from '../runtime/store/own-file.js';
import { isRunId } from '../runtime/store/stored-run.js';
import type { ArtifactContent } from './messages.js';

/** How much an answer has of an artifact, in bytes. */
const PART = 8 * 1024 * 1024;

export interface SharedArtifacts {
  /** Stores the file for a run, unless it is there. */
  put(runId: string, name: string, path: string): void;
  /** Copies the artifact of a run to a file. False: it is not there. */
  copyTo(runId: string, name: string, path: string): boolean;
  /** A part of it, from an offset on; null: it is not there. */
  read(runId: string, name: string, from: number): ArtifactContent | null;
  /** Removes what only this run has. */
  drop(runId: string): void;
}

/** `shared`: the folder that all workers have. */
export function sharedArtifacts(shared: string): SharedArtifacts {
  const folder = join(shared, 'artifacts');
  const folderOf = (runId: string): string | null => (isRunId(runId) ? join(shared, 'runs', runId, 'artifacts') : null);
  const pathOf = (runId: string, name: string): string | null => {
    if (!isArtifactName(name)) return null;
    const own = folderOf(runId);
    const paths = [join(folder, name), ...(own === null ? [] : [join(own, name)])];
    return paths.find((path) => entryAt(path) !== null) ?? null;
  };
  /** Counts the run among those that have the artifact. Where files cannot have two names, nothing is counted, or removed. */
  const link = (own: string, name: string): boolean => {
    mkdirSync(own, { recursive: true });
    try {
      linkSync(join(folder, name), join(own, name));
      return true;
    } catch (cause) {
      return (cause as NodeJS.ErrnoException).code !== 'ENOENT';
    }
  };
  const copy = (name: string, path: string): void => {
    mkdirSync(folder, { recursive: true });
    // Another worker must never see a part of it.
    const unfinished = join(folder, `.${name}.${randomUUID()}`);
    try {
      copyFileSync(path, unfinished);
      renameSync(unfinished, join(folder, name));
    } finally {
      rmSync(unfinished, { force: true });
    }
  };
  return {
    put(runId, name, path) {
      const own = folderOf(runId);
      if (entryAt(join(folder, name)) === null) copy(name, path);
      // The last other run that had it may have been removed just now.
      if (own !== null && !link(own, name)) {
        copy(name, path);
        link(own, name);
      }
    },
    copyTo(runId, name, path) {
      const found = pathOf(runId, name);
      if (found !== null) copyFileSync(found, path);
      return found !== null;
    },
    read(runId, name, from) {
      const found = pathOf(runId, name);
      return found === null ? null : partOf(found, from);
    },
    drop(runId) {
      const own = folderOf(runId);
      if (own === null || entryAt(own) === null) return;
      for (const name of readdirSync(own).filter(isArtifactName)) {
        rmSync(join(own, name), { force: true });
        if (entryAt(join(folder, name))?.nlink === 1) rmSync(join(folder, name), { force: true });
      }
      rmSync(own, { recursive: true, force: true });
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
