/** Whether files can be written at the end of a command, which is asked before the work begins. */
import { accessSync, constants, existsSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { reasonOf } from '../../project/read-text.js';

/** Why nothing can be written to `file`; null: it can. The file is created by the one who writes it. */
export function whyNotWritable(file: string): string | null {
  try {
    const stat = statIfThere(file);
    if (stat?.isDirectory() === true) return 'it is a directory';
    const folder = dirname(file);
    if (stat === undefined && !existsSync(folder)) return `the folder \`${folder}\` does not exist`;
    accessSync(stat === undefined ? folder : file, constants.W_OK);
    return null;
  } catch (cause) {
    return reasonOf(cause as NodeJS.ErrnoException);
  }
}

/** Why `folder` is not a directory in which files can be written, nor can become one; null: it is or may. */
export function whyNoFolder(folder: string): string | null {
  try {
    const stat = statIfThere(folder);
    return stat === undefined || stat.isDirectory() ? null : 'it is not a directory';
  } catch (cause) {
    return reasonOf(cause as NodeJS.ErrnoException);
  }
}

/** Throws the system's error, except that nothing is there. */
function statIfThere(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch (cause) {
    // `throwIfNoEntry` treats a path through a file as not there on some versions of Node, and throws on others.
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw cause;
  }
}
