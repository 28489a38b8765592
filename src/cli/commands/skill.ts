/**
 * `statedsl skill install`: copies the skill to where coding agents look for skills. What was written is listed next to
 * it, so that removing it takes exactly that away, and nothing that somebody has changed or added since.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { commandFinder } from '../../app/project/command-finder.js';
import { entryAt, makeFolder } from '../../runtime/store/own-file.js';
import { VERSION } from '../../runtime/version.js';
import type { SKILL_PROGRAMS } from '../arguments/guide-commands.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stderr, stdout } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';
import { skillFolder } from './guide.js';

type SkillProgram = (typeof SKILL_PROGRAMS)[number];

interface SkillFlags {
  readonly for?: SkillProgram;
  readonly project?: boolean;
  readonly remove?: boolean;
  readonly json?: boolean;
}

/** Where each program looks for skills: of a project, and of the user. */
const LOCATIONS: Readonly<Record<SkillProgram, { readonly project: string; readonly user: () => string }>> = {
  claude: {
    project: '.claude/skills',
    user: () => join(process.env.CLAUDE_CONFIG_DIR ?? join(homedir(), '.claude'), 'skills'),
  },
  codex: { project: '.agents/skills', user: () => join(homedir(), '.agents/skills') },
  gemini: { project: '.gemini/skills', user: () => join(homedir(), '.gemini/skills') },
  opencode: {
    project: '.opencode/skills',
    user: () => join(process.env.XDG_CONFIG_HOME ?? join(homedir(), '.config'), 'opencode/skills'),
  },
  qwen: { project: '.qwen/skills', user: () => join(homedir(), '.qwen/skills') },
  copilot: { project: '.github/skills', user: () => join(homedir(), '.copilot/skills') },
};

/** The list of what was written, in the installed folder. */
const LIST = '.installed-by-statedsl.json';

interface Installed {
  readonly version: string;
  /** Hashes of the files, by their paths from the folder. */
  readonly files: Readonly<Record<string, string>>;
  /** Folders above it that were made for it, from the outermost on. */
  readonly made: readonly string[];
}

export async function skillCommand(flags: SkillFlags): Promise<ExitCode> {
  const source = skillFolder();
  if (source === null) return usageError('the folder `skills` of statedsl is missing', 'install statedsl again');
  const programs = programsOf(flags);
  if (programs.length === 0)
    return usageError(
      flags.remove ? 'the skill is not installed here' : 'none of the programs that read skills is installed',
      `name one: \`--for ${Object.keys(LOCATIONS).join('|')}\``,
    );
  const wrote: string[] = [];
  const removed: string[] = [];
  const kept: string[] = [];
  for (const program of programs) {
    const folder = folderOf(program, flags);
    if (flags.remove) {
      const left = removeFrom(folder);
      if (left === null) return usageError(`\`${folder}\` was not written by statedsl`, 'remove it yourself');
      removed.push(...left.removed);
      kept.push(...left.kept);
      continue;
    }
    const problem = whyNot(folder, source);
    if (problem !== null) return usageError(problem, 'move it away, or name another program in `--for`');
    try {
      wrote.push(...installTo(folder, source));
    } catch (cause) {
      await usageError(`cannot write the skill: ${(cause as Error).message}`);
      return EXIT.failed;
    }
  }
  if (flags.json) stdout.write(`${JSON.stringify({ programs, wrote, removed, kept })}\n`);
  else {
    for (const path of wrote) stderr.write(`wrote ${path}\n`);
    for (const path of removed) stderr.write(`removed ${path}\n`);
    for (const path of kept) stderr.write(`kept ${path}: it was changed or added after the installation\n`);
  }
  return EXIT.returned;
}

/** The program that is named, or else those that are on PATH; to remove: those that have the skill. */
function programsOf(flags: SkillFlags): SkillProgram[] {
  if (flags.for !== undefined) return [flags.for];
  const all = Object.keys(LOCATIONS) as SkillProgram[];
  if (flags.remove) return all.filter((program) => existsSync(join(folderOf(program, flags), LIST)));
  const isOnPath = commandFinder(process.cwd(), process.env.PATH ?? '');
  return all.filter((program) => isOnPath(program));
}

