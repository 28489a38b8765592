/**
 * Private folders that must not outlive the process. Each run removes its own; the list here is only for a process
 * that is told to exit in the middle of a run. What a killed process leaves is named after it, so that another one can
 * see whose it was and remove it.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorCode } from '../store/store-error.js';

/** Where such folders are made: pipes in memory where that is possible, everything else where temporary files go. */
export const SHARED_MEMORY = '/dev/shm';

const open = new Set<string>();

/** Makes a folder that only its owner can read. Throws the system's error. */
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

/** A process of another container has a pid that looks dead from here; its run is hardly idle for this long. */
const STALE_MS = 24 * 60 * 60 * 1000;

/** Removes old folders of processes that are gone. Those that cannot be removed belong to somebody else. */
export function removeStaleFolders(): void {
  for (const parent of new Set([tmpdir(), SHARED_MEMORY])) {
    for (const name of namesIn(parent)) {
      const pid = Number(/^statedsl-(\d+)-/.exec(name)?.[1] ?? 0);
      if (pid === 0 || isAlive(pid)) continue;
      const path = join(parent, name);
      try {
        if (Date.now() - statSync(path).mtimeMs > STALE_MS) rmSync(path, { recursive: true, force: true });
      } catch {
        // Not ours.
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

/** A pid that lives and belongs to another program only keeps a folder for longer. */
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
