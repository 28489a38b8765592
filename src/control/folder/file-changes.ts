/**
 * Waits for changes in folders that other processes make. The system reports most of them at once; a look every 200 ms
 * finds the others, such as those on network disks.
 */
import { type FSWatcher, watch } from 'node:fs';

const LOOK_MS = 200;

export interface FileChanges {
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
