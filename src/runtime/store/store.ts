/**
 * The folder of a run: its files, who may read them, and when they are written. It has everything that a later process
 * needs to resume the run, including the compiled machine and its source text, so that editing a file never changes a
 * run. Only their owner may read the files, because inputs and outputs are private.
 */
import { Buffer } from 'node:buffer';
import { close, closeSync, fsync, open, renameSync, writeFileSync, writeSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fromRecord, type Printed, printIndented } from '../../interpreter/values/json.js';
import type { Value } from '../../interpreter/values/value.js';
import type { Json } from '../../machine/expression.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { thisOrigin } from '../process/process-group.js';
import { artifactsFolder, folderArtifacts } from './artifacts.js';
import { LargeValues } from './large-values.js';
import { makeFolder, openOwn, readOwn, writeOwn } from './own-file.js';
import type { IndexEntry, RunHeader } from './run-header.js';
import { lockRun, type RunLock } from './run-lock.js';
import { RunRefused, StoreError, storeError } from './store-error.js';
import { makeStore } from './store-ownership.js';
import type { RunAbout } from './stored-run.js';

export interface RunFolder {
  readonly path: string;
  /** `run.json`, if the lines of the journal are chained, beginning with it; else null. */
  readonly chainStart: Uint8Array | null;
  /** The folder with files that are named by the SHA-256 of their content. */
  readonly artifacts: string;
  readonly large: LargeValues;
  /** Settles when the files that are written at the start are on disk. */
  readonly settled: Promise<void>;
  /** Replaces `state.json`: one flat object with sorted keys, and numbers as they were written. */
  writeState(values: Readonly<Record<string, Json>>, printed?: Printed): void;
  /** Replaces the state file for workflow files of the older dialect. */
  writeStateBag(bag: Readonly<Record<string, Json>>): void;
  appendIndex(entry: IndexEntry): void;
  /** Records a process, so that a later process finds what a killed runner left behind. */
  recordProcess(record: Readonly<Record<string, Json>>): void;
  /** Whether this process still holds the run. */
  isHeld(): boolean;
  close(): void;
}

/**
 * Makes the folder of a new run. `chained`: the lines of its journal have hashes, and perhaps a key signs them. Throws a
 * `StoreError` if it cannot.
 */
export function createRunFolder(
  directory: string,
  header: RunHeader,
  chained: { readonly key?: string | undefined } | null = {},
): RunFolder {
  const path = join(directory, 'runs', header.runId);
  const artifacts = artifactsFolder(path);
  try {
    makeStore(directory);
    makeFolder(path, 0o700);
    makeFolder(artifacts, 0o700);
  } catch (cause) {
    if (cause instanceof RunRefused) throw new StoreError(cause.message);
    throw storeError('create the directory of the run', path, cause);
  }
  const attempt = lockRun(path);
  if (!('lock' in attempt)) throw new Error(`the new run ${header.runId} is held already`);
  const { about, files } = writeStart(path, header, chained);
  const settled = syncAll([...files, path, join(directory, 'runs')]);
  return runFolder(directory, path, {
    lock: attempt.lock,
    settled,
    chainStart: chained === null ? null : Buffer.from(about),
  });
}

/** Opens the folder of an existing run. Closing it releases `lock`. */
export function openRunFolder(directory: string, runId: string, lock: RunLock): RunFolder {
  const path = join(directory, 'runs', runId);
  return runFolder(directory, path, { lock, settled: Promise.resolve(), chainStart: chainStartOf(path) });
}

function chainStartOf(path: string): Uint8Array | null {
  const file = join(path, 'run.json');
  try {
    const bytes = readOwn(file);
    return (JSON.parse(bytes.toString('utf8')) as RunAbout).chain === undefined ? null : bytes;
  } catch (cause) {
    throw storeError('read', file, cause);
  }
}

type FolderParts = Pick<RunFolder, 'settled' | 'chainStart'> & { readonly lock: RunLock };

