/**
 * The files that a program may name: those of its own project and of the project in the working directory, or all
 * files.
 */
import { dirname } from 'node:path';
import { type Boundary, isProject, projectOf, type Readable } from '../runtime/readable-file.js';
import { type ProjectHost, pathOf } from './host.js';

/** `program` is a path, or `-` or `<stdin>` for a text. */
export function readableFrom(host: ProjectHost, program: string): Readable {
  if (host.allowOutside) return 'all';
  const here = projectOf(host.folder);
  const folder = program === '-' || program === '<stdin>' ? null : dirname(pathOf(host, program));
  const own = folder === null ? [] : [folder === host.folder ? here : projectOf(folder)];
  return [...new Set(isProject(here) || own.length === 0 ? [...own, here] : own)];
}

/** Where a file may be that a person names on the command line. */
export function namedBoundary(host: ProjectHost): Boundary {
  return host.allowOutside ? 'all' : { named: host.folder };
}
