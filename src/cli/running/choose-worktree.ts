/**
 * Whether a run gets a git worktree of its own. A workflow file does wherever there is a repository, so that agents never
 * write into files that a person has open; anything else does when somebody asks. Nothing is made here.
 */
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { isWorkflow } from '../../project/program-kind.js';
import type { Configuration } from '../../runtime/configuration/configuration.js';
import type { Repository } from '../../runtime/worktree/git/repository.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import type { RunFlags } from './run-flags.js';
import { STORE } from './run-settings.js';

export interface WorktreeChoice {
  /** The repository to make a worktree of; null: the run works in place. */
  readonly repository: Repository | null;
  /** Why it cannot be as it was asked for, or a warning. */
  readonly diagnostics: readonly Diagnostic[];
}

interface Asked {
  /** What the program is called, as it was found. */
  readonly name: string;
  readonly cwd: string;
  readonly configuration: Configuration;
}

export async function chooseWorktree(flags: RunFlags, asked: Asked): Promise<WorktreeChoice> {
  if (!isWanted(flags, asked.name, asked.configuration)) return { repository: null, diagnostics: [] };
  const { usableRepository } = await import('../../runtime/worktree/worktree.js');
  const { GitFailure } = await import('../../runtime/worktree/git/git.js');
  try {
    // Whoever only looks at what would run need not have committed anything.
    const found = await usableRepository(asked.cwd, resolve(flags.dir ?? STORE), flags.dryRun !== true);
    if (found.kind === 'found') return { repository: found.repository, diagnostics: [] };
    const { kind, message, help } = found.refusal;
    const inPlace = kind === 'no-repository' || kind === 'no-git';
    const told = inPlace ? `${message}, so the run changes files in the current checkout` : message;
    return { repository: null, diagnostics: [diagnostic(inPlace ? 'warning' : 'error', told, help)] };
  } catch (cause) {
    if (!(cause instanceof GitFailure)) throw cause;
    return { repository: null, diagnostics: [diagnostic('error', cause.message)] };
  }
}

/** It is about the checkout and not about the program, so it has no place. */
function diagnostic(severity: 'error' | 'warning', message: string, help?: string): Diagnostic {
  const span = { file: -1, start: 0, end: 0 };
  return { code: 'worktree', severity, message, span, ...(help === undefined ? {} : { help }) };
}

/** False where no run can have a worktree; undefined where its start decides. */
export function mayHaveWorktree(cwd: string): boolean | undefined {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return undefined;
    if (dirname(folder) === folder) return false;
  }
}

function isWanted({ worktree }: RunFlags, name: string, { defaults }: Configuration): boolean {
  return worktree ?? defaults.worktree ?? isWorkflow(name);
}
