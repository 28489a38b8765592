/**
 * Artifacts: values and outputs that are too large for a line of the journal. Each is named by the SHA-256 of its content,
 * so that it is stored once and a reader notices damage.
 */
import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { entryAt, readOwn, writeOwn } from './own-file.js';
import { StoreError, storeError } from './store-error.js';

/** A record may come from someone else. A name with a path in it could refer to any file of the reader. */
const NAME = /^[0-9a-f]{64}$/;

export function isArtifactName(name: string): boolean {
  return NAME.test(name);
}

export interface Artifacts {
  /** How many bytes an artifact has; null: it does not exist. */
  sizeOf(name: string): number | null;
  /** Throws a `StoreError` if the artifact is missing or damaged. */
  get(name: string): Buffer;
  /** Stores a text, durably before anything refers to it. Returns its name. Throws a `StoreError`. */
  put(content: string): string;
}

/** The artifacts in a folder, which `put` needs to exist. */
export function folderArtifacts(folder: string): Artifacts {
  return {
    sizeOf(name) {
      const entry = entryAt(join(folder, name));
      return entry?.isFile() ? entry.size : null;
    },
    get(name) {
      const path = join(folder, name);
      if (!isArtifactName(name)) throw new StoreError(`\`${path}\` is not read: an artifact cannot have such a name`);
      let bytes: Buffer;
      try {
        bytes = readOwn(path);
      } catch (cause) {
        throw storeError('read', path, cause);
      }
      if (artifactName(bytes) === name) return bytes;
      throw new StoreError(`\`${path}\` is damaged: its content has changed`);
    },
    put(content) {
      const name = artifactName(content);
      const path = join(folder, name);
      try {
        // What somebody has cut off is written again. A folder in the way is an error.
        if (this.sizeOf(name) === Buffer.byteLength(content)) return name;
        writeOwn(`${path}.new`, content, 'w', true);
        renameSync(`${path}.new`, path);
        return name;
      } catch (cause) {
        throw storeError('write', path, cause);
      }
    },
  };
}

/** The name of the artifact with this content. */
export function artifactName(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** The folder with the artifacts of a run. */
export function artifactsFolder(runFolder: string): string {
  return join(runFolder, 'artifacts');
}
