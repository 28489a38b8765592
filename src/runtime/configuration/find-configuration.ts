/**
 * Where the configuration of a run is. It may start programs, so it has to be the user's own: a file that somebody else
 * can put or change in a folder above the project does not count.
 */
import { existsSync, lstatSync, type Stats, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

export const CONFIGURATION_FILE = 'statedsl.config.yaml';

/** A file that was found and does not count. */
export interface Ignored {
  readonly file: string;
  /** A clause. */
  readonly why: string;
}

export interface FoundConfiguration {
  readonly file: string | null;
  readonly ignored: Ignored | null;
}

/**
 * The file that holds for a run: from the working directory upwards, else the same from the program's folder. The way
 * ends at the root of the repository, at the user's home, where another file system begins, and at what is not theirs.
 */
export function findConfiguration(workingDirectory: string, programFolder: string | null = null): FoundConfiguration {
  const here = findUpwards(workingDirectory);
  if (here.file !== null || programFolder === null) return here;
  const there = findUpwards(programFolder);
  return { file: there.file, ignored: there.ignored ?? here.ignored };
}

function findUpwards(start: string): FoundConfiguration {
  const home = resolve(homedir());
  for (let folder = resolve(start); ; folder = dirname(folder)) {
    const file = join(folder, CONFIGURATION_FILE);
    const isThere = lstatSync(file, { throwIfNoEntry: false }) !== undefined;
    const stat = statSync(folder, { throwIfNoEntry: false });
    const why = whyForeign(stat, 'its folder') ?? (isThere ? whyForeign(statOf(file), 'it') : null);
    if (why !== null) return { file: null, ignored: isThere ? { file, why } : null };
    if (isThere) return { file, ignored: null };
    const above = dirname(folder);
    // A repository is a world of its own; the parent of the root is the root.
    if (existsSync(join(folder, '.git')) || folder === home || above === folder) return { file: null, ignored: null };
    const device = statSync(above, { throwIfNoEntry: false })?.dev;
    if (stat !== undefined && device !== undefined && device !== stat.dev) return { file: null, ignored: null };
  }
}

function statOf(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch {
    return undefined;
  }
}

/** Why something may have been put there by somebody else, as a clause. */
function whyForeign(stat: Stats | undefined, what: string): string | null {
  const user = process.getuid?.();
  if (stat === undefined || user === undefined) return null;
  if (stat.uid !== user && stat.uid !== 0) return `${what} belongs to another user`;
  return (stat.mode & 0o002) !== 0 ? `everyone can write to ${what}` : null;
}
