/**
 * `statedsl init`: writes a first flow and everything that it needs. If one of the files exists, none is written. The only
 * existing file that is changed is AGENTS.md, at its end.
 */
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { nearest } from '../../../prelude/nearest.js';
import { entryAt, makeFolder } from '../../../runtime/store/own-file.js';
import { EXIT, type ExitCode } from '../../terminal/exit-code.js';
import { stderr, stdout } from '../../terminal/streams.js';
import { usageError } from '../../terminal/usage-error.js';
import { STARTERS, type StarterFile } from './starters.js';

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
      `make a directory for it: \`mkdir ${name} && cd ${name} && statedsl init${template === undefined ? '' : ` ${name}`}\``,
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
  const mention = mentionGuide();
  if (flags.json)
    stdout.write(
      `${JSON.stringify({ template: name, files: paths, agents_md: mention.isWritten, next: starter.next })}\n`,
    );
  else if (!flags.quiet) {
    for (const path of paths) stderr.write(`wrote ${path}\n`);
    if (mention.line !== null) stderr.write(`${mention.line}\n`);
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

const AGENTS_MD = 'AGENTS.md';
const FOR_AGENTS = `## Flows

Work of several steps (commands, agents, approvals) is written as flows: \`.dsl\` files, which \`statedsl\` runs durably.
Before you write or change one, read \`statedsl guide\`. Then mend every finding of \`statedsl check --json FILE\`, and run \`statedsl test\`.
\`statedsl explain CODE\` shows a wrong and a right program. Never answer a question of a run in place of a person.
`;

/** Five lines for coding agents, if this project has a file for them and it does not mention the guide yet. */
function mentionGuide(): { readonly isWritten: boolean; readonly line: string | null } {
  const entry = entryAt(AGENTS_MD);
  if (entry === null) return { isWritten: false, line: null };
  if (!entry.isFile()) return { isWritten: false, line: `kept ${AGENTS_MD}: it is not a file of its own` };
  try {
    const before = readFileSync(AGENTS_MD, 'utf8');
    if (before.includes('statedsl guide')) return { isWritten: false, line: null };
    const gap = before === '' ? '' : before.endsWith('\n') ? '\n' : '\n\n';
    appendFileSync(AGENTS_MD, gap + FOR_AGENTS);
    return { isWritten: true, line: `added five lines for coding agents to ${AGENTS_MD}` };
  } catch (cause) {
    return { isWritten: false, line: `kept ${AGENTS_MD}: ${(cause as Error).message}` };
  }
}
