/** The change from one commit to another as a text, which can be applied to the files of another worktree. */
import type { Buffer } from 'node:buffer';
import { gitTargetOf, type Worktree } from '../checkout.js';
import { git } from './git.js';

/** Whatever the user's configuration says: the text is read by `applyChange`, with its prefixes and with all bytes. */
const FORM = [
  '--binary',
  '--full-index',
  '--no-renames',
  '--no-color',
  '--no-ext-diff',
  '--no-textconv',
  '--no-relative',
];
const PREFIXES = ['--src-prefix=a/', '--dst-prefix=b/'];

/** Null: it has more bytes than `maxBytes`. */
export async function changeBetween(
  worktree: Worktree,
  { from, to, maxBytes }: { readonly from: string; readonly to: string; readonly maxBytes: number },
): Promise<Buffer | null> {
  const args = ['diff', ...FORM, ...PREFIXES, '--unified=3', '--inter-hunk-context=0', from, to];
  const done = await git(gitTargetOf(worktree), args, { maxBytes: maxBytes + 1 });
  return done.truncated || done.stdout.length > maxBytes ? null : done.stdout;
}

/** Changes all files or none. The reason why it cannot be applied; null: it was applied. */
export async function applyChange(worktree: Worktree, change: Buffer): Promise<string | null> {
  if (change.length === 0) return null;
  const args = ['apply', '--whitespace=nowarn', '-p1', '-'];
  const done = await git(gitTargetOf(worktree), args, { stdin: change, ok: [0, 1, 128] });
  if (done.exit === 0) return null;
  return done.stderr.split('\n', 1)[0]?.replace(/^error: /, '') || `exit ${done.exit}`;
}
