/**
 * Which files a program may name, on this command line: those of its own project and of the one that the command is
 * given in, or all of them where the person says so.
 */
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { projectOf, type Readable } from '../runtime/readable-file.js';

/** `--allow-outside`: said once for everything that one command reads. */
let everything = false;

export function allowOutside(): void {
  everything = true;
}

/** `program` is a path, or a name such as `-` and `<stdin>` that is none. */
export function readableFrom(program: string): Readable {
  if (everything) return 'all';
  const own = program === '-' || program.startsWith('<') ? [] : [projectOf(dirname(program))];
  const here = projectOf(process.cwd());
  // Nobody keeps a project there, and everything would be in it.
  const isProject = here !== '/' && here !== homedir();
  return [...new Set(isProject || own.length === 0 ? [...own, here] : own)];
}
