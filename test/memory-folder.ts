/**
 * Tests make thousands of small folders. In a memory file system that takes a tenth of the time that it takes on a disk,
 * and a slow disk does not slow the tests down. Without such a file system, or with a small one, they are made on disk.
 */
import { chmodSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgramSync } from './harness/process.js';

const MEMORY = '/dev/shm';
/** Several times of what the tests need at once. */
const MIN_FREE_BYTES = 1 << 30;

export function setup(): (() => void) | undefined {
  const folder = makeFolder();
  if (folder === null) return;
  // The workers, which start later, have the environment of this process.
  process.env.TMPDIR = folder;
  return () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Null without a memory file system that has space and executes programs. */
function makeFolder(): string | null {
  let folder: string | null = null;
  try {
    const { bavail, bsize } = statfsSync(MEMORY);
    if (bavail * bsize < MIN_FREE_BYTES) return null;
    // The program removes what such a name has left after a day.
    folder = mkdtempSync(join(MEMORY, `statedsl-${process.pid}-`));
    const script = join(folder, 'script');
    writeFileSync(script, '#!/bin/sh\nexit 0\n');
    chmodSync(script, 0o755);
    if (runProgramSync(script, []).code === 0) return folder;
  } catch {
    // Other systems have no such folder.
  }
  if (folder !== null) rmSync(folder, { recursive: true, force: true });
  return null;
}
