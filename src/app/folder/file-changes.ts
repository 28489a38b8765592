/**
 * Notices changes in folders that other processes make. The system reports most of them at once; a look every 200 ms finds
 * the others, such as those on network disks.
 */
import { type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import { entryAt } from '../../runtime/store/own-file.js';
import { lockHolder } from '../../runtime/store/run-lock.js';

const LOOK_MS = 200;

interface FileChanges {
  /** Resolves when something may have changed since the last call, at the latest after 200 ms, or when `signal` is aborted. */
  next(): Promise<void>;
  close(): void;
}

export function watchFolders(folders: readonly string[], signal: AbortSignal | undefined): FileChanges {
  let changed = false;
  let wake: (() => void) | null = null;
  const notify = (): void => {
    changed = true;
    wake?.();
  };
  const watchers = folders.map((folder) => openWatcher(folder, notify));
  signal?.addEventListener('abort', notify);
  return {
    next() {
      if (changed || signal?.aborted === true) {
        changed = false;
        return Promise.resolve();
      }
      return new Promise((resolve) => {
        const timer = setTimeout(() => wake?.(), LOOK_MS);
        wake = () => {
          clearTimeout(timer);
          wake = null;
          changed = false;
          resolve();
        };
      });
    },
    close() {
      for (const watcher of watchers) watcher?.close();
      signal?.removeEventListener('abort', notify);
      wake?.();
    },
  };
}

/**
 * The changes of a run: of its journal, and of who executes it. All readers of a run in this process share one look, and wake
 * only when something has changed: very many may wait for a run in which nothing happens.
 */
export function watchRun(folder: string, signal: AbortSignal | undefined): FileChanges {
  const look = SharedLook.of(folder);
  let seen = look.version;
  let wake: (() => void) | null = null;
  const notify = (): void => wake?.();
  look.add(notify);
  signal?.addEventListener('abort', notify);
  return {
    next() {
      return new Promise((resolve) => {
        wake = () => {
          wake = null;
          seen = look.version;
          look.wait(-1);
          resolve();
        };
        look.wait(1);
        if (seen !== look.version || signal?.aborted === true) wake();
      });
    },
    close() {
      signal?.removeEventListener('abort', notify);
      wake?.();
      look.remove(notify);
    },
  };
}

class SharedLook {
  private static readonly all = new Map<string, SharedLook>();

  static of(folder: string): SharedLook {
    const known = SharedLook.all.get(folder) ?? new SharedLook(folder);
    SharedLook.all.set(folder, known);
    return known;
  }

  /** How often something has changed. */
  version = 0;
  private readonly readers = new Set<() => void>();
  private readonly watcher: FSWatcher | null;
  private waiting = 0;
  private timer: NodeJS.Timeout | null = null;
  private facts: string;

  private constructor(private readonly folder: string) {
    this.watcher = openWatcher(folder, () => this.look());
    this.facts = this.read();
  }

  add(reader: () => void): void {
    this.readers.add(reader);
  }

  remove(reader: () => void): void {
    this.readers.delete(reader);
    if (this.readers.size > 0) return;
    this.watcher?.close();
    SharedLook.all.delete(this.folder);
  }

  /** One reader more or fewer waits. Nothing else keeps the process alive. */
  wait(change: 1 | -1): void {
    this.waiting += change;
    if (this.waiting > 0) this.timer ??= setInterval(() => this.look(), LOOK_MS);
    else if (this.timer !== null) {
      clearInterval(this.timer);
      this.timer = null;
    }
  }

  private look(): void {
    const facts = this.read();
    if (facts === this.facts) return;
    this.facts = facts;
    this.version++;
    for (const reader of this.readers) reader();
  }

  private read(): string {
    const journal = entryAt(join(this.folder, 'journal.ndjson'));
    if (journal === null) return 'removed';
    try {
      const { owner, lock } = lockHolder(this.folder);
      return `${journal.ino} ${journal.size} ${journal.mtimeMs} ${owner?.pid} ${lock}`;
    } catch {
      // It is being removed.
      return 'removed';
    }
  }
}

/** Null if the system has no watchers left, or the folder is gone. */
function openWatcher(folder: string, notify: () => void): FSWatcher | null {
  try {
    const watcher = watch(folder, { persistent: false }, notify);
    watcher.on('error', notify);
    return watcher;
  } catch {
    return null;
  }
}
