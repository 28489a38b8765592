/**
 * Taking back what the call of an agent did that was cut short: nobody knows how far it came, so it begins again from
 * where it began. Only a call that worked alone in its worktree is taken back; with it would go what others finished.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Worktree } from './checkout.js';
import { resetWorktree } from './git/snapshot.js';

/** In the directory that the repository has for the worktree. */
export const CALL_NOTE = 'statedsl-call';

/** The last call that began alone in a worktree. */
export interface CallNote {
  readonly effect: string;
  readonly attempt: number;
  /** What the worktree held before it. */
  readonly commit: string;
}

/** Puts a worktree back to where it was before one of these calls. False when none of them worked there alone. */
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
    // There was none, or it was being written when the process died: then the call had not begun.
    return null;
  }
}
