/**
 * Finds the configuration of a run. It may start programs, so it must belong to the user: a file that another user can
 * create or change in a folder above the project does not count.
 */
import { existsSync, type Stats, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { whyOfOthers } from '../readable-file.js';
import { entryAt } from '../store/own-file.js';

const CONFIGURATION_FILE = 'statedsl.config.yaml';
/** Names that people give to it. A file of one of them has no effect, and nothing else would say so. */
const OTHER_NAMES = ['statedsl.yaml', 'statedsl.yml', 'statedsl.config.yml', '.statedsl.yaml', '.statedsl/config.yaml'];

/** A file that was found but does not count. */
export interface Ignored {
  readonly file: string;
  /** A clause. */
  readonly why: string;
  readonly help?: string;
}

interface ConfigurationFile {
  readonly file: string | null;
  readonly ignored: Ignored | null;
}

/**
 * The configuration file of a run: the first one from the working directory upwards, otherwise from the program's folder
 * upwards. The search ends at the root of the repository, at the user's home, at the border of the file system, and at a
 * folder that another user owns.
 */
export function findConfiguration(workingDirectory: string, programFolder: string | null = null): ConfigurationFile {
  const here = findUpwards(workingDirectory);
  const other = here.file === null && here.ignored === null ? findMisnamed(workingDirectory) : null;
  if (other !== null) return { file: null, ignored: other };
  if (here.file !== null || programFolder === null || resolve(programFolder) === resolve(workingDirectory)) return here;
  const there = findUpwards(programFolder);
  return { file: there.file, ignored: there.ignored ?? here.ignored };
}

function findMisnamed(folder: string): Ignored | null {
  const file = OTHER_NAMES.map((name) => join(folder, name)).find((one) => entryAt(one) !== null);
  return file === undefined
    ? null
    : {
        file,
        why: `a configuration is called \`${CONFIGURATION_FILE}\``,
        help: `rename it to \`${CONFIGURATION_FILE}\``,
      };
}

function findUpwards(start: string): ConfigurationFile {
  const home = resolve(homedir());
  for (let folder = resolve(start); ; folder = dirname(folder)) {
    const file = join(folder, CONFIGURATION_FILE);
    const isThere = entryAt(file) !== null;
    const stat = statOf(folder);
    const why = whyOfOthers(stat, 'its folder') ?? (isThere ? whyOfOthers(statOf(file), 'it') : null);
    if (why !== null) return { file: null, ignored: isThere ? { file, why } : null };
    if (isThere) return { file, ignored: null };
    const above = dirname(folder);
    // The search does not leave the repository. The parent of the root is the root.
    if (existsSync(join(folder, '.git')) || folder === home || above === folder) return { file: null, ignored: null };
    const device = statOf(above)?.dev;
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