function folderOf(program: SkillProgram, { project }: SkillFlags): string {
  const { project: here, user } = LOCATIONS[program];
  return join(project ? here : user(), 'statedsl');
}

const hashOf = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

function filesBelow(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

/** The list may come with a repository, so what it names outside of the folder is not believed. */
function installedIn(folder: string): Installed | null {
  let read: Partial<Installed>;
  try {
    read = JSON.parse(readFileSync(join(folder, LIST), 'utf8')) as Partial<Installed>;
  } catch {
    return null;
  }
  const { version = '', files, made } = read;
  if (typeof files !== 'object' || files === null || !Array.isArray(made)) return null;
  const isInside = (path: string, outer: string): boolean => !relative(outer, path).startsWith('..');
  return {
    version,
    files: Object.fromEntries(
      Object.entries(files).filter(([path]) => isInside(resolve(folder, path), resolve(folder))),
    ),
    made: made.filter((one) => typeof one === 'string' && isInside(resolve(folder), resolve(one))),
  };
}

/** Why the skill cannot be written there; null: it can. Nothing that somebody else has written is replaced. */
function whyNot(folder: string, source: string): string | null {
  const entry = entryAt(folder);
  if (entry === null) return null;
  // Writing through a link would change files elsewhere.
  const folders = [folder, ...filesBelow(source).map((path) => dirname(join(folder, path)))];
  const other = folders.find((one) => entryAt(one)?.isDirectory() === false);
  if (other !== undefined) return `\`${other}\` is not a folder`;
  const before = installedIn(folder)?.files ?? {};
  const changed = filesBelow(source).find((path) => {
    const file = join(folder, path);
    if (entryAt(file) === null) return false;
    const hash = entryAt(file)?.isFile() ? hashOf(readFileSync(file)) : null;
    return hash !== before[path] && hash !== hashOf(readFileSync(join(source, path)));
  });
  return changed === undefined
    ? null
    : `\`${join(folder, changed)}\` was changed by someone else, so nothing was written`;
}

/** Returns the paths that were written. */
function installTo(folder: string, source: string): string[] {
  const made = [...(installedIn(folder)?.made ?? []), ...missingAbove(folder)];
  const files: Record<string, string> = {};
  for (const path of filesBelow(source)) {
    const content = readFileSync(join(source, path));
    files[path] = hashOf(content);
    makeFolder(dirname(join(folder, path)));
    writeFileSync(join(folder, path), content);
  }
  const list: Installed = { version: VERSION, files, made };
  writeFileSync(join(folder, LIST), `${JSON.stringify(list, null, 2)}\n`);
  return [...Object.keys(files), LIST].map((path) => join(folder, path));
}

/** Folders above this one that do not exist yet, from the outermost on. */
function missingAbove(folder: string): string[] {
  const missing: string[] = [];
  for (let at = dirname(folder); entryAt(at) === null; at = dirname(at)) missing.unshift(at);
  return missing;
}

/** Null: statedsl has not written this folder. */
function removeFrom(folder: string): { readonly removed: string[]; readonly kept: string[] } | null {
  const installed = installedIn(folder);
  if (installed === null) return null;
  const removed: string[] = [];
  for (const [path, hash] of Object.entries(installed.files)) {
    const file = join(folder, path);
    if (entryAt(file)?.isFile() !== true || hashOf(readFileSync(file)) !== hash) continue;
    rmSync(file);
    removed.push(file);
  }
  rmSync(join(folder, LIST));
  removed.push(join(folder, LIST));
  const kept = filesBelow(folder).map((path) => join(folder, path));
  const inside = [...new Set(Object.keys(installed.files).map((path) => dirname(path)))].map((path) =>
    join(folder, path),
  );
  // Folders that are not empty stay.
  for (const one of [...inside.filter((path) => path !== folder), folder, ...[...installed.made].reverse()])
    try {
      rmdirSync(one);
    } catch {}
  return { removed, kept };
}
