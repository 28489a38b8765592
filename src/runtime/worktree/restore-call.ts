/**
 * Restores the files after the call of an agent was interrupted: how far it came is unknown, so it starts again from the
 * same files. This is done only for a call that worked alone in its worktree; otherwise the work of others would be lost.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Worktree } from './checkout.js';
import { resetWorktree } from './git/snapshot.js';

/** The name of a file in the repository's directory of the worktree. */
export const CALL_NOTE = 'statedsl-call';

/** The last call that started alone in a worktree. */
export interface CallNote {
  readonly effect: string;
  readonly attempt: number;
  /** The commit with the content of the worktree before the call. */
  readonly commit: string;
}

/** Restores a worktree to its content before one of these calls. False if none of them worked there alone. */
export async function restoreCall(worktree: Worktree, calls: readonly Omit<CallNote, 'commit'>[]): Promise<boolean> {
  const note = readNote(worktree);
  if (note === null || !calls.some(({ effect, attempt }) => effect === note.effect && attempt === note.attempt))
    return false;
  await resetWorktree(worktree, note.commit);
  return true;
}

function readNote({ gitDir }: Worktree): CallNote | null {
  try {
    return JSON.parse(readFileSync(join(gitDir, CALL_NOTE), 'utf8')) as CallNote;
  } catch {
    // No call was noted, or the process died while noting one: then the call had not started.
    return null;
  }
}
