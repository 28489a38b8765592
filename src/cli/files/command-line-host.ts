/** The command line as a host: paths are relative to the working directory, and files are read from disk. */
import { diskFiles, type ProjectHost, pathOf } from '../../app/project/project-host.js';
import { namedBoundary } from '../../app/project/read-program.js';
import { MAX_INPUT_BYTES, readBytes, whyNotRead } from '../../app/project/read-text.js';
import { writeWhole } from '../../runtime/written-file.js';
import { isOutsideAllowed } from '../arguments/outside-option.js';

export function commandLineHost(): ProjectHost {
  return { folder: process.cwd(), files: diskFiles, allowOutside: isOutsideAllowed(), environment: process.env };
}

/** Why a file that the command line names must not be read, as a clause; null if it may. */
export function whyNamedRefused(path: string): string | null {
  const host = commandLineHost();
  return host.files.whyRefused(pathOf(host, path), namedBoundary(host));
}

/** The text of a file that the command line names, or why it cannot be read, as a clause. */
export function readNamedText(path: string): { readonly text: string } | { readonly reason: string } {
  const reason = whyNamedRefused(path);
  if (reason !== null) return { reason };
  const read = readBytes(path, MAX_INPUT_BYTES);
  if (read.kind === 'unreadable') return { reason: whyNotRead(read, path) };
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(read.bytes) };
  } catch {
    return { reason: 'it is not UTF-8 text' };
  }
}

/** Writes a file that the command line names. Why that is not possible, as a clause; null: it is written. */
export function writeNamed(path: string, content: string): string | null {
  return writeWhole(path, content, namedBoundary(commandLineHost()));
}
