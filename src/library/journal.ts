/** Journals for programs that store the events of a run in another way than in files. */
import type { RunEvent } from '../interpreter/events/event.js';
import {
  type MemoryJournal as JournalInMemory,
  fileJournal as journalInFiles,
  memoryJournal as journalInMemory,
} from '../runtime/store/journal.js';
import type { RunFacts } from '../runtime/store/run-header.js';
import type { Machine } from './compile.js';

/** What a journal gets before the first event of a run. */
export interface RunHeader extends RunFacts {
  readonly machine: Machine;
}

declare const folder: unique symbol;

/** The folder of a run on disk. Only `fileJournal` creates one. */
export interface RunFolder {
  readonly [folder]: true;
}

/**
 * The journal of one run. An event takes effect only after `sync` has resolved: until then the run neither shows it nor
 * acts on it.
 */
export interface OpenJournal {
  /** Null if nothing of the run is on disk. */
  readonly folder: RunFolder | null;
  /** Appends events, numbered from `firstSeq`. `time` is a time stamp in ISO 8601. */
  append(events: readonly RunEvent[], firstSeq: number, time: string): void;
  /** Resolves when all appended events are durable. A rejection ends the run. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/** Stores the events of runs. One journal may serve many runs. For `run`. */
export interface Journal {
  /** Called once for each run, before its first event. */
  open(header: RunHeader): OpenJournal;
}

/** A journal in memory. `events` contains the events of all runs that used it, in order. */
export interface MemoryJournal extends Journal {
  readonly events: RunEvent[];
}

/** Stores runs in `directory`, usually `.statedsl`, like the option `dir` of `run`. */
export function fileJournal(directory: string): Journal {
  return journalInFiles(directory) as unknown as Journal;
}

/** Stores events in memory, for tests and for runs that need not be resumed. */
export function memoryJournal(): MemoryJournal {
  return journalInMemory() satisfies JournalInMemory as unknown as MemoryJournal;
}
