/**
 * Stores the events of a run. An event counts once `sync` has returned: only then is it shown or acted on. Appending
 * only fills a buffer, so that a loop of a million rounds does not make a million system calls. One `sync` makes
 * everything durable that was appended before it, from all branches.
 */
import { closeSync, fdatasync, fdatasyncSync, fstatSync, ftruncateSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { RunEvent } from '../../interpreter/events/event.js';
import { clockMs } from '../clock.js';
import { isCount, isPlainEntry, LineBuffer } from './journal-line.js';
import { openOwn } from './own-file.js';
import { type JournalEnd, journalStart, unhashedEnd } from './read-journal.js';
import { appendHead, mustBeSigned, type RecordSigner, readHeads } from './record-heads.js';
import type { RecordHead, RunHeader } from './run-header.js';
import type { RunFolder } from './store.js';
import { createRunFolder } from './store.js';
import { StoreError, storeError } from './store-error.js';

/** Stores the events of runs. One journal may serve several runs. */
export interface Journal {
  /** Called once before the first event of a run. Throws a `StoreError` if the run cannot be stored. */
  open(header: RunHeader): OpenJournal;
}

/** The journal of one run. */
export interface OpenJournal {
  /** The folder of the run, which also takes outputs and the state file; null if nothing is on disk. */
  readonly folder: RunFolder | null;
  /**
   * Appends events, numbered from `firstSeq`. `time` is an ISO 8601 time stamp; `hashes` gets the hash in each line, or null.
   * Throws a `StoreError`.
   */
  append(events: readonly RunEvent[], firstSeq: number, time: string, hashes?: (string | null)[]): void;
  /** Another process has taken over the run. From then on this journal writes nothing about it. */
  readonly isLost?: boolean;
  /** How many bytes were appended, if the journal is a file. */
  readonly offset?: number;
  /** The end of a record whose lines are chained, if all that was appended is durable. */
  readonly head?: RecordHead | null;
  /**
   * Returns when everything that was appended is durable. `synchronously` blocks the process meanwhile, which saves the way to
   * a thread and back.
   */
  sync(synchronously?: boolean): Promise<void>;
  /** The last sync took so little time that a process with other work may block for the next one. */
  readonly hasShortSyncs?: boolean;
  close(): Promise<void>;
}

/** An embedding program notices nothing of it: reading a file of a few MB takes as long. */
const SHORT_SYNC_MS = 2;

/** How many bytes are buffered before they are written. */
const BATCH_BYTES = 64 * 1024;

/** A journal that keeps each run in a folder under `directory`, which is usually `.statedsl`. */
export function fileJournal(directory: string, signer: RecordSigner | null = null): Journal {
  const start = { ...journalStart, torn: 0, unended: false };
  return { open: (header) => openFileJournal(createRunFolder(directory, header, { key: signer?.key }), start, signer) };
}

/**
 * Opens the journal of a run and truncates it at `end`, which removes a torn line. Throws a `StoreError`, also if the lines
 * of the run are chained and its last ones are not.
 */
export function openFileJournal(folder: RunFolder, end: JournalEnd, signer: RecordSigner | null = null): OpenJournal {
  const path = join(folder.path, 'journal.ndjson');
  const { chainStart } = folder;
  const unhashed = chainStart === null || end.offset === 0 ? chainStart : unhashedEnd(path, end, chainStart);
  const fd = attempt('open', path, () => openOwn(path, 'a'));
  const lines = new LineBuffer(unhashed);
  let { seq } = end;
  /** The number of the last event for which there is a head, and of the last one that has to be signed. */
  // A process that was killed may have left an end or an answer without its signature.
  let headed = signer === null ? seq : (readHeads(folder.path).at(-1)?.seq ?? 0);
  let unsigned = 0;
  let lastHead: RecordHead | null = null;
  /** Nothing that was appended is missing from the file. */
  let isWhole = true;
  let unsynced = false;
  let isLost = false;
  let syncMs = Number.POSITIVE_INFINITY;
  let written = end.offset;
  /** After a long stop, or if another machine took it for dead, a process may have lost the run to another one. */
  const ensureOwn = (size: number): void => {
    if (!isLost && folder.isHeld() && fstatSync(fd).size === size) return;
    isLost = true;
    throw new StoreError(`another process has taken over this run: \`${path}\` has changed`);
  };
  if (end.torn > 0 || end.unended) ensureOwn(end.offset + end.torn);
  if (end.torn > 0) attempt('write', path, () => ftruncateSync(fd, end.offset));
  if (end.unended) {
    attempt('write', path, () => {
      writeSync(fd, '\n');
      // The head of a run that has ended is said before anything else is written.
      fdatasyncSync(fd);
    });
    written++;
  }
  const flush = (): void => {
    if (lines.length === 0) return;
    ensureOwn(written);
    const bytes = lines.take();
    unsynced = true;
    isWhole = false;
    written += bytes.length;
    attempt('write', path, () => {
      for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    });
    isWhole = true;
  };
  const head = (): RecordHead | null => {
    if (!isWhole || isLost || unsynced || lines.length > 0 || seq === 0) return null;
    if (lastHead?.seq === seq) return lastHead;
    const { head: hash } = lines;
    lastHead = hash === null ? null : { seq, hash };
    return lastHead;
  };
  const leaveHead = (): void => {
    const last = head();
    if (last === null || seq === headed) return;
    appendHead(folder.path, basename(folder.path), last, signer);
    headed = seq;
    unsigned = 0;
  };
  return {
    folder,
    get isLost() {
      return isLost;
    },
    get head() {
      return head();
    },
    get hasShortSyncs() {
      return syncMs < SHORT_SYNC_MS;
    },
    get offset() {
      return written + lines.length;
    },
    append(events, firstSeq, time, hashes) {
      for (let at = 0; at < events.length; at++) {
        const hash = lines.add(events[at] as RunEvent, firstSeq + at, time);
        hashes?.push(hash);
        if (lines.length >= BATCH_BYTES) flush();
      }
      seq = firstSeq + events.length - 1;
      if (signer !== null && events.some(mustBeSigned)) unsigned = seq;
    },
    async sync(synchronously = false) {
      flush();
      if (!unsynced) return;
      unsynced = false;
      await folder.settled;
      const begun = clockMs();
      if (synchronously) attempt('write', path, () => fdatasyncSync(fd));
      else await syncData(fd, path);
      syncMs = clockMs() - begun;
      if (unsigned > 0) leaveHead();
    },
    async close() {
      try {
        if (!isLost) flush();
        if (unsynced) await syncData(fd, path);
        unsynced = false;
        leaveHead();
      } finally {
        closeSync(fd);
        folder.close();
      }
    },
  };
}

function attempt<T>(verb: string, path: string, action: () => T): T {
  try {
    return action();
  } catch (cause) {
    throw storeError(verb, path, cause);
  }
}

function syncData(fd: number, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    fdatasync(fd, (cause) => (cause === null ? resolve() : reject(storeError('write', path, cause))));
  });
}

