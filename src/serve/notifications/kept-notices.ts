/**
 * Notices on disk, one file for each notice and receiver, and the position up to which the index of the runs was read.
 * A notice is written before the position, so a service that dies in between writes the same notice once more.
 */
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { entryAt, readOwn, writeOwn } from '../../runtime/store/own-file.js';
import { storeError } from '../../runtime/store/store-error.js';
import type { PendingNotice } from './notice.js';

/** Where the position is, in the folder of the service. */
const POSITION = 'index-position.json';

/** Without receivers, what happens is reported to nobody later either. */
export function forgetPosition(serviceFolder: string): void {
  rmSync(join(serviceFolder, POSITION), { force: true });
}

/** Up to where the index was read. */
export interface IndexPosition {
  /** The file: removing runs makes a new one. */
  readonly ino: number;
  readonly bytes: number;
  /** The time of the last line that was read, in milliseconds since 1970. */
  readonly latest: number;
}

const NAME = /^[0-9a-f-]{36}\.\d+\.\d+\.json$/;

export class KeptNotices {
  private readonly folder: string;
  private readonly positionFile: string;

  /** Throws the system's error. */
  constructor(serviceFolder: string) {
    this.folder = join(serviceFolder, 'notices');
    this.positionFile = join(serviceFolder, POSITION);
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
  }

  /** A file that cannot be read is left alone. */
  all(): PendingNotice[] {
    return readdirSync(this.folder).flatMap((name) => {
      const one = NAME.test(name) ? readJson<PendingNotice>(join(this.folder, name)) : null;
      return one === null ? [] : [one];
    });
  }

  has(pending: PendingNotice): boolean {
    return entryAt(this.fileOf(pending)) !== null;
  }

  /** On disk when it returns. Throws a `StoreError`. */
  keep(pending: PendingNotice): void {
    replace(this.fileOf(pending), pending);
  }

  forget(pending: PendingNotice): void {
    rmSync(this.fileOf(pending), { force: true });
  }

  /** Null: the index was never read. */
  get position(): IndexPosition | null {
    return readJson<IndexPosition>(this.positionFile);
  }

  /** Throws a `StoreError`. */
  keepPosition(position: IndexPosition): void {
    replace(this.positionFile, position);
  }

  private fileOf({ notice, target }: PendingNotice): string {
    return join(this.folder, `${notice.id}.${target}.json`);
  }
}

function readJson<T>(path: string): T | null {
  try {
    return JSON.parse(readOwn(path).toString('utf8')) as T;
  } catch {
    return null;
  }
}

function replace(path: string, value: object): void {
  try {
    writeOwn(`${path}.new`, JSON.stringify(value), 'w', true);
    renameSync(`${path}.new`, path);
  } catch (cause) {
    throw storeError('write', path, cause);
  }
}
