/**
 * Notices on disk, one file for each notice and receiver, and the position up to which the index of the runs was read.
 * A notice is written before the position, so a service that dies in between writes the same notice once more.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Waiting } from '../../interpreter/events/event.js';
import type { NotifyTarget } from '../configuration/load-configuration.js';
import { lastEvents } from '../store/journal-lines.js';
import { entryAt, readOwn, writeOwn } from '../store/own-file.js';
import type { IndexEntry } from '../store/run-header.js';
import { storeError } from '../store/store-error.js';

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

const NAME = /^[0-9a-f-]{36}\.\d+\.[0-9a-f]{16}\.json$/;

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

/** The JSON that a receiver gets. */
export interface Notice {
  /** The same at every try, so that a receiver can ignore a notice that it has. */
  readonly id: string;
  readonly run_id: string;
  readonly status: 'suspended' | 'failed' | 'returned';
  readonly machine: string;
  /** ISO 8601. */
  readonly at: string;
  /** What a person calls the run. */
  readonly title: string;
  /** Of a suspended run: what it waits for. */
  readonly waiting?: readonly Waiting[];
}

/** A notice for one receiver, as it is kept on disk until the receiver has it. */
export interface PendingNotice {
  readonly notice: Notice;
  /** Stands for the address of the receiver, so that another list of receivers confuses none of them. */
  readonly target: string;
  /** How often it was tried. */
  readonly tries: number;
  /** When it is tried next, in milliseconds since 1970. */
  readonly nextAt: number;
  /** When it was made, in milliseconds since 1970. */
  readonly since: number;
}

/** A notice that no receiver took for so long is given up. Milliseconds. */
export const LONGEST_MS = 24 * 60 * 60 * 1000;
const FIRST_PAUSE_MS = 1000;

/** The next try after 1 s, 2 s, 4 s … Milliseconds. */
export const pauseAfter = (tries: number): number => FIRST_PAUSE_MS * 2 ** Math.min(tries, 30);

const STATUSES: ReadonlySet<string> = new Set<Notice['status']>(['suspended', 'failed', 'returned']);

/**
 * Null if the line of the index means that the run has begun, or was interrupted. `directory`: where the runs are, for what
 * only the files of the run say.
 */
export function noticeOf(
  { run_id, status, machine, title = machine, ended_at }: IndexEntry,
  directory: string,
): Notice | null {
  if (!STATUSES.has(status)) return null;
  // A run has one such end at a time, so the time names it, however often the index is read.
  const id = `${run_id}.${Date.parse(ended_at)}`;
  const notice = { id, run_id, status: status as Notice['status'], machine, at: ended_at };
  const folder = join(directory, 'runs', run_id);
  return { ...notice, title, ...(status === 'suspended' ? waitingOf(folder) : {}) };
}

/** Enough of a journal for its last events. */
const END_BYTES = 64 * 1024;

function waitingOf(folder: string): Pick<Notice, 'waiting'> {
  const last = lastEvents(join(folder, 'journal.ndjson'), END_BYTES).find(({ type }) => type === 'run_suspended');
  return last?.type === 'run_suspended' ? { waiting: last.waiting } : {};
}

/** The name of a receiver in the names of files. */
export function keyOfTarget(target: NotifyTarget): string {
  const address = 'url' in target ? target.url : target.run;
  return createHash('sha256').update(JSON.stringify(address)).digest('hex').slice(0, 16);
}

/** A receiver for people: the path of an address is often a secret. */
export function nameOfTarget(target: NotifyTarget): string {
  if (!('url' in target)) return target.run[0] ?? '';
  return URL.canParse(target.url) ? new URL(target.url).origin : target.url;
}

export function targetList(notify: NotifyTarget | readonly NotifyTarget[] | undefined): readonly NotifyTarget[] {
  return notify === undefined ? [] : Array.isArray(notify) ? notify : [notify as NotifyTarget];
}