/** A journal in memory. `events` holds the events of every run that used it. */
export interface MemoryJournal extends Journal {
  readonly events: RunEvent[];
}

export function memoryJournal(): MemoryJournal {
  const kept = new EventList();
  return {
    get events() {
      return kept.all();
    },
    open: () => ({
      folder: null,
      append(batch) {
        for (const event of batch) kept.add(event);
      },
      sync: () => Promise.resolve(),
      close: () => Promise.resolve(),
    }),
  };
}

const OTHER = 0;
const ENTERED = 1;
const COUNTED = 2;
const KINDS = 3;

/**
 * Events, of which the two of a loop that only computes are kept as two numbers each and become objects when they are
 * read: keeping a million objects takes the garbage collector longer than the loop takes.
 */
class EventList {
  /** For each event: its kind and the number of its name, and its value, or its place among the other events. */
  private numbers = new Int32Array(1024);
  private used = 0;
  private readonly names: string[] = [];
  private readonly numberOf = new Map<string, number>();
  private readonly others: RunEvent[] = [];
  private readonly made: RunEvent[] = [];

  add(event: RunEvent): void {
    if (isPlainEntry(event)) this.push(ENTERED + KINDS * this.numberOfName(event.state), 0);
    else if (isCount(event)) this.push(COUNTED + KINDS * this.numberOfName(event.name), event.value);
    else this.push(OTHER, this.others.push(event) - 1);
  }

  /** All events, in an array that has the later ones too once this is called again. */
  all(): RunEvent[] {
    while (2 * this.made.length < this.used) this.made.push(this.at(2 * this.made.length));
    return this.made;
  }

  private at(position: number): RunEvent {
    const [first, second] = [this.numbers[position] as number, this.numbers[position + 1] as number];
    const name = this.names[Math.floor(first / KINDS)] as string;
    if (first % KINDS === ENTERED) return { type: 'state_entered', state: name };
    if (first % KINDS === COUNTED) return { type: 'tracked_set', name, value: second };
    return this.others[second] as RunEvent;
  }

  private push(first: number, second: number): void {
    if (this.used === this.numbers.length) {
      const larger = new Int32Array(2 * this.used);
      larger.set(this.numbers);
      this.numbers = larger;
    }
    this.numbers[this.used++] = first;
    this.numbers[this.used++] = second;
  }

  private numberOfName(name: string): number {
    const known = this.numberOf.get(name);
    if (known !== undefined) return known;
    this.numberOf.set(name, this.names.length);
    return this.names.push(name) - 1;
  }
}
