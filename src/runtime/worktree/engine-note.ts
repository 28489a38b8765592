/**
 * A file in the repository's directory of a worktree that names the engine of its run. Only the worker that made such a
 * worktree removes it: a store with the same folder knows nothing about the run, or has a copy of its record.
 */
import { join } from 'node:path';
import { readOwn, writeOwn } from '../store/own-file.js';

const NAME = 'statedsl-engine';

export function noteEngine(gitDir: string, engine: string): void {
  writeOwn(join(gitDir, NAME), engine);
}

/** Null: the run was not executed on an engine. */
export function engineOf(gitDir: string): string | null {
  try {
    return readOwn(join(gitDir, NAME)).toString('utf8');
  } catch {
    return null;
  }
}
