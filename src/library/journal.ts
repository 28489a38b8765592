/** Where the events of a run are kept, for programs that keep them in another way than in files. */
import type { RunEvent } from '../interpreter/events/event.js';
import type { Json } from '../machine/expression.js';
import {
  type MemoryJournal as JournalInMemory,
  fileJournal as journalInFiles,
  memoryJournal as journalInMemory,
} from '../runtime/store/journal.js';
import type { Machine } from './compile.js';

/** What a journal learns about a run before its first event. */
export interface RunHeader {
  readonly runId: string;
  readonly machine: Machine;
  /** SHA-256 of the machine, in hexadecimal digits. */
  readonly digest: string;
  /** Secrets are already replaced. */
  readonly inputs: Readonly<Record<string, Json>>;
  /** ISO 8601. */
  readonly startedAt: string;
  /** Where commands run, absolute. */
  readonly cwd: string;
  /** Of statedsl. */
  readonly version: string;
}

declare const folder: unique symbol;

/** The folder of a run on disk. Only `fileJournal` makes one. */
export interface RunFolder {
  readonly [folder]: true;
}

/** The journal of one run. An event counts once `sync` has resolved: only then is it shown or acted on. */
export interface OpenJournal {
  /** Null: nothing of the run is on disk. */
  readonly folder: RunFolder | null;
  /** Takes events whose numbers start at `firstSeq`; `time` is an ISO 8601 time stamp. */
  append(events: readonly RunEvent[], firstSeq: number, time: string): void;
  /** Resolves when everything that was appended is durable; rejecting ends the run. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Keeps the events of runs; one journal may serve many. For `run`. */
export interface Journal {
  /** Called once for each run, before its first event. */
  open(header: RunHeader): OpenJournal;
}

/** A journal that ends with the process; `events` holds the events of every run that used it, in order. */
export interface MemoryJournal extends Journal {
  readonly events: RunEvent[];
}

/** Keeps runs in a folder below `directory`, usually `.statedsl`: what `run` does with `dir`. */
export function fileJournal(directory: string): Journal {
  return journalInFiles(directory) as unknown as Journal;
}

/** Keeps events in memory: for tests, and for runs that nobody resumes. */
export function memoryJournal(): MemoryJournal {
  return journalInMemory() satisfies JournalInMemory as unknown as MemoryJournal;
}
