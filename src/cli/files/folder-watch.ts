/**
 * Notices changes in folders and in all folders below them. Each folder is watched on its own: editors replace a file by
 * renaming another one, and then a recursive watch of Node on Linux sees no later change of it.
 */
import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { reasonOf } from '../../app/project/read-text.js';
import type { TestResult } from '../../lab/testing/test-world.js';
import { readOwn, writeOwn } from '../../runtime/store/own-file.js';
import { makeStore } from '../../runtime/store/store-ownership.js';

const SKIPPED = /^(?:\.|node_modules$)/;

interface FolderWatchOptions {
  /** Whether a change of the file with this name counts. */
  readonly counts: (name: string) => boolean;
  readonly onChange: () => void;
  readonly onProblem: (message: string) => void;
}

export class FolderWatch {
  private readonly watchers = new Map<string, FSWatcher>();

  constructor(private readonly options: FolderWatchOptions) {}

  /** Watches these folders, too, and all below them. */
  add(folder: string): void {
    if (!this.watchers.has(folder)) this.begin(folder);
    for (const inner of foldersIn(folder)) this.add(inner);
  }

  close(): void {
    for (const watcher of this.watchers.values()) watcher.close();
    this.watchers.clear();
  }

  private begin(folder: string): void {
    try {
      const watcher = watch(folder, (_, name) => this.note(folder, name));
      // A folder that is gone is watched again when it is back.
      watcher.on('error', () => {
        watcher.close();
        this.watchers.delete(folder);
      });
      this.watchers.set(folder, watcher);
    } catch (cause) {
      this.options.onProblem(`cannot watch \`${folder}\`: ${reasonOf(cause as NodeJS.ErrnoException)}`);
    }
  }

  private note(folder: string, name: string | null): void {
    if (name === null) return this.options.onChange();
    const path = join(folder, name);
    if (isFolder(path)) {
      if (SKIPPED.test(name)) return;
      this.watchers.get(path)?.close();
      this.watchers.delete(path);
      this.add(path);
      this.options.onChange();
    } else if (this.options.counts(name)) this.options.onChange();
  }
}

function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !SKIPPED.test(entry.name))
      .map(({ name }) => join(folder, name));
  } catch {
    return [];
  }
}

type NamedTest = Pick<TestResult, 'file' | 'name'>;

const STORE = '.statedsl';
const FAILED_TESTS = join(STORE, 'failed-tests.json');

/** Names of files do not depend on how they were given. */
export const keyOf = ({ file, name }: NamedTest): string => `${relative('', resolve(file))}\n${name}`;

/** A row has the name of its test, and more. */
export const isAmong = ({ file, name }: NamedTest, of: string, tests: readonly { readonly name: string }[]): boolean =>
  resolve(file) === resolve(of) && tests.some((test) => name === test.name || name.startsWith(`${test.name}[`));

/** What the last runs of tests in this folder left; none: nothing is on record. */
export function readFailed(): NamedTest[] {
  try {
    const known: unknown = JSON.parse(readOwn(FAILED_TESTS).toString('utf8'));
    const isTest = (one: NamedTest | null): boolean => typeof one?.file === 'string' && typeof one.name === 'string';
    return Array.isArray(known) ? known.filter(isTest) : [];
  } catch {
    return [];
  }
}

/** Keeps what did not run this time. The record is a help, so nothing fails without it. */
export function writeFailed(before: readonly NamedTest[], results: readonly TestResult[]): void {
  const ran = new Set(results.map(keyOf));
  const failed = results.filter(({ status }) => status === 'failed');
  const all = [...before.filter((one) => !ran.has(keyOf(one))), ...failed].map(({ file, name }) => ({
    file: relative('', resolve(file)),
    name,
  }));
  if (all.length === 0 && before.length === 0) return;
  try {
    makeStore(STORE);
    writeOwn(FAILED_TESTS, `${JSON.stringify(all, null, 2)}\n`);
  } catch {
    // The folder may be read-only.
  }
}

/** Whether a path is a folder, for flags that name one. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
