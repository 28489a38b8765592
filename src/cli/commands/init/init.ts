/**
 * `statedsl init`: writes a first flow and everything that it needs. Existing files are never changed: if one of the
 * files exists, none is written.
 */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { nearest } from '../../../prelude/nearest.js';
import { makeFolder } from '../../../runtime/store/make-folder.js';
import { entryAt } from '../../../runtime/store/own-file.js';
import { EXIT, type ExitCode } from '../../terminal/exit-code.js';
import { stderr, stdout } from '../../terminal/streams.js';
import { usageError } from '../../terminal/usage.js';
import { STARTERS, type StarterFile } from './templates.js';

interface InitFlags {
  readonly quiet?: boolean;
  readonly json?: boolean;
}

export async function initCommand(template: string | undefined, flags: InitFlags): Promise<ExitCode> {
  const name = template ?? 'flow';
  const starter = Object.hasOwn(STARTERS, name) ? STARTERS[name] : undefined;
  if (starter === undefined) {
    const names = Object.entries(STARTERS).map(([one, { about }]) => `\`${one}\` (${about})`);
    const near = nearest(name, Object.keys(STARTERS));
    const help = near === undefined ? `the templates are ${names.join(', ')}` : `did you mean \`${near}\`?`;
    return usageError(`there is no template \`${name}\``, help);
  }
  // Also a dangling link: writing through it would create a file elsewhere.
  const there = starter.files.filter(({ path }) => entryAt(path) !== null).map(({ path }) => `\`${path}\``);
  if (there.length > 0)
    return usageError(
      `${there.join(', ')} already ${there.length === 1 ? 'exists' : 'exist'}, so nothing was written`,
      'run `statedsl init` in an empty directory',
    );
  const link = starter.files.map(({ path }) => dirname(path)).find(isLink);
  if (link !== undefined)
    return usageError(
      `\`${link}\` is a symbolic link, so nothing was written`,
      'run `statedsl init` in an empty directory',
    );
  const trouble = writeAll(starter.files);
  if (trouble !== null) {
    await usageError(`cannot write the files: ${trouble}`);
    return EXIT.failed;
  }
  const paths = starter.files.map(({ path }) => path);
  if (flags.json) stdout.write(`${JSON.stringify({ template: name, files: paths, next: starter.next })}\n`);
  else if (!flags.quiet) {
    for (const path of paths) stderr.write(`wrote ${path}\n`);
    stderr.write(`next steps:\n${starter.next.map((line) => `  ${line}\n`).join('')}`);
  }
  return EXIT.returned;
}

/** Writing through a link would create files outside of this directory. */
function isLink(folder: string): boolean {
  return entryAt(folder)?.isSymbolicLink() === true;
}

/** Writes all files. If one cannot be written, removes the others again and returns the reason. */
function writeAll(files: readonly StarterFile[]): string | null {
  const written: string[] = [];
  try {
    for (const { path, text } of files) {
      const folder = dirname(path);
      if (!existsSync(folder)) makeFolder(folder);
      // `wx`: a file that was created a moment ago is not overwritten either.
      writeFileSync(path, text, { flag: 'wx' });
      written.push(path);
    }
    return null;
  } catch (cause) {
    for (const path of written) rmSync(path, { force: true });
    return (cause as Error).message;
  }
}
