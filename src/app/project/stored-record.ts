/**
 * The record of a run for debuggers and editors: what the run began with, its events, and the run executed again with the outcomes
 * on record, so that nothing is performed.
 */
import { statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import type { LinkedMachine } from '../../interpreter/run.js';
import type { Json } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import type { Redactor } from '../../runtime/redact.js';
import { recoveryContextOf } from '../../runtime/run/again/prepare-recovery.js';
import { followFromStart, type RecordFollower } from '../../runtime/run/again/recover.js';
import type { JournalRecord } from '../../runtime/store/journal-line.js';
import { journalStart, readJournal } from '../../runtime/store/read-journal.js';
import { lockHolder } from '../../runtime/store/run-lock.js';
import { JournalDamage } from '../../runtime/store/store-error.js';
import { findRunId, openStoredRun, runIds, type StoredRun } from '../../runtime/store/stored-run.js';
import { type DebuggedProgram, debugStored } from './debugged-program.js';
import type { ProjectHost } from './project-host.js';
import { folderOfNames, programOf } from './stored-program.js';

interface RecordedStart {
  /** The program that the run started with. */
  readonly machine: Machine;
  /** Without those that are secret. */
  readonly inputs: Readonly<Record<string, Json>>;
  readonly redactor: Redactor | null;
}

export class StoredRecord {
  constructor(private readonly stored: StoredRun) {}

  get id(): string {
    return this.stored.about.run_id;
  }

  get startedAt(): string {
    return this.stored.about.started_at;
  }

  get machineName(): string {
    return this.stored.about.machine;
  }

  /** The path of its program; null: it was no file. */
  get program(): string | null {
    return programOf(this.stored);
  }

  /** The folder that the names of its files are relative to. */
  get folder(): string {
    return folderOfNames(this.stored);
  }

  /** Where the events are, how many bytes, and since when. */
  get version(): { readonly journal: string; readonly size: number; readonly mtimeMs: number } {
    const { journal } = this.stored;
    const { size, mtimeMs } = statSync(journal);
    return { journal, size, mtimeMs };
  }

  /** Throws a `RunRefused` if the machine cannot be read. `env` may have values of secret inputs. */
  start(env: Readonly<Record<string, string | undefined>>): RecordedStart {
    return recoveryContextOf(this.stored, { env });
  }

  /** The events as far as they can be read. */
  visit(visit: (record: JournalRecord) => void): void {
    try {
      readJournal(
        this.stored.journal,
        (record) => {
          visit(record);
          return true;
        },
        journalStart,
      );
    } catch (cause) {
      if (!(cause instanceof JournalDamage)) throw cause;
    }
  }

  read(): JournalRecord[] {
    const records: JournalRecord[] = [];
    this.visit((record) => records.push(record));
    return records;
  }

  /** The run before its first event, which takes one event after the other. */
  follow(
    { inputs, redactor }: Pick<RecordedStart, 'inputs' | 'redactor'>,
    resumes: readonly JournalRecord[],
    linkedOf: (machine: Machine) => LinkedMachine,
  ): RecordFollower {
    return followFromStart(this.stored, { inputs, redactor, discarded: null, resumes, linkedOf });
  }

  /** A machine of the run with the places of its instructions. */
  debug(host: ProjectHost, machine: Machine): Promise<DebuggedProgram> {
    return debugStored(host, this.stored, machine);
  }
}

/** Opens the record of the run that an id, or a part of one, means. Throws a `RunRefused`. */
export function openRecord(directory: string, run: string): StoredRecord {
  return new StoredRecord(openStoredRun(directory, findRunId(directory, run)));
}

/** Opens the record in the folder of a run. Throws a `RunRefused`. */
export function openRecordIn(folder: string): StoredRecord {
  return new StoredRecord(openStoredRun(dirname(dirname(folder)), basename(folder)));
}

/** The records of some stores, newest first, of at most so many of the newest runs of each. Those that cannot be opened are left out. */
export function* newestRecords(
  directories: Iterable<string>,
  most = Number.POSITIVE_INFINITY,
): Generator<StoredRecord, void, undefined> {
  const found = [...directories].flatMap((directory) => {
    const ids = runIds(directory);
    return ids.slice(Math.max(0, ids.length - most)).map((id) => ({ directory, id }));
  });
  found.sort((a, b) => (a.id < b.id ? 1 : -1));
  for (const { directory, id } of found) {
    let record: StoredRecord;
    try {
      record = openRecord(directory, id);
    } catch {
      continue;
    }
    yield record;
  }
}

/** The folder of a run that a process on this computer executes; null: none does. Throws a `RunRefused`. */
export function executedFolder(directory: string, run: string): string | null {
  const { path } = openStoredRun(directory, findRunId(directory, run));
  return lockHolder(path).owner?.isHere === true ? path : null;
}
