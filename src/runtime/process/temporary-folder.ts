/**
 * Private folders that must not outlive the process. Each run removes its own. The list here is for a process that
 * exits in the middle of a run. The folder of a killed process has its pid in the name, so that another process can
 * recognize and remove it.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '../store/store-error.js';

/**
 * The parent folders: a memory file system for pipes if possible, and the folder for temporary files for everything
 * else.
 */
export const SHARED_MEMORY = '/dev/shm';

const open = new Set<string>();

/** Creates a folder that only its owner can read. Throws the system's error. */
export function makeTemporaryFolder(parent: string): string {
  const folder = mkdtempSync(join(parent, `statedsl-${process.pid}-`));
  if (open.size === 0) process.on('exit', removeAll);
  open.add(folder);
  return folder;
}

export function removeTemporaryFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  open.delete(folder);
  if (open.size === 0) process.off('exit', removeAll);
}

/** A process of another container seems dead from here, but its run is hardly idle for this long. Milliseconds. */
const STALE_MS = 24 * 60 * 60 * 1000;

/** Removes old folders of processes that are gone. Folders that cannot be removed belong to another user. */
export function removeStaleFolders(): void {
  for (const parent of new Set([tmpdir(), SHARED_MEMORY])) {
    for (const name of namesIn(parent)) {
      const pid = Number(/^statedsl-(\d+)-/.exec(name)?.[1] ?? 0);
      if (pid === 0 || isAlive(pid)) continue;
      const path = join(parent, name);
      try {
        if (Date.now() - statSync(path).mtimeMs > STALE_MS) rmSync(path, { recursive: true, force: true });
      } catch {
        // It belongs to another user.
      }
    }
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** If the pid now belongs to another program, the folder is only kept longer. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return errorCode(cause) === 'EPERM';
  }
}

function removeAll(): void {
  for (const folder of [...open]) removeTemporaryFolder(folder);
}
