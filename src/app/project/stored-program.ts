/** The program of a stored run: its path, and the stored text. */
import { isAbsolute, join } from 'node:path';
import { type SourceSet, sourceFile } from '../../language/source/diagnostic.js';
import { type StoredRun, storedSources } from '../../runtime/store/stored-run.js';

/** The path of the program that the run started with; null for standard input. */
export function programOf(stored: StoredRun): string | null {
  const { program } = stored.about;
  if (program === null || program === '<stdin>') return null;
  return isAbsolute(program) ? program : join(folderOfNames(stored), program);
}

/** The folder that the names of its files are relative to. */
export function folderOfNames({ about: { settings, cwd } }: StoredRun): string {
  return typeof settings.here === 'string' ? settings.here : cwd;
}

export function sourcesOf(stored: StoredRun): SourceSet {
  return storedSources(stored).map(({ name, text }) => sourceFile(name, text));
}
