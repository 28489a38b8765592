/** Puts another text in the place of a file, so that no reader sees half of it. */
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
import { reasonOf } from '../project/read-text.js';

/** A link stays a link, because its target is replaced. Gives what is wrong, as a clause, or null. */
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

/** Replaces the text of a file that was read before, keeping its byte order mark; leaves a file alone that changed since. */
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

/** False where the folder takes no new files; the file itself may still be written. */
function replaceByRename(target: string, text: string): boolean {
  const beside = `${target}.${process.pid}.tmp`;
  try {
    writeFileSync(beside, text, { mode: statSync(target).mode, flag: 'wx' });
    renameSync(beside, target);
    return true;
  } catch {
    rmSync(beside, { force: true });
    return false;
  }
}