function runFolder(directory: string, path: string, { lock, settled, chainStart }: FolderParts): RunFolder {
  let processes: number | null = null;
  let stateText: string | null = null;
  const artifacts = artifactsFolder(path);
  const large = new LargeValues(folderArtifacts(artifacts));
  return {
    path,
    chainStart,
    artifacts,
    large,
    settled,
    writeState(values, printed = {}) {
      const sorted = Object.fromEntries(Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1)));
      const document = large.document(sorted, false);
      // A reference to an artifact stays one.
      const whole = Object.entries(document).map(([name, value]) => [
        name,
        value === sorted[name] && Object.hasOwn(printed, name) ? fromRecord(value, printed[name]) : value,
      ]);
      const text = `${printIndented(Object.fromEntries(whole) as Value)}\n`;
      // Many short runs have the same values at their end as at their beginning.
      if (text === stateText) return;
      replaceFile(join(path, 'state.json'), text);
      stateText = text;
    },
    writeStateBag(bag) {
      replaceFile(join(path, 'state-bag.json'), `${JSON.stringify(bag, null, 2)}\n`);
    },
    appendIndex(entry) {
      appendLine(join(directory, 'runs', 'index.ndjson'), JSON.stringify(entry));
    },
    recordProcess(record) {
      const file = join(path, 'processes.ndjson');
      try {
        if (processes === null) {
          processes = openOwn(file, 'a');
          // Process ids are meaningful only on the host and in the namespace that assigned them.
          writeSync(processes, `\n${JSON.stringify(thisOrigin())}\n`);
        }
        writeSync(processes, `${JSON.stringify(record)}\n`);
      } catch (cause) {
        throw storeError('write', file, cause);
      }
    },
    isHeld: () => lock.holds(),
    close() {
      if (processes !== null) closeSync(processes);
      processes = null;
      lock.release();
    },
  };
}

/** Writes the files that never change during a run. Returns the text of `run.json`, and the paths of all. */
function writeStart(
  path: string,
  header: RunHeader,
  chained: { readonly key?: string | undefined } | null,
): { about: string; files: string[] } {
  const { runId, machine, digest, inputs, startedAt, cwd, version, sources, options, settings, key } = header;
  const about = {
    run_id: runId,
    machine: machine.name,
    digest,
    inputs: new LargeValues(folderArtifacts(artifactsFolder(path))).document(inputs),
    started_at: startedAt,
    cwd,
    program: sources[0]?.name ?? null,
    sources: sources.map(({ name }) => name),
    options,
    settings,
    ...omitUndefined({ key }),
    format: machine.version,
    ...(chained === null ? {} : omitUndefined({ chain: 'sha256' as const, signed_by: chained.key })),
    versions: { statedsl: version, node: process.versions.node },
  };
  const files: [string, string][] = [
    ['machine.json', `${JSON.stringify(machine)}\n`],
    ['journal.ndjson', ''],
  ];
  // Numbers distinguish files with the same base name and keep the order in which they were read.
  sources.forEach((source, index) => {
    files.push([join('source', `${index}-${safeName(source.name)}`), source.text]);
  });
  try {
    makeFolder(join(path, 'source'), 0o700);
    for (const [name, text] of files) writeFileSync(join(path, name), text, { mode: 0o600 });
  } catch (cause) {
    throw storeError('write into the directory of the run', path, cause);
  }
  // Last and in one step: a folder with this file has everything that resuming needs.
  const last = join(path, 'run.json');
  const text = `${JSON.stringify(about, null, 2)}\n`;
  replaceFile(last, text);
  return { about: text, files: [...files.map(([name]) => join(path, name)), last] };
}

function safeName(name: string): string {
  return (
    basename(name)
      .replace(/[^A-Za-z0-9._-]/g, '_')
      .slice(0, 100) || 'program'
  );
}

/** Replaces a file by renaming: readers find the old file or the new one, never a part. */
export function replaceFile(path: string, text: string): void {
  const fresh = `${path}.new`;
  try {
    writeOwn(fresh, text);
    renameSync(fresh, path);
  } catch (cause) {
    throw storeError('write', path, cause);
  }
}

/** Appends with one write, so that lines of several processes never mix. */
function appendLine(path: string, line: string): void {
  try {
    writeOwn(path, `${line}\n`, 'a');
  } catch (cause) {
    throw storeError('write', path, cause);
  }
}

/** Makes files and folders durable, all at once, while the run already computes. */
function syncAll(paths: readonly string[]): Promise<void> {
  const all = Promise.all(paths.map(syncPath)).then(() => undefined);
  // The caller that awaits this gets the error. A run that ends earlier must not crash from an unhandled rejection.
  all.catch(() => undefined);
  return all;
}

function syncPath(path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    open(path, 'r', (openCause, fd) => {
      if (openCause !== null) {
        reject(storeError('open', path, openCause));
        return;
      }
      fsync(fd, (cause) => {
        close(fd);
        if (cause === null) resolve();
        else reject(storeError('write', path, cause));
      });
    });
  });
}
