/** What a run changed in files, and what merging it would do to a checkout. Nothing is written, except objects of git. */
import type { Buffer } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { branchOf } from '../checkout.js';
import { type GitTarget, git, wordOf } from '../git/git.js';
import { mergeTrees } from '../git/merge.js';
import { findRepository, type RefusedRepository } from '../git/repository.js';
import { checkoutTarget, headOf } from './user-checkout.js';

/** A file that a run changed. */
export interface ChangedFileFacts {
  /** From the root of the repository. */
  readonly path: string;
  readonly status: 'added' | 'changed' | 'removed';
  /** Lines; null for a binary file. */
  readonly added: number | null;
  readonly removed: number | null;
}

/** The changes of a run from the commit at which its worktree started. */
export interface RunChanges {
  readonly base: string;
  readonly files: readonly ChangedFileFacts[];
  /** Unified, without more than its first MiB. */
  readonly diff: string;
  readonly truncated: boolean;
  /** What merging it would do now. `contained`: the checkout has it already. */
  readonly merge:
    | { readonly into: string; readonly conflicts: readonly string[] }
    | { readonly into: string; readonly contained: true };
}

interface PreviewSpec {
  /** Any folder in the checkout. */
  readonly cwd: string;
  readonly runId: string;
  readonly base: string;
  /** The folder of the run, where the note of its merge is. */
  readonly folder: string;
}

const MOST_DIFF = 1024 * 1024;

/** Null: neither the branch nor the merge of the run is there. Rejects with a `GitFailure`. */
export async function changesOfBranch(spec: PreviewSpec): Promise<RunChanges | RefusedRepository | null> {
  const found = await findRepository(spec.cwd);
  if (found.kind === 'refused') return found;
  const target = checkoutTarget(found.repository);
  const tip = (await tipOf(target, spec.runId)) ?? (await mergedTip(target, spec.folder));
  if (tip === null || (await commitOf(target, spec.base)) === null) return null;
  const head = await headOf(found.repository);
  const range = ['--no-ext-diff', '--no-textconv', '--no-renames', '--no-color', spec.base, tip];
  const [numbers, names, diff] = await Promise.all([
    git(target, ['diff', '--numstat', '-z', ...range]),
    git(target, ['diff', '--name-status', '-z', ...range]),
    git(target, ['diff', ...range], { maxBytes: MOST_DIFF }),
  ]);
  const files = filesOf(numbers.stdout, names.stdout);
  const common = wordOf(await git(target, ['merge-base', head, tip], { ok: [0, 1] }));
  const into = await checkedOutName(target, head);
  const merge =
    common === tip ? { into, contained: true as const } : { into, conflicts: await conflicts(target, head, tip) };
  return { base: spec.base, files, diff: diff.stdout.toString('utf8'), truncated: diff.truncated, merge };
}

/** The commit of the branch of a run; null: it is no longer there. */
export function tipOf(target: GitTarget, runId: string): Promise<string | null> {
  return commitOf(target, `refs/heads/${branchOf(runId)}`);
}

async function commitOf(target: GitTarget, name: string): Promise<string | null> {
  const done = await git(target, ['rev-parse', '--verify', '-q', `${name}^{commit}`], { ok: [0, 1] });
  return done.exit === 0 ? wordOf(done) : null;
}

/** A merge removes the branch; the merge commit has it as its second parent. */
async function mergedTip(target: GitTarget, folder: string): Promise<string | null> {
  try {
    const { commit } = JSON.parse(readFileSync(join(folder, 'apply.json'), 'utf8')) as { readonly commit?: unknown };
    return typeof commit === 'string' && /^[0-9a-f]{40,64}$/.test(commit)
      ? await commitOf(target, `${commit}^2`)
      : null;
  } catch {
    return null;
  }
}

async function conflicts(target: GitTarget, head: string, tip: string): Promise<readonly string[]> {
  const merged = await mergeTrees(target, head, tip);
  return merged.kind === 'conflict' ? merged.files : [];
}

async function checkedOutName(target: GitTarget, head: string): Promise<string> {
  const done = await git(target, ['symbolic-ref', '-q', '--short', 'HEAD'], { ok: [0, 1] });
  return done.exit === 0 ? wordOf(done) : head.slice(0, 12);
}

const STATUSES: Readonly<Record<string, ChangedFileFacts['status']>> = { A: 'added', D: 'removed' };

function filesOf(numbers: Buffer, names: Buffer): ChangedFileFacts[] {
  const words = names.toString('utf8').split('\0');
  const statuses = new Map<string, string>();
  for (let at = 0; at + 1 < words.length; at += 2) statuses.set(words[at + 1] as string, words[at] as string);
  return numbers
    .toString('utf8')
    .split('\0')
    .flatMap((line) => {
      const [, added = '', removed = '', path] = /^(\d+|-)\t(\d+|-)\t(.+)$/s.exec(line) ?? [];
      if (path === undefined) return [];
      const status = STATUSES[statuses.get(path) ?? ''] ?? 'changed';
      return [{ path, status, added: lines(added), removed: lines(removed) }];
    });
}

const lines = (text: string): number | null => (text === '-' ? null : Number(text));
