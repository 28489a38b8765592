/** Which files a program may name: those of its own project and of the one that its reader works in, or all of them. */
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { projectOf, type Readable } from '../runtime/readable-file.js';
import { type ProjectHost, pathOf } from './host.js';

/** `program` is a path, or a name such as `-` and `<stdin>` that is not one. */
export function readableFrom(host: ProjectHost, program: string): Readable {
  if (host.allowOutside) return 'all';
  const own = program === '-' || program.startsWith('<') ? [] : [projectOf(dirname(pathOf(host, program)))];
  const here = projectOf(host.folder);
  // Nobody keeps a project there, and everything would be in it.
  const isProject = here !== '/' && here !== homedir();
  return [...new Set(isProject || own.length === 0 ? [...own, here] : own)];
}
