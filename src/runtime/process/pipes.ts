/**
 * Pipes for the output of commands. Node connects children by sockets, and a socket cannot be opened again by name:
 * `echo problem > /dev/stderr`, `tee /dev/stderr` and `open('/dev/stdout')` fail on it. Scripts do that, so children
 * get named pipes, made a few at a time and used again and again. Where there are none a child gets sockets after all.
 */
import { spawn } from 'node:child_process';
import { accessSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeQuietly } from './scratch.js';
import { makeTemporaryFolder, removeTemporaryFolder, SHARED_MEMORY } from './temporary-folder.js';

/** A pipe that is open for reading. */
export interface Pipe {
  readonly path: string;
  /** Reading from it gives nothing at its end, and `EAGAIN` where there are writers. */
  readonly readEnd: number;
  /** Reads while it is written to. Give it a pipe that has a writer: one that has none is at its end. */
  reader(): Socket;
}

/** The pipes of one command. */
export interface PipePair {
  readonly stdout: Pipe;
  readonly stderr: Pipe;
  /** Descriptors for a child, which the parent closes after the start; null where there are none to be had. */
  openWriteEnds(): readonly [number, number] | null;
  /** `ended`: all writers were gone, so the pipes can serve the next command. */
  release(ended: boolean): void;
}

export interface PipePool {
  /** Null where named pipes cannot be had. */
  take(): Promise<PipePair | null>;
  remove(): void;
}

/** Makes named pipes; rejects where that is not possible. */
export type MakePipes = (paths: readonly string[]) => Promise<void>;

/** Made together, since starting `mkfifo` costs more than making a hundred pipes. */
const BATCH = 64;
/** Pairs that are kept open for the next commands. */
const KEPT = 8;

/** `makePipes` is tried before the program `mkfifo`. */
export function createPipePool(makePipes: MakePipes | null = null): PipePool {
  let folder: string | null = null;
  let made = 0;
  let making = false;
  let broken = false;
  const free: string[] = [];
  const kept: OpenPair[] = [];
  const waiting: ((pair: PipePair | null) => void)[] = [];

  const next = (): PipePair | null | undefined => {
    if (broken) return null;
    const open = kept.pop();
    if (open !== undefined) return open;
    const path = free.pop();
    if (path === undefined) return undefined;
    const pair = openPair(path, (ended) => {
      if (ended && !broken && kept.length < KEPT && pair?.isUntouched() === true) kept.push(pair);
      else {
        pair?.close();
        // A straggler that still writes would be heard by the next command.
        if (ended) free.push(path);
      }
    });
    // A pipe that cannot be opened (a limit on open files, for one) means that there are no more to be had.
    broken = pair === null;
    return pair;
  };
  const serve = (): void => {
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      const pair = next();
      if (pair === undefined) return;
      waiting.shift();
      first(pair);
    }
  };
  const make = async (): Promise<void> => {
    while (waiting.length > 0 && !broken) {
      const count = Math.min(waiting.length, BATCH);
      try {
        folder ??= pipeFolder();
        const root = folder;
        const paths = Array.from({ length: count }, () => join(root, String(made++)));
        const all = paths.flatMap((path) => [outPath(path), errPath(path)]);
        await (makePipes?.(all) ?? Promise.reject()).catch(() => makeWithProgram(all));
        free.push(...paths);
      } catch {
        // No place for them, or no `mkfifo`: commands get sockets.
        broken = true;
      }
      serve();
    }
    making = false;
  };
  return {
    take() {
      const ready = waiting.length === 0 ? next() : undefined;
      if (ready !== undefined) return Promise.resolve(ready);
      return new Promise((resolve) => {
        waiting.push(resolve);
        if (making) return;
        making = true;
        // Those who ask in one turn are served together.
        queueMicrotask(() => void make());
      });
    },
    remove() {
      broken = true;
      for (const pair of kept.splice(0)) pair.close();
      if (folder !== null) removeTemporaryFolder(folder);
      folder = null;
    },
  };
}

/** In memory where possible: on a disk each pipe would cost a tenth of a millisecond. */
function pipeFolder(): string {
  try {
    accessSync(SHARED_MEMORY, constants.W_OK);
    return makeTemporaryFolder(SHARED_MEMORY);
  } catch {
    return makeTemporaryFolder(tmpdir());
  }
}

function makeWithProgram(paths: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('mkfifo', ['-m', '600', ...paths], { stdio: 'ignore' });
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`mkfifo ended with ${code}`))));
  });
}

const outPath = (path: string): string => `${path}.out`;
const errPath = (path: string): string => `${path}.err`;

interface OpenPair extends PipePair {
  /** Whether it can be used again as it is. */
  isUntouched(): boolean;
  close(): void;
}

function openPair(path: string, release: (ended: boolean) => void): OpenPair | null {
  const stdout = openPipe(outPath(path));
  const stderr = stdout === null ? null : openPipe(errPath(path));
  if (stdout === null || stderr === null) {
    stdout?.close();
    return null;
  }
  return {
    stdout,
    stderr,
    openWriteEnds() {
      const out = openOrNull(stdout.path, constants.O_WRONLY);
      const err = out === null ? null : openOrNull(stderr.path, constants.O_WRONLY);
      if (out !== null && err !== null) return [out, err];
      if (out !== null) closeQuietly(out);
      return null;
    },
    release,
    isUntouched: () => stdout.isUntouched() && stderr.isUntouched(),
    close() {
      stdout.close();
      stderr.close();
    },
  };
}

/** The reader is opened first and without waiting: the writer's open would wait for it. */
function openPipe(path: string): (Pipe & Pick<OpenPair, 'isUntouched' | 'close'>) | null {
  const readEnd = openOrNull(path, constants.O_RDONLY | constants.O_NONBLOCK);
  if (readEnd === null) return null;
  let socket: Socket | null = null;
  return {
    path,
    readEnd,
    reader() {
      socket ??= new Socket({ fd: readEnd, readable: true, writable: false });
      return socket;
    },
    isUntouched: () => socket === null,
    close() {
      if (socket === null) closeQuietly(readEnd);
      else socket.destroy();
    },
  };
}

function openOrNull(path: string, flags: number): number | null {
  try {
    return openSync(path, flags);
  } catch {
    return null;
  }
}
