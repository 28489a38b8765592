/** Whether files can be written at the end of a command, which is asked before the work begins. */
import { type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { reasonOf } from '../../project/read-text.js';
import { namedBoundary } from '../../project/readable-folders.js';
import { whyElsewhere } from '../../runtime/readable-file.js';
import { whyUnwritable } from '../../runtime/written-file.js';
import { commandLineHost } from './host.js';

/** Why nothing can be written to `file`; null: it can. The file is created by the one who writes it. */
export function whyNotWritable(file: string): string | null {
  return whyUnwritable(file, namedBoundary(commandLineHost()));
}

/** Why `folder` is not a directory in which files can be written, nor can become one; null: it is or may. */
export function whyNoFolder(folder: string): string | null {
  try {
    const stat = statIfThere(folder);
    if (stat !== undefined && !stat.isDirectory()) return 'it is not a directory';
    return whyElsewhere(resolve(folder), namedBoundary(commandLineHost()));
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
