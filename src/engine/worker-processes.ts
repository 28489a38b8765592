/**
 * The processes that a worker has started, on disk: if the worker is killed, the next one with the same folder stops what
 * still runs before the engine gives it work. Workers that live share the folder, each with a file of its own.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, readdirSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Json } from '../machine/expression.js';
import { isRecord } from '../runtime/process/leftovers.js';
import { isHere, type ProcessOrigin, processStat, stopGroup, thisOrigin } from '../runtime/process/process-group.js';
import { makeFolder, openOwn, readOwn } from '../runtime/store/own-file.js';

export interface WorkerProcesses {
  record(record: Readonly<Record<string, Json>>): void;
  /** Removes the file, because nothing runs any more. */
  close(): void;
}

/** The first line of a file: the worker. */
interface Owner extends ProcessOrigin {
  readonly pid: number;
  readonly startedAt: number;
}

const NAME = /^processes-\d+(?:-[0-9a-f]+)?\.ndjson$/;

/** Throws an error of the file system if the folder cannot be written. */
export function workerProcesses(directory: string): WorkerProcesses {
  // Workers in containers that share the folder may have the same number.
  const file = join(directory, `processes-${process.pid}-${randomBytes(8).toString('hex')}.ndjson`);
  makeFolder(directory, 0o700);
  let open: number | null = openOwn(file, 'w');
  const write = (value: unknown): void => void (open !== null && writeSync(open, `${JSON.stringify(value)}\n`));
  const owner: Owner = { ...thisOrigin(), pid: process.pid, startedAt: processStat(process.pid)?.startedAt ?? 0 };
  write(owner);
  return {
    record: write,
    close() {
      if (open === null) return;
      closeSync(open);
      open = null;
      rmSync(file, { force: true });
    },
  };
}

/** Stops what killed workers of this machine left running. Resolves with the number of processes. */
export async function stopLeftRunning(directory: string): Promise<number> {
  let stopped = 0;
  const own = processStat(process.pid)?.group;
  for (const file of filesIn(directory)) {
    const [owner, ...records] = linesOf(file);
    if (owner === undefined || !isOwner(owner) || !isHere(owner) || executes(owner)) continue;
    const left = records.filter(isRecord).filter((one) => one.group !== own && isAlive(one));
    const groups = new Set(left.map(({ group }) => group));
    await Promise.all([...groups].map((group) => stopGroup(group)));
    stopped += groups.size;
    rmSync(file, { force: true });
  }
  return stopped;
}

function filesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory).flatMap((name) => (NAME.test(name) ? [join(directory, name)] : []));
  } catch {
    return [];
  }
}

/** Another worker may have just removed the file. */
function textOf(file: string): string {
  try {
    return readOwn(file).toString('utf8');
  } catch {
    return '';
  }
}

function linesOf(file: string): readonly unknown[] {
  return textOf(file)
    .split('\n')
    .flatMap((line) => {
      try {
        return [JSON.parse(line) as unknown];
      } catch {
        // A line that was torn belongs to a process that did not start.
        return [];
      }
    });
}

function isOwner(value: unknown): value is Owner {
  return typeof value === 'object' && value !== null && 'boot' in value && 'pidNamespace' in value && 'pid' in value;
}

/** A worker that was killed keeps its number until its parent has noticed it. */
function executes(owner: Owner): boolean {
  const state = processStat(owner.pid)?.state;
  return isAlive(owner) && state !== 'Z' && state !== 'X';
}

/** A pid is reused, but a pid with a start time identifies one process. */
function isAlive({ pid, startedAt }: { readonly pid: number; readonly startedAt: number }): boolean {
  return processStat(pid)?.startedAt === startedAt;
}
