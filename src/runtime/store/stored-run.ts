/**
 * The stored files of a run: found by its id or the beginning of its id, and read, or refused with a reason and a next
 * step. Reading needs no lock; resuming the run takes the lock first.
 */
import { existsSync, opendirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../../machine/expression.js';
import { type Machine, RUN_FORMAT } from '../../machine/machine.js';
import { artifactsFolder } from './artifacts.js';
import { digestOf } from './image.js';
import { decodeValue } from './large-values.js';
import { entryAt, isOwnFolder, readOwn } from './own-file.js';
import type { FixedOptions, IndexEntry, ProgramText, RunKey } from './run-header.js';
import { lockHolder } from './run-lock.js';
import { errorCode, RunRefused, storeError } from './store-error.js';

/** `run.json`. */
export interface RunAbout {
  readonly run_id: string;
  readonly machine: string;
  readonly digest: string;
  readonly inputs: Readonly<Record<string, Json>>;
  /** ISO 8601. */
  readonly started_at: string;
  readonly cwd: string;
  readonly program: string | null;
  readonly sources: readonly string[];
  readonly options: FixedOptions;
  readonly settings: Readonly<Record<string, Json>>;
  /** Runs with the same key are executed one at a time. */
  readonly key?: RunKey;
  /** `RUN_FORMAT` of the version that recorded it. */
  readonly format?: number;
  /** The lines of its journal have hashes of this kind. */
  readonly chain?: 'sha256';
  /** The key that signs the record: SHA-256 of the public key. */
  readonly signed_by?: string;
  readonly versions: { readonly statedsl: string; readonly node: string };
}

export interface StoredRun {
  readonly about: RunAbout;
  /** The folder of the run. */
  readonly path: string;
  readonly journal: string;
}

const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function isRunId(name: string): boolean {
  return ID.test(name);
}

/** The ids of all runs of a store, oldest first. A link is not a run. */
export function runIds(directory: string): string[] {
  refuseLinks(directory);
  try {
    return readdirSync(join(directory, 'runs'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && ID.test(entry.name))
      .map(({ name }) => name)
      .sort();
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT' || errorCode(cause) === 'ENOTDIR') return [];
    throw storeError('read', join(directory, 'runs'), cause);
  }
}

/** A shorter end of an id means none. */
const SHORT_ID = 4;

/** The id of the run that an id, or the beginning or end of one, names. Throws a `RunRefused`. */
export function findRunId(directory: string, name: string): string {
  refuseLinks(directory);
  const isWhole = ID.test(name);
  if (isWhole && isOwnFolder(join(directory, 'runs', name))) return name;
  // A whole id is the beginning of no other, and reading the names of ten thousand runs would take a while.
  if (isWhole && hasRuns(directory)) throw unknownRun(directory, name, true);
  const ids = runIds(directory);
  const begun = name === '' ? [] : ids.filter((id) => id.startsWith(name));
  // Lists show the end of an id, because runs of one minute begin alike.
  const found = begun.length > 0 || name.length < SHORT_ID ? begun : ids.filter((id) => id.endsWith(name));
  if (found.length === 1) return found[0] as string;
  if (found.length > 1)
    throw new RunRefused(
      'unknown',
      `\`${name}\` is the ${begun.length > 0 ? 'beginning' : 'end'} of ${found.length} runs`,
      `write more of the id: ${found.slice(-3).join(', ')}`,
    );
  throw unknownRun(directory, name, ids.length > 0);
}

/** Below the folder of a store: the runs that a service has accepted, each as `ID.json`. */
export const QUEUE = join('service', 'queue');

/** The run of a service that a name means and that has no record yet. */
function queuedRun(directory: string, name: string): string | undefined {
  try {
    const ids = readdirSync(join(directory, QUEUE)).map((file) => file.replace(/\.json$/, ''));
    const isOfRun = (id: string): boolean => ID.test(id) && !existsSync(join(directory, 'trials', id));
    return ids.find((id) => name !== '' && id.startsWith(name) && isOfRun(id));
  } catch {
    return undefined;
  }
}

function unknownRun(directory: string, name: string, hasOthers: boolean): RunRefused {
  const queued = queuedRun(directory, name);
  if (queued !== undefined) {
    const message = `run \`${queued}\` has not begun: it is in the queue of a service`;
    return new RunRefused('unknown', message, 'try again when `statedsl runs` lists it, or ask the service over HTTP');
  }
  const help = hasOthers
    ? 'list the runs: `statedsl runs`'
    : 'name the store of the run with `--dir`; `statedsl run FILE` starts one here';
  return new RunRefused('unknown', `there is no run \`${name}\` in \`${directory}\``, help);
}

/** Whether a store has runs, without reading the names of all of them. False if that cannot be found out. */
function hasRuns(directory: string): boolean {
  try {
    const folder = opendirSync(join(directory, 'runs'));
    try {
      for (let entry = folder.readSync(); entry !== null; entry = folder.readSync())
        if (entry.isDirectory() && ID.test(entry.name)) return true;
      return false;
    } finally {
      folder.closeSync();
    }
  } catch {
    return false;
  }
}

/** Reads the files of a run. Throws a `RunRefused`. */
export function openStoredRun(directory: string, runId: string): StoredRun {
  refuseLinks(directory);
  return openFoundRun(directory, runId);
}

/** As `openStoredRun`, for an id that `findRunId` has just returned: the links of the store were looked at. */
export function openFoundRun(directory: string, runId: string): StoredRun {
  const path = join(directory, 'runs', runId);
  for (const folder of [path, ...['artifacts', 'source', 'checkpoints'].map((name) => join(path, name))])
    if (entryAt(folder)?.isSymbolicLink())
      throw new RunRefused('foreign', `\`${folder}\` is a symbolic link`, 'remove the link');
  const isUnfinished = existsSync(path) && !hasBegun(directory, runId);
  const isAwaited =
    isUnfinished && (lockHolder(path).owner !== null || existsSync(join(directory, QUEUE, `${runId}.json`)));
  if (isAwaited) throw aboutToBegin(runId);
  if (isUnfinished)
    throw new RunRefused(
      'unusable',
      `the process of run \`${runId}\` ended before the run began`,
      'run the program again; `statedsl gc` removes the remains',
    );
  const about = readJson<RunAbout>(join(path, 'run.json'));
  if (about.format !== RUN_FORMAT)
    throw new RunRefused(
      'unusable',
      `run \`${runId}\` was recorded by statedsl ${about.versions.statedsl} in ${about.format === undefined ? 'a format before 1' : `format ${about.format}`}; this version reads format ${RUN_FORMAT}`,
      `read it with statedsl ${about.versions.statedsl}`,
    );
  const inputs = decodeValue(about.inputs, artifactsFolder(path)) as RunAbout['inputs'];
  return { about: { ...about, inputs }, path, journal: join(path, 'journal.ndjson') };
}

/** A process has the run, which has not recorded anything yet. */
export function aboutToBegin(runId: string): RunRefused {
  return new RunRefused('held', `run \`${runId}\` is about to begin`, 'try again in a moment');
}

/** `run.json` is written last: in a folder without it, a process died before its run began. */
export function hasBegun(directory: string, id: string): boolean {
  return existsSync(join(directory, 'runs', id, 'run.json'));
}

const machines = new WeakMap<StoredRun, Map<string, Machine>>();
/** The last machines, as the texts of their files. Most runs of a store are runs of few programs. */
const lastMachines = new Map<string, { readonly text: string; readonly machine: Machine }>();
const MOST_MACHINES = 16;
const LONGEST_KEPT = 1024 * 1024;

/** A machine that the run is or was executed with. Throws a `RunRefused`, also if its digest does not match. */
export function storedMachine(stored: StoredRun, digest: string): Machine {
  const known = machines.get(stored) ?? new Map<string, Machine>();
  machines.set(stored, known);
  let machine = known.get(digest);
  if (machine === undefined) {
    const path = join(stored.path, machineFile(stored.about, digest));
    machine = machineAt(path, digest);
    known.set(digest, machine);
  }
  return machine;
}

function machineAt(path: string, digest: string): Machine {
  const text = readText(path);
  const last = lastMachines.get(digest);
  // What was used last is evicted last.
  lastMachines.delete(digest);
  if (last?.text === text) {
    lastMachines.set(digest, last);
    return last.machine;
  }
  const machine = parseJson<Machine>(path, text);
  if (digestOf(machine) !== digest) throw new RunRefused('unusable', `the run cannot be read: \`${path}\` is damaged`);
  if (text.length <= LONGEST_KEPT) lastMachines.set(digest, { text, machine });
  const [oldest] = lastMachines.keys();
  if (lastMachines.size > MOST_MACHINES && oldest !== undefined) lastMachines.delete(oldest);
  return machine;
}

/** The file of a machine. The first one has the plain name; those that replaced it are named by their digest. */
export function machineFile(about: RunAbout, digest: string): string {
  return digest === about.digest ? 'machine.json' : `machine-${digest.slice(0, 16)}.json`;
}

/** The source texts of the run's program. */
export function storedSources({ path, about }: StoredRun): ProgramText[] {
  const folder = join(path, 'source');
  try {
    const files = readdirSync(folder);
    return about.sources.flatMap((name, index) => {
      const file = files.find((one) => one.startsWith(`${index}-`));
      return file === undefined ? [] : [{ name, text: readOwn(join(folder, file)).toString('utf8') }];
    });
  } catch {
    // They only illustrate messages, which then omit the line.
    return [];
  }
}

const readJson = <T>(path: string): T => parseJson<T>(path, readText(path));

function readText(path: string): string {
  try {
    return readOwn(path).toString('utf8');
  } catch (cause) {
    throw unreadable(path, storeError('read', path, cause).message);
  }
}

function parseJson<T>(path: string, text: string): T {
  try {
    return JSON.parse(text) as T;
  } catch {
    throw unreadable(path, 'it is incomplete');
  }
}

function unreadable(path: string, why: string): RunRefused {
  return new RunRefused('unusable', `the run cannot be read from \`${path}\`: ${why}`);
}

const LINE_START = '{"run_id":';

/** The last line of each run in the index, in the order of these lines. Skips damaged lines, because it is only a list. */
export function readIndex(directory: string): Map<string, IndexEntry> {
  const entries = new Map<string, IndexEntry>();
  try {
    addIndexLines(entries, readOwn(join(directory, 'runs', 'index.ndjson')).toString('utf8'));
  } catch {
    // Without an index, the folders of the runs say what there is.
  }
  return entries;
}

/** Adds the entries of a part of the index that begins and ends with whole lines. */
export function addIndexLines(entries: Map<string, IndexEntry>, text: string): void {
  for (const line of text.split('\n')) {
    const entry = indexEntryOf(line);
    if (entry === null) continue;
    entries.delete(entry.run_id);
    entries.set(entry.run_id, entry);
  }
}

/** The entry of a line of the index; null for a line that is empty or damaged. */
export function indexEntryOf(line: string): IndexEntry | null {
  if (line === '') return null;
  try {
    // After a line that a full disk tore, the next one begins in the middle of a line.
    return JSON.parse(line.slice(Math.max(0, line.lastIndexOf(LINE_START)))) as IndexEntry;
  } catch {
    // The torn line itself.
    return null;
  }
}

/** What has become of a run. `killed`: its process died without recording an end. */
export type RunStatus = 'returned' | 'failed' | 'skipped' | 'suspended' | 'interrupted' | 'running' | 'killed';

/** The status of a run: that of the index, unless the run was resumed since. */
export function runStatus(directory: string, runId: string, entry: IndexEntry | undefined): RunStatus {
  // An ended run is not resumed without a new line in the index.
  if (entry !== undefined && entry.status !== 'running') return entry.status as RunStatus;
  try {
    return lockHolder(join(directory, 'runs', runId)).owner === null ? 'killed' : 'running';
  } catch {
    return 'killed';
  }
}

/** What decides which runs the service executes and whom it notifies. */
export const SERVICE_PARTS = ['service/queue', 'service/deliveries', 'service/processes', 'service/notices'];

/** What runs take over from earlier ones: outcomes, results of trials, what was spent, and when schedules began. */
export const SHARED_PARTS = ['memo', 'trials', 'budget', 'schedules'];

/** The parts of a store that would lead out of it as links. */
const PARTS = [
  ...['runs', 'keys', 'worktrees', 'index.ndjson', 'runs/index.ndjson', 'service'],
  ...SERVICE_PARTS,
  ...SHARED_PARTS,
];

/** Whether a store, or a part of it, is a symbolic link. */
export function leadsElsewhere(directory: string): boolean {
  return ['', ...PARTS].some((part) => entryAt(join(directory, part))?.isSymbolicLink());
}

/** Throws a `RunRefused` if parts of the store are symbolic links. */
export function refuseLinks(directory: string): void {
  for (const part of PARTS) {
    const path = join(directory, part);
    if (!entryAt(path)?.isSymbolicLink()) continue;
    const help = 'remove the link, or choose another store with `--dir`';
    throw new RunRefused('foreign', `the store \`${directory}\` is not used: \`${path}\` is a symbolic link`, help);
  }
}

/** Null: there is none. */
export function latestRun(directory: string): string | null {
  const ids = runIds(directory).reverse();
  return ids.find((id) => hasBegun(directory, id)) ?? null;
}
