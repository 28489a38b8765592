/** Replaces a file atomically, so that no reader sees half of it. */
import {
  accessSync,
  constants,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { reasonOf } from '../../project/read-text.js';

/** Replaces the target of a link, so that a link stays a link. Returns a clause about the problem, or null. */
export function replaceFile(path: string, text: string): string | null {
  try {
    const target = realpathSync(path);
    accessSync(target, constants.W_OK);
    if (!replaceByRename(target, text)) writeFileSync(target, text);
    return null;
  } catch (error) {
    return `cannot write \`${path}\`: ${reasonOf(error as NodeJS.ErrnoException)}`;
  }
}

/**
 * Replaces the text of a file that was read earlier, and keeps its byte order mark. A file that has changed since then
 * is not replaced.
 */
export function replaceRead(path: string, before: string, text: string): string | null {
  let now: string;
  try {
    now = readFileSync(path, 'utf8');
  } catch (error) {
    return `cannot read \`${path}\`: ${reasonOf(error as NodeJS.ErrnoException)}`;
  }
  const mark = now.startsWith('\ufeff') ? '\ufeff' : '';
  if (now !== mark + before) return `\`${path}\` changed while it was being checked, so it was not fixed`;
  return replaceFile(path, mark + text);
}

/** False if no file can be created in the directory; the file itself may still be writable. */
function replaceByRename(target: string, text: string): boolean {
  const temporary = `${target}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, text, { mode: statSync(target).mode, flag: 'wx' });
    renameSync(temporary, target);
    return true;
  } catch {
    rmSync(temporary, { force: true });
    return false;
  }
}
