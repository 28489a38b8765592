/** The program of a stored run: its path, and the stored text. */
import { isAbsolute, join } from 'node:path';
import { type SourceSet, sourceFile } from '../../language/source/diagnostic.js';
import { type StoredRun, storedSources } from '../../runtime/store/stored-run.js';

/** The path of the program that the run started with; null for standard input. */
export function programOf({ about }: StoredRun): string | null {
  const { program, settings } = about;
  if (program === null || program === '<stdin>') return null;
  return isAbsolute(program) ? program : join(typeof settings.here === 'string' ? settings.here : about.cwd, program);
}

export function sourcesOf(stored: StoredRun): SourceSet {
  return storedSources(stored).map(({ name, text }) => sourceFile(name, text));
}
