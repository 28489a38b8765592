/**
 * Notices changes in folders and in all folders below them. Each folder is watched on its own: editors replace a file by
 * renaming another one, and then a recursive watch of Node on Linux sees no later change of it.
 */
import { type FSWatcher, readdirSync, statSync, watch } from 'node:fs';
import { join } from 'node:path';
import { reasonOf } from '../../app/project/read-text.js';

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

/** Whether a path is a folder, for flags that name one. */
export function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
