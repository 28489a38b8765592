/**
 * Decides whether a run gets its own git worktree. In a repository, a workflow file does by default, so that its agents
 * never write into files that a person has open; other programs do on request. Creates nothing.
 */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { omitUndefined } from '../prelude/omit-undefined.js';
import type { Configuration } from '../runtime/configuration/configuration.js';
import type { Repository } from '../runtime/worktree/git/repository.js';
import type { Diagnostic } from '../source/diagnostic.js';
import { isWorkflow } from './program-kind.js';

export interface WorktreeChoice {
  /** The repository to create the worktree from; null if the run changes the current checkout. */
  readonly repository: Repository | null;
  /** An error if the request cannot be met, or a warning. */
  readonly diagnostics: readonly Diagnostic[];
}

interface WorktreeRequest {
  /** The name of the program's file. */
  readonly name: string;
  readonly cwd: string;
  readonly configuration: Configuration;
  /** The absolute path of the folder where runs are stored. */
  readonly store: string;
  /** The choice of the command line; undefined if it makes none. */
  readonly worktree: boolean | undefined;
  /** Nothing will run, so uncommitted changes do no harm. */
  readonly isDryRun: boolean;
}

export async function chooseWorktree(request: WorktreeRequest): Promise<WorktreeChoice> {
  const { name, cwd, configuration, store, isDryRun } = request;
  const isWanted = request.worktree ?? configuration.defaults.worktree ?? isWorkflow(name);
  if (!isWanted) return { repository: null, diagnostics: [] };
  const { usableRepository } = await import('../runtime/worktree/worktree.js');
  const { GitFailure } = await import('../runtime/worktree/git/git.js');
  try {
    const found = await usableRepository(cwd, store, !isDryRun);
    if (found.kind === 'found') return { repository: found.repository, diagnostics: [] };
    const { kind, message, help } = found.refusal;
    const withoutWorktree = kind === 'no-repository' || kind === 'no-git';
    const explained = withoutWorktree ? `${message}, so the run changes files in the current checkout` : message;
    return { repository: null, diagnostics: [diagnostic(withoutWorktree ? 'warning' : 'error', explained, help)] };
  } catch (cause) {
    if (!(cause instanceof GitFailure)) throw cause;
    return { repository: null, diagnostics: [diagnostic('error', cause.message)] };
  }
}

/**
 * Whether a run on an engine gets a worktree. Unlike here, the file of a workflow does not ask for it by itself: only its
 * worker knows whether it has a repository. `asked`: undefined if the caller does not say; `home`: the one that it names.
 */
export function worktreeOnEngine(
  asked: boolean | undefined,
  { defaults, engine }: Configuration,
  home: string | undefined = engine?.home,
): boolean {
  return asked ?? (defaults.worktree === true && home !== undefined);
}

/** The problem concerns the checkout and not the program, so it has no source location. */
function diagnostic(severity: 'error' | 'warning', message: string, help?: string): Diagnostic {
  const span = { file: -1, start: 0, end: 0 };
  return omitUndefined({ code: 'worktree', severity, message, span, help });
}

/** False if no run here can have a worktree; undefined if that is decided when the run starts. */
export function mayHaveWorktree(cwd: string): boolean | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return undefined;
    if (dirname(folder) === folder) return false;
  }
}
