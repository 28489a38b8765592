/** Which folders `--watch` looks at: those that were named, and those of the programs that the tests are about. */
import { existsSync } from 'node:fs';
import { dirname, isAbsolute, relative, resolve } from 'node:path';

/** `named`: files and folders, as given. `files`: what the suites were read from. Folders inside of others are left out. */
export function watchedFolders(named: readonly string[], files: Iterable<string>): string[] {
  const wanted = (named.length === 0 ? ['.'] : named).map((name) => (name.endsWith('.dsl') ? dirname(name) : name));
  const folders = new Set([...wanted, ...[...files].map((file) => dirname(file))].map((folder) => resolve(folder)));
  // Included patterns have names, not files.
  const present = [...folders].filter((folder) => existsSync(folder));
  return present.filter((folder) => !present.some((other) => other !== folder && isInside(folder, other)));
}

function isInside(folder: string, other: string): boolean {
  const way = relative(other, folder);
  return !way.startsWith('..') && !isAbsolute(way);
}
