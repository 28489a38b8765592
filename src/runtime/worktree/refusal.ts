/** Why work in a worktree cannot begin, or why its result cannot be merged. The texts are for the user. */

export interface WorktreeRefusal {
  readonly kind:
    | 'no-git'
    | 'old-git'
    | 'no-repository'
    | 'untrusted'
    | 'bare'
    | 'shallow'
    | 'no-commit'
    | 'uncommitted'
    | 'unfinished'
    | 'lost'
    | 'in-the-way'
    | 'left-work'
    | 'busy';
  /** A clause with names in backticks. */
  readonly message: string;
  /** What to do next. */
  readonly help: string;
  /** The files that are the reason, relative to the root of the repository. */
  readonly files?: readonly string[];
}

/** How many files a message names; it counts the rest. */
const NAMED = 8;

/** Names of files for a message: `a`, `b` and 3 more. */
export function listFiles(files: readonly string[]): string {
  const shown = files.slice(0, NAMED).map((file) => `\`${file}\``);
  const rest = files.length - shown.length;
  if (rest > 0) return `${shown.join(', ')} and ${rest} more`;
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}
