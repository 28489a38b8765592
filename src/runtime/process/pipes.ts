/**
 * Pipes for the output of commands. Node connects children by sockets, and a socket cannot be opened again by name:
 * `echo problem > /dev/stderr`, `tee /dev/stderr` and `open('/dev/stdout')` fail on it. Scripts do that, so children
 * get named pipes, made a few at a time by `mkfifo` and used again and again. Where there is no `mkfifo` a child gets
 * sockets after all.
 */
import { spawn } from 'node:child_process';
import { accessSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeQuietly } from './scratch.js';
import { makeTemporaryFolder, removeTemporaryFolder, SHARED_MEMORY } from './temporary-folder.js';

/** An open pipe. The child gets `childEnd`; the parent closes it after the start. */
interface Pipe {
  readonly childEnd: number;
  readonly reader: Socket;
}

/** The pipes of one command. */
export interface PipePair {
  readonly stdout: Pipe;
  readonly stderr: Pipe;
  /** `ended`: all writers were gone, so the pipes can serve the next command. */
  release(ended: boolean): void;
}

export interface PipePool {
  /** Null where named pipes cannot be had. */
  take(): Promise<PipePair | null>;
  remove(): void;
}

/** Made together, since starting `mkfifo` costs more than making a hundred pipes. */
const BATCH = 64;

export function createPipePool(): PipePool {
  let folder: string | null = null;
  let made = 0;
  let making = false;
  let broken = false;
  const free: string[] = [];
  const waiting: ((pair: PipePair | null) => void)[] = [];

  const next = (): PipePair | null | undefined => {
    if (broken) return null;
    const path = free.pop();
    if (path === undefined) return undefined;
    const pair = openPair(path, () => free.push(path));
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
        await makeNamedPipes(paths.flatMap((path) => [`${path}.out`, `${path}.err`]));
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
        // Those who ask in one turn are served by one `mkfifo`.
        queueMicrotask(() => void make());
      });
    },
    remove() {
      broken = true;
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

function makeNamedPipes(paths: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('mkfifo', ['-m', '600', ...paths], { stdio: 'ignore' });
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`mkfifo ended with ${code}`))));
  });
}

function openPair(path: string, again: () => void): PipePair | null {
  const stdout = openPipe(`${path}.out`);
  const stderr = stdout === null ? null : openPipe(`${path}.err`);
  if (stdout === null || stderr === null) {
    stdout?.reader.destroy();
    if (stdout !== null) closeQuietly(stdout.childEnd);
    return null;
  }
  return {
    stdout,
    stderr,
    release(ended) {
      stdout.reader.destroy();
      stderr.reader.destroy();
      // A straggler that still writes would be heard by the next command.
      if (ended) again();
    },
  };
}

/** The reader is opened first and without waiting: the writer's open would wait for it. */
function openPipe(path: string): Pipe | null {
  let readEnd: number | null = null;
  try {
    readEnd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const childEnd = openSync(path, constants.O_WRONLY);
    return { childEnd, reader: new Socket({ fd: readEnd, readable: true, writable: false }) };
  } catch {
    if (readEnd !== null) closeQuietly(readEnd);
    return null;
  }
}
