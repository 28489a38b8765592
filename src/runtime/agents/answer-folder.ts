/** The folder in which an agent may write its answer. After the call, the files there are as they were before it. */
import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { VALUE_BYTES } from '../process/output.js';
import { entryAt } from '../store/own-file.js';

interface AnswerFolder {
  /** The path of a file that the agent wrote; null if it did not write it. */
  findAnswer(name: string): string | null;
  close(): void;
}

interface Before {
  readonly stamp: string;
  /** Null if it is not a file, or too large to be kept. */
  readonly bytes: Buffer | null;
}

/** Null if `folder` in `directory` cannot be used: something else has its name, or it is not writable. */
export function openAnswerFolder(directory: string, folder: string): AnswerFolder | null {
  const path = join(directory, folder);
  const made: string[] = [];
  if (!makeFolders(directory, path, made)) return null;
  const before = new Map(entriesOf(path).map((name) => [name, beforeOf(join(path, name))] as const));
  const isChanged = (name: string): boolean => stampOf(join(path, name)) !== before.get(name)?.stamp;
  return {
    findAnswer: (name) =>
      isOwn(directory, path) && isFile(join(path, name)) && isChanged(name) ? join(path, name) : null,
    close: () => {
      // The agent may have replaced it in the meantime.
      if (!isOwn(directory, path)) return;
      for (const name of entriesOf(path)) if (isChanged(name)) putBack(join(path, name), before.get(name));
      for (const [name, was] of before) if (stampOf(join(path, name)) === 'gone') putBack(join(path, name), was);
      for (const one of made.reverse()) removeEmpty(one);
    },
  };
}

/** Creates the missing folders between the two paths. Returns false if one of the names is a link, or not a folder. */
function makeFolders(directory: string, path: string, made: string[]): boolean {
  if (path === directory) return true;
  if (!makeFolders(directory, dirname(path), made)) return false;
  const stat = entryAt(path);
  if (stat !== null) return stat.isDirectory();
  try {
    mkdirSync(path);
  } catch {
    return false;
  }
  made.push(path);
  return true;
}

/** Whether all names between the two paths are folders and not links. */
function isOwn(directory: string, path: string): boolean {
  if (path === directory) return true;
  return entryAt(path)?.isDirectory() === true && isOwn(directory, dirname(path));
}

const isFile = (path: string): boolean => entryAt(path)?.isFile() === true;

function entriesOf(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function stampOf(path: string): string {
  const stat = entryAt(path);
  return stat === null ? 'gone' : `${stat.size} ${stat.mtimeMs} ${stat.ctimeMs} ${stat.ino} ${stat.mode}`;
}

function beforeOf(path: string): Before {
  const stat = entryAt(path);
  const kept = stat?.isFile() === true && stat.size <= VALUE_BYTES;
  return { stamp: stampOf(path), bytes: kept ? bytesOf(path) : null };
}

function bytesOf(path: string): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    return null;
  }
}

function putBack(path: string, was: Before | undefined): void {
  // Entries that could not be kept stay as the agent left them.
  if (was !== undefined && was.bytes === null) return;
  try {
    rmSync(path, { recursive: true, force: true });
    if (was?.bytes != null) writeFileSync(path, was.bytes, { flag: 'wx' });
  } catch {
    // A file that cannot be removed is reported as a change like any other.
  }
}

function removeEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Not empty: the folder is kept with its content.
  }
}
