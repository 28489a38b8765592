/** The command line as a host: paths are relative to the working directory, and files are read from disk. */
import { diskFiles, type ProjectHost, pathOf } from '../../app/project/project-host.js';
import { namedBoundary } from '../../app/project/read-program.js';
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

/** Writes a file that the command line names. Why that is not possible, as a clause; null: it is written. */
export function writeNamed(path: string, content: string): string | null {
  return writeWhole(path, content, namedBoundary(commandLineHost()));
}
