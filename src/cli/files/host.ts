/** The command line as a host: paths are relative to the working directory, and files are read from disk. */
import { diskFiles, type ProjectHost } from '../../project/host.js';
import { isOutsideAllowed } from '../arguments/outside-option.js';

export function commandLineHost(): ProjectHost {
  return { folder: process.cwd(), files: diskFiles, allowOutside: isOutsideAllowed(), environment: process.env };
}
