/** Replaces a file atomically, so that no reader sees half of it. */
import { readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { namedBoundary } from '../../app/project/read-program.js';
import { reasonOf } from '../../app/project/read-text.js';
import { whyElsewhere } from '../../runtime/readable-file.js';
import { whyUnwritable } from '../../runtime/written-file.js';
import { commandLineHost, whyNamedRefused, writeNamed } from './command-line-host.js';

/**
 * Replaces the target of a link, so that a link of a project to another of its files stays a link. Returns a clause about
 * the problem, or null.
 */
export function replaceFile(path: string, text: string): string | null {
  try {
    const problem = whyNamedRefused(path) ?? writeNamed(realpathSync(path), text);
    return problem === null ? null : `cannot write \`${path}\`: ${problem}`;
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
