/** The command line as a host: names start in the working directory, files are those on the disk. */
import { diskFiles, type ProjectHost } from '../project/host.js';

/** `--allow-outside`: said once for everything that one command reads. */
let outside = false;

export function allowOutside(): void {
  outside = true;
}

export function commandLineHost(): ProjectHost {
  return { folder: process.cwd(), files: diskFiles, allowOutside: outside, environment: process.env };
}
