/** Finds the test files that a command names: files as they are, and all test files below a folder. */
import { readdirSync, statSync } from 'node:fs';
import { join, normalize, resolve } from 'node:path';
import { isTestFile } from '../project/program-kind.js';
import { whyForeign } from '../runtime/readable-file.js';

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
