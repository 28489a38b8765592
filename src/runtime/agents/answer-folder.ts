/**
 * A folder next to the files of the project that some workflows have their agents answer in, `.gump/out`. It is there when
 * an agent begins, and as it was before when it has ended: what is left in it is an answer, and no change of the project.
 */
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { VALUE_BYTES } from '../process/output.js';

interface AnswerFolder {
  /** The path of a file that the agent wrote; null where it did not. */
  findAnswer(name: string): string | null;
  close(): void;
}

interface Before {
  readonly stamp: string;
  /** Null for what is no file, or too large to be kept. */
  readonly bytes: Buffer | null;
}

/** Null where `folder` of `directory` cannot be used: something else has its name, or nothing may be written there. */
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
      // The agent may have put something else there meanwhile.
      if (!isOwn(directory, path)) return;
      for (const name of entriesOf(path)) if (isChanged(name)) putBack(join(path, name), before.get(name));
      for (const [name, was] of before) if (stampOf(join(path, name)) === 'gone') putBack(join(path, name), was);
      for (const one of made.reverse()) removeEmpty(one);
    },
  };
}

/** Makes what is missing between the two; false where a name there is no folder, or a link to one. */
function makeFolders(directory: string, path: string, made: string[]): boolean {
  if (path === directory) return true;
  if (!makeFolders(directory, dirname(path), made)) return false;
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat !== undefined) return stat.isDirectory();
  try {
    mkdirSync(path);
  } catch {
    return false;
  }
  made.push(path);
  return true;
}

/** Whether everything between the two is a folder and no link. */
function isOwn(directory: string, path: string): boolean {
  if (path === directory) return true;
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true && isOwn(directory, dirname(path));
}

const isFile = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;

function entriesOf(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function stampOf(path: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat === undefined ? 'gone' : `${stat.size} ${stat.mtimeMs} ${stat.ctimeMs} ${stat.ino} ${stat.mode}`;
}

function beforeOf(path: string): Before {
  const stat = lstatSync(path, { throwIfNoEntry: false });
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
  // What was there and could not be kept stays as the agent left it.
  if (was !== undefined && was.bytes === null) return;
  try {
    rmSync(path, { recursive: true, force: true });
    if (was?.bytes != null) writeFileSync(path, was.bytes, { flag: 'wx' });
  } catch {
    // A file that cannot be removed is reported as a change, as any other.
  }
}

function removeEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Not empty: it is kept with what is in it.
  }
}
