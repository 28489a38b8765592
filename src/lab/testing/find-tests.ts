/** Finds the test files that are named, or are below a named folder, and the folders to watch for them. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, normalize, relative, resolve } from 'node:path';
import { isTestFile } from '../../app/project/preparation.js';
import { whyForeign } from '../../runtime/readable-file.js';

const SKIPPED: ReadonlySet<string> = new Set(['node_modules']);

/**
 * Sorted, each once. Hidden folders are not searched, and links are not followed. `missing`: names that lead nowhere;
 * `foreign`: files that were found and that another user may have made.
 */
export function findTests(names: readonly string[]): {
  readonly files: readonly string[];
  readonly missing: readonly string[];
  readonly foreign: readonly { readonly file: string; readonly why: string }[];
} {
  const files = new Set<string>();
  const foreign: { file: string; why: string }[] = [];
  const missing: string[] = [];
  for (const name of names) {
    const kind = kindOf(name);
    if (kind === 'folder')
      for (const file of testsBelow(name === '.' ? '' : name)) {
        const why = whyForeign(resolve(file));
        if (why === null) files.add(file);
        else foreign.push({ file, why });
      }
    else if (kind === 'file') files.add(normalize(name));
    else missing.push(name);
  }
  return { files: [...files], missing, foreign };
}

function kindOf(name: string): 'file' | 'folder' | null {
  try {
    return statSync(name).isDirectory() ? 'folder' : 'file';
  } catch {
    return null;
  }
}

function testsBelow(folder: string): string[] {
  const entries = entriesOf(folder).sort((one, other) => (one.name < other.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return entry.name.startsWith('.') || SKIPPED.has(entry.name) ? [] : testsBelow(path);
    return entry.isFile() && isTestFile(entry.name) ? [path] : [];
  });
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder === '' ? '.' : folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** `named`: files and folders, as given. `files`: what the suites were read from. Folders inside of others are left out. */
export function watchedFolders(named: readonly string[], files: Iterable<string>): string[] {
  const wanted = (named.length === 0 ? ['.'] : named).map((name) =>
    /\.(?:dsl|statedsl)$/.test(name) ? dirname(name) : name,
  );
  const folders = new Set([...wanted, ...[...files].map((file) => dirname(file))].map((folder) => resolve(folder)));
  // Included patterns have names, not files.
  const present = [...folders].filter((folder) => existsSync(folder));
  return present.filter((folder) => !present.some((other) => other !== folder && isInside(folder, other)));
}

function isInside(folder: string, other: string): boolean {
  const way = relative(other, folder);
  return !way.startsWith('..') && !isAbsolute(way);
}
