/**
 * Private folders that must not outlive the process. Each run removes its own; the list here is only for a process
 * that is told to exit in the middle of a run.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const open = new Set<string>();

/** Makes a folder that only its owner can read. Throws the system's error. */
export function makeTemporaryFolder(parent: string): string {
  const folder = mkdtempSync(join(parent, 'statedsl-'));
  if (open.size === 0) process.on('exit', removeAll);
  open.add(folder);
  return folder;
}

export function removeTemporaryFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  open.delete(folder);
  if (open.size === 0) process.off('exit', removeAll);
}

function removeAll(): void {
  for (const folder of [...open]) removeTemporaryFolder(folder);
}
