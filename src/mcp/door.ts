/** What the tools of agents work on: programs, runs, the processes that execute runs, and who may do what. */
import { spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { linkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createRequestStateCodec, type RequestStateCodec } from '@modelcontextprotocol/server';
import { openPrograms, openRuns } from '../app/open-runs.js';
import type { Programs } from '../app/programs.js';
import type { Runs } from '../app/runs.js';
import { printJson } from '../interpreter/values/json.js';
import type { Value } from '../interpreter/values/value.js';
import type { Json } from '../machine/expression.js';
import { entryAt, makeFolder, readOwn, writeOwn } from '../runtime/store/own-file.js';
import { errorCode, storeError } from '../runtime/store/store-error.js';
import { makeStore, requireOwnStore } from '../runtime/store/store-ownership.js';
import { type Checks, checkInProcesses, checkWith } from '../serve/checking.js';
import { Executions } from '../serve/executions/executions.js';
import type { RunProcess } from '../serve/executions/promised-run.js';
import { makeServiceFolder, serviceFolder } from '../serve/executions/waiting-list.js';
import type { FormState } from './caller.js';

/** Runs that the workers of an engine execute. */
export interface EngineOfDoor {
  /** Its address. */
  readonly on: string;
  readonly runs: Runs;
  /** Programs may call the functions of the workers. */
  readonly programs: Programs;
}

export interface DoorOptions {
  /** The folder of the programs. */
  readonly programs: string;
  /** The folder of the runs, or of copies of them. */
  readonly directory: string;
  /** Null: runs are executed here. */
  readonly engine: EngineOfDoor | null;
  readonly isReadOnly: boolean;
  /** Agents may answer questions that are for people. */
  readonly agentsMayAnswer: boolean;
  /** The folder of the skill; null: this installation has none. */
  readonly skill: string | null;
  readonly version: string;
}

export interface Door extends DoorOptions {
  readonly folder: Programs;
  /** Of texts of any size: others are answered meanwhile. */
  readonly checks: Checks;
  readonly runs: Runs;
  /** Makes what is kept next to the runs. Rejects with a `RunRefused` or a `StoreError`. */
  openStore(): Promise<void>;
  /** Made when the first run is started. Rejects with a `RunRefused` or a `StoreError`. */
  executions(): Promise<Executions>;
  /** Seals what a form has to bring back. */
  codec(): Promise<RequestStateCodec<FormState>>;
  /** Runs whose call was cancelled while it waited: the next `get` says once that they went on. */
  readonly left: Set<string>;
}

/** A form may be answered later than a service is restarted. */
const FORM_SECONDS = 7 * 24 * 60 * 60;

/** What takes long is checked in a process of its own: starting one takes longer than checking a flow as agents write it. */
function checksOf(options: Parameters<typeof checkingProcess>[0], folder: Parameters<typeof checkWith>[0]): Checks {
  const [far, near] = [checkInProcesses(checkingProcess(options)), checkWith(folder)];
  return { ...far, review: (source, fix) => (far.isLong(source) ? far : near).review(source, fix) };
}

/** `start`: executes a run, otherwise in a process of its own; checks are then made in this process, too. */
export function openDoor(options: DoorOptions, start?: (runId: string, secret: DoorSecret) => RunProcess): Door {
  const { programs, directory, engine } = options;
  const own = { folder: programs, dir: directory };
  let executions: Promise<Executions> | null = null;
  let codec: RequestStateCodec<FormState> | null = null;
  const openStore = async (): Promise<void> => {
    makeStore(directory);
    await requireOwnStore(directory);
    makeServiceFolder(directory);
  };
  const folder = engine?.programs ?? openPrograms(own);
  const door: Door = {
    ...options,
    folder,
    checks: start === undefined ? checksOf(options, folder) : checkWith(folder),
    runs: engine?.runs ?? openRuns(own),
    openStore,
    executions() {
      executions ??= openStore().then(
        () =>
          new Executions({
            directory,
            atOnce: Number.POSITIVE_INFINITY,
            start: start ?? ((runId, secret) => startProcess(runId, secret, options)),
          }),
      );
      // Something that was in the way may be gone at the next call.
      executions.catch(() => {
        executions = null;
      });
      return executions;
    },
    async codec() {
      await openStore();
      codec ??= createRequestStateCodec<FormState>({ key: sealingKey(directory), ttlSeconds: FORM_SECONDS });
      return codec;
    },
    left: new Set(),
  };
  return door;
}

type DoorSecret = Readonly<Record<string, Json>>;

const ownCommand = (): readonly string[] => [...process.execArgv, process.argv[1] as string];

function checkingProcess({ directory, programs, engine }: DoorOptions): Parameters<typeof checkInProcesses>[0] {
  const on = engine === null ? [] : ['--on', engine.on];
  const words = ['serve', '--check', '--dir', directory, '--programs', programs, ...on];
  return { command: [process.execPath, ...ownCommand(), ...words], folder: programs };
}

/**
 * The process of a run: it has a process group of its own and outlives this one, because clients start and end servers as
 * they like.
 */
function startProcess(runId: string, secret: DoorSecret, { directory, programs }: DoorOptions): RunProcess {
  const words = ['serve', '--execute', runId, '--dir', directory, '--programs', programs];
  const child = spawn(process.execPath, [...ownCommand(), ...words], {
    cwd: programs,
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.unref();
  const end = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => {
      if (child.pid === undefined) resolve();
    });
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(printJson({ secret, parent: null, share: Number.MAX_SAFE_INTEGER } as Value));
  return { end, interrupt: () => void child.kill('SIGTERM') };
}

const KEY_BYTES = 32;

/** The key is in the store, so that forms outlive this process. Throws a `StoreError`. */
function sealingKey(directory: string): Uint8Array {
  const path = join(serviceFolder(directory), 'forms.key');
  const made = onceOnDisk(path, randomBytes(KEY_BYTES).toString('hex'));
  return Buffer.from(made, 'hex');
}

/** The content of a file, which is written if there is none. Of two processes that write it, both get the same. */
function onceOnDisk(path: string, content: string): string {
  try {
    if (entryAt(path) === null) {
      const draft = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`;
      writeOwn(draft, content, 'w', true);
      try {
        linkSync(draft, path);
      } catch (cause) {
        if (errorCode(cause) !== 'EEXIST') throw cause;
      } finally {
        rmSync(draft, { force: true });
      }
    }
    return readOwn(path).toString('utf8');
  } catch (cause) {
    throw storeError('write', path, cause);
  }
}

/** What was started with a key: the first run, and what it was started with. */
export interface KeyedRun {
  readonly run_id: string;
  /** Distinguishes what is started. */
  readonly digest: string;
}

/** The run that a key stands for, on disk when this returns; the given one if the key is new. Throws a `StoreError`. */
export function keyedRun(directory: string, key: string, wanted: KeyedRun): KeyedRun {
  const folder = join(serviceFolder(directory), 'keys');
  makeFolder(folder, 0o700);
  const name = createHash('sha256').update(key).digest('hex');
  return JSON.parse(onceOnDisk(join(folder, `${name}.json`), JSON.stringify(wanted))) as KeyedRun;
}
