/**
 * Private files that live as long as a run: values passed as files, scripts too long for an argument, standard inputs,
 * named pipes and outputs. They are in one folder that only its owner can read, which is created on demand and removed
 * at the end.
 */
import { closeSync, openSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redactor } from '../redact.js';
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

/** The amount of output of a run so far, and its limit. */
export interface OutputUse {
  bytes: number;
  limit: number;
  /** Called once when the limit is exceeded. Later output is not kept. */
  onExceeded: () => void;
}

/** The outputs of a run. */
export interface OutputStore {
  /** The run's `artifacts` folder. If null, outputs are private files that are removed at the end. */
  readonly artifacts: string | null;
  readonly scratch: Scratch;
  readonly redactor: Redactor | null;
  /** The paths of the exact bytes by artifact name, if the artifact itself differs from them. */
  readonly originals: Map<string, string>;
  readonly use: OutputUse;
}

/** `before` is the number of bytes that the run printed before this process. */
export function outputStore(
  artifacts: string | null,
  scratch: Scratch,
  redactor: Redactor | null,
  before = 0,
): OutputStore {
  const use = { bytes: before, limit: Number.POSITIVE_INFINITY, onExceeded: () => undefined };
  return { artifacts, scratch, redactor, originals: new Map(), use };
}

/** The file with the exact bytes of an artifact. */
export function artifactPath(store: Pick<OutputStore, 'artifacts' | 'originals'>, artifact: string): string {
  return store.originals.get(artifact) ?? join(store.artifacts ?? '', artifact);
}
