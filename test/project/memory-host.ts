/** A project with its files as texts in memory. */
import { posix } from 'node:path';
import { type ProjectFiles, type ProjectHost, withOpenTexts } from '../../src/app/project/project-host.js';

const nothing: ProjectFiles = {
  read: () => ({ kind: 'unreadable', reason: 'no such file' }),
  isFile: () => false,
  list: () => [],
  whyRefused: () => null,
  whyForeign: () => null,
};

/** `textOf` gets paths from the folder of the project. */
export function memoryHost(textOf: (name: string) => string | undefined): ProjectHost {
  const folder = process.cwd();
  const files = withOpenTexts(nothing, (path) => textOf(posix.relative(folder, path)));
  return { folder, files, allowOutside: false, environment: {} };
}
