/**
 * Private folders that must not outlive the process. Each run removes its own. The list here is for a process that
 * exits in the middle of a run. The folder of a killed process has its pid in the name, so that another process can
 * recognize and remove it.
 */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmdirSync,
  rmSync,
  unlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isProcess } from './process-group.js';

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

/**
 * Removes old folders of processes that are gone. Everybody may create names in these parents, so only a directory that
 * this user made, and nobody else can have changed, is one of them.
 */
export function removeStaleFolders(): void {
  for (const parent of new Set([tmpdir(), SHARED_MEMORY])) {
    for (const name of namesIn(parent)) {
      const pid = Number(/^statedsl-(\d+)-/.exec(name)?.[1] ?? 0);
      // If the pid now belongs to another program, the folder is only kept longer.
      if (pid !== 0 && !isProcess(pid)) removeIfStale(join(parent, name));
    }
  }
}

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;

function removeIfStale(path: string): void {
  let fd: number | null = null;
  try {
    fd = openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    const { uid, mode, mtimeMs } = fstatSync(fd);
    const isOwn = uid === (process.geteuid?.() ?? uid) && (mode & 0o077) === 0;
    if (!isOwn || Date.now() - mtimeMs <= STALE_MS) return;
    empty(fd, path);
    rmdirSync(path);
  } catch {
    // It is a link or a file, it belongs to another user, or another process is removing it.
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

/** Whether a path can begin with an open directory. Elsewhere, users have folders for temporary files of their own. */
const hasDescriptors = existsSync('/proc/self/fd');

/** Removes what is in an open directory, whatever is at its path by now. */
function empty(fd: number, path: string): void {
  const folder = hasDescriptors ? `/proc/self/fd/${fd}` : path;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const inner = join(folder, entry.name);
    if (!entry.isDirectory()) unlinkSync(inner);
    else {
      const opened = openSync(inner, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
      try {
        empty(opened, inner);
      } finally {
        closeSync(opened);
      }
      rmdirSync(inner);
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

function removeAll(): void {
  for (const folder of [...open]) removeTemporaryFolder(folder);
}
