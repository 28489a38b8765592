/** The command line as a host: paths are relative to the working directory, and files are read from disk. */
import { diskFiles, type ProjectHost } from '../project/host.js';

/** `--allow-outside` applies to everything that a command reads. */
let outside = false;

export function allowOutside(): void {
  outside = true;
}

export function commandLineHost(): ProjectHost {
  return { folder: process.cwd(), files: diskFiles, allowOutside: outside, environment: process.env };
}
