/**
 * Pipes for the output of commands. Node connects children with sockets, which cannot be opened by name: `echo problem
 * > /dev/stderr`, `tee /dev/stderr` and `open('/dev/stdout')` fail. Scripts do this, so children get named pipes, which
 * are created a few at a time and reused. If the system has none, a child gets sockets.
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
  /** Reading returns nothing at its end, and fails with `EAGAIN` while there are writers. */
  readonly readEnd: number;
  /** Reads a pipe while it is written to. The pipe must have a writer, because a pipe without one is at its end. */
  reader(): Socket;
}

/** The pipes of one command. */
export interface PipePair {
  readonly stdout: Pipe;
  readonly stderr: Pipe;
  /** Descriptors for a child, which the parent closes after the start; null if there are none. */
  openWriteEnds(): readonly [number, number] | null;
  /** `ended`: all writers are gone, so the next command can use the pipes. */
  release(ended: boolean): void;
}

export interface PipePool {
  /** Null if named pipes are not available. A promise if they have to be made. */
  take(): PipePair | null | Promise<PipePair | null>;
  remove(): void;
}

/** The number of pipes created together, because starting `mkfifo` takes longer than creating a hundred pipes. */
const BATCH = 64;
/** The number of pairs that are kept open for the next commands. */
const KEPT = 8;

export function createPipePool(): PipePool {
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
        // Output of a process that still writes would appear in the next command.
        if (ended) free.push(path);
      }
    });
    // If a pipe cannot be opened, for example because of a limit on open files, no more are available.
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
        await makePipes(all);
        free.push(...paths);
      } catch {
        // Without a folder for them, or without `mkfifo`, commands get sockets.
        broken = true;
      }
      serve();
    }
    making = false;
  };
  return {
    take() {
      const ready = waiting.length === 0 ? next() : undefined;
      if (ready !== undefined) return ready;
      return new Promise((resolve) => {
        waiting.push(resolve);
        if (making) return;
        making = true;
        // Requests in one turn of the event loop are served together.
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

/** In a memory file system if possible: on a disk each pipe takes a tenth of a millisecond. */
function pipeFolder(): string {
  try {
    accessSync(SHARED_MEMORY, constants.W_OK);
    return makeTemporaryFolder(SHARED_MEMORY);
  } catch {
    return makeTemporaryFolder(tmpdir());
  }
}

function makePipes(paths: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('mkfifo', ['-m', '600', ...paths], { stdio: 'ignore' });
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`mkfifo ended with ${code}`))));
  });
}

const outPath = (path: string): string => `${path}.out`;
const errPath = (path: string): string => `${path}.err`;

interface OpenPair extends PipePair {
  /** Whether the pipe can be reused. */
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

/** Opens the reader first and without blocking, because opening the writer would wait for it. */
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
