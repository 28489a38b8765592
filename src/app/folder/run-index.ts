/**
 * What a folder has about its runs in general, kept between two lists: a service is asked for the same ten thousand runs
 * again and again. Only what was appended to the index since the last list is read.
 */
import { Buffer } from 'node:buffer';
import { closeSync, fstatSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { entryAt, openOwn, readOwn } from '../../runtime/store/own-file.js';
import type { IndexEntry } from '../../runtime/store/run-header.js';
import { addIndexLines, type RunAbout, runIds } from '../../runtime/store/stored-run.js';
import { type SearchedInput, searchedInputs } from '../run-filter.js';

/** A folder that changed so shortly before may change again without a new time. Milliseconds. */
const SETTLED_MS = 2000;
/** How much of the inputs of a run is kept for searching, in characters. */
const INPUT_CHARACTERS = 4096;
const NEWLINE = 10;

export class RunIndex {
  private entries = new Map<string, IndexEntry>();
  /** The file whose first `read` bytes are in `entries`. */
  private file = { ino: 0, read: 0 };
  private ids: { readonly changedMs: number; readonly all: readonly string[] } | null = null;
  private readonly inputs = new Map<string, KeptInputs>();

  constructor(readonly directory: string) {}

  /** The ids of all runs, newest first. Throws a `RunRefused` or a `StoreError`. */
  newestFirst(): readonly string[] {
    const changedMs = entryAt(join(this.directory, 'runs'))?.mtimeMs ?? 0;
    if (this.ids === null || this.ids.changedMs !== changedMs || Date.now() - changedMs < SETTLED_MS)
      this.ids = { changedMs, all: runIds(this.directory).reverse() };
    return this.ids.all;
  }

  /** The last line of each run in the index. */
  read(): ReadonlyMap<string, IndexEntry> {
    let fd: number;
    try {
      fd = openOwn(join(this.directory, 'runs', 'index.ndjson'), 'r');
    } catch {
      return new Map();
    }
    try {
      const { ino, size } = fstatSync(fd);
      // Removing runs makes a new file.
      if (ino !== this.file.ino || size < this.file.read) {
        this.entries = new Map();
        this.file = { ino, read: 0 };
      }
      const bytes = Buffer.allocUnsafe(size - this.file.read);
      const count = readSync(fd, bytes, 0, bytes.length, this.file.read);
      const end = bytes.subarray(0, count).lastIndexOf(NEWLINE) + 1;
      addIndexLines(this.entries, bytes.toString('utf8', 0, end));
      this.file = { ino, read: this.file.read + end };
      return this.entries;
    } finally {
      closeSync(fd);
    }
  }

  /** They never change. */
  inputsOf(runId: string): KeptInputs {
    let inputs = this.inputs.get(runId);
    if (inputs === undefined) {
      inputs = keptInputs(join(this.directory, 'runs', runId));
      this.inputs.set(runId, inputs);
    }
    return inputs;
  }
}

/** The inputs of a run: the beginning of their JSON in lower case, and each of those that are not too large. */
interface KeptInputs {
  readonly text: string;
  readonly each: readonly SearchedInput[];
}

function keptInputs(folder: string): KeptInputs {
  try {
    const about = JSON.parse(readOwn(join(folder, 'run.json')).toString('utf8')) as Partial<RunAbout>;
    const { inputs = {}, options } = about;
    const each = searchedInputs(inputs, options?.printed_inputs).filter(
      ({ value }) => value.length <= INPUT_CHARACTERS,
    );
    return { text: JSON.stringify(inputs).slice(0, INPUT_CHARACTERS).toLowerCase(), each };
  } catch {
    // A run that never began has no inputs.
    return { text: '', each: [] };
  }
}
