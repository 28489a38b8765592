/**
 * `statedsl init`: writes a first flow with all that it needs. What is there already is never touched: if one of the
 * files exists, none is written.
 */
import { existsSync, lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { nearest } from '../../source/suggest.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { stderr, stdout } from '../streams.js';
import { usageError } from '../usage.js';
import { STARTERS, type StarterFile } from './templates.js';

export interface InitFlags {
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
  const there = starter.files.filter(({ path }) => isThere(path)).map(({ path }) => `\`${path}\``);
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

/** Also a link that leads nowhere: writing through it would make a file elsewhere. */
function isThere(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

/** Through it, a file would be made in a folder that is not this one. */
function isLink(folder: string): boolean {
  return lstatSync(folder, { throwIfNoEntry: false })?.isSymbolicLink() === true;
}

/** Null, or why they cannot be written; then those that were are taken away again. */
function writeAll(files: readonly StarterFile[]): string | null {
  const written: string[] = [];
  try {
    for (const { path, text, executable } of files) {
      const folder = dirname(path);
      if (!existsSync(folder)) mkdirSync(folder, { recursive: true });
      // `wx`: what somebody made a moment ago is not overwritten either.
      writeFileSync(path, text, { flag: 'wx', mode: executable ? 0o755 : 0o644 });
      written.push(path);
    }
    return null;
  } catch (cause) {
    for (const path of written) rmSync(path, { force: true });
    return (cause as Error).message;
  }
}
