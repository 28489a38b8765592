/**
 * Which files a command may read and write. Files that a program, a plan or a workflow names must be ordinary files of the
 * same project: a path that leads elsewhere could reveal a private file in a message or to an agent, and a pipe or a device
 * has no end. A person may name any file, but the links of a project, which came with it, do not lead out of it.
 */
import { existsSync, realpathSync, type Stats, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from 'node:path';

/** Folders with their subfolders, or everything. */
export type Readable = 'all' | readonly string[];

/** Where a file may be that a project names, or that a person names in this working directory. */
export type Boundary = Readable | { readonly named: string };

/** Larger files are not texts that someone wrote. Bytes. */
const LARGEST_BYTES = 64 * 1024 * 1024;

/** What a shell passes instead of a file: `<(command)`, and the streams of the process. */
export const STREAM = /^(?:-|\/dev\/(?:stdin|fd\/\d+)|\/proc\/self\/fd\/\d+)$/;

/** Why a file must not be read, as a clause; null if it may be read or does not exist. */
export function whyUnreadable(path: string, boundary: Boundary, largest = LARGEST_BYTES): string | null {
  if (STREAM.test(path)) return Array.isArray(boundary) ? 'it is a stream' : null;
  let stat: Stats;
  try {
    stat = statSync(path);
  } catch {
    return null;
  }
  if (typeof boundary === 'object' && 'named' in boundary) return whyElsewhere(path, boundary);
  const special = whyNoFile(stat);
  if (special !== null) return special;
  return (
    whyElsewhere(path, boundary) ?? (stat.size > largest ? `it is larger than ${largest / 1024 / 1024} MiB` : null)
  );
}

/** Why a file is not where it may be, as a clause, whether it exists or not. */
export function whyElsewhere(path: string, boundary: Boundary): string | null {
  if (boundary === 'all') return null;
  if ('named' in boundary) return whyLedOutside(resolve(path), boundary.named);
  const real = existingPart(path);
  return boundary.some((folder) => isWithin(real, folder)) ? null : outsideReason(boundary, real);
}

/** The real path of a file, or of the part of its path that exists. */
function existingPart(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    const above = dirname(path);
    return above === path ? path : join(existingPart(above), parse(path).base);
  }
}

/** Follows the links of a path that a person named. Links outside of projects are the person's own. */
function whyLedOutside(path: string, workingDirectory: string): string | null {
  if (existingPart(path) === path) return null;
  let at = parse(path).root;
  const names = path.slice(at.length).split(sep);
  for (const [index, name] of names.entries()) {
    const here = join(at, name);
    const target = realOf(here);
    const project = target === here ? null : projectOfLink(at, workingDirectory, index === names.length - 1);
    if (project !== null && !isWithin(target, project) && !isWithin(target, projectOf(workingDirectory)))
      return outsideReason([project]);
    at = target;
  }
  return null;
}

/** The project that a link in this folder belongs to; null: the person made it. */
function projectOfLink(folder: string, workingDirectory: string, isLast: boolean): string | null {
  const repository = findRepository(folder);
  if (repository !== null && isProject(repository)) return repository;
  const own = projectOf(workingDirectory);
  if (isProject(own) && isWithin(folder, own)) return own;
  return isLast && isProject(folder) ? folder : null;
}

/** The root and the home are not projects: too many files would be inside. */
export function isProject(folder: string): boolean {
  return folder !== '/' && folder !== realOf(homedir());
}

function outsideReason(folders: readonly string[], path = ''): string {
  if (OF_GIT.test(path)) return 'it belongs to git; to allow that, use `--allow-outside`';
  const where = folders[0] === undefined ? 'the project' : `\`${folders[0]}\``;
  return `it is outside of ${where}; to allow that, use \`--allow-outside\``;
}

/** What a path is that cannot be read as a file, as a clause. */
export function whyNoFile(stat: Stats): string | null {
  if (stat.isFile()) return null;
  if (stat.isDirectory()) return 'it is a directory';
  if (stat.isFIFO()) return 'it is a named pipe';
  return stat.isSocket() ? 'it is a socket' : 'it is a device';
}

/**
 * Why a file must not decide what runs that was found and not named, as a clause: another user can have made or changed
 * it.
 */
export function whyForeign(path: string): string | null {
  return whyOfOthers(statOf(dirname(path)), 'its folder') ?? whyOfOthers(statOf(path), 'it');
}

/** Why another user may have created it, as a clause. A group that only has this user is no other. */
export function whyOfOthers(stat: Stats | undefined, what: string): string | null {
  const user = process.getuid?.();
  if (stat === undefined || user === undefined) return null;
  if (stat.uid !== user && stat.uid !== 0) return `${what} belongs to another user`;
  if ((stat.mode & 0o002) !== 0) return `everyone can write to ${what}`;
  return (stat.mode & 0o020) !== 0 && stat.gid !== process.getgid?.() ? `its group can write to ${what}` : null;
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** The folder of a project: the repository that contains a folder, or else the folder. Links are resolved. */
export function projectOf(folder: string): string {
  return findRepository(folder) ?? realOf(resolve(folder));
}

/** The path of a file relative to a directory of its project; null: it is not in that project. */
export function pathInProject(path: string, directory: string): string | null {
  const way = relative(directory, path);
  const isBelow = !isAbsolute(way) && !/^\.\.(?:\/|$)/.test(way);
  if (!isBelow && whyElsewhere(path, [projectOf(directory)]) !== null) return null;
  return isBelow ? `./${way}` : way;
}

/** The root of the repository that a folder is in, or null. */
export function findRepository(folder: string): string | null {
  for (let at = realOf(resolve(folder)); ; at = dirname(at)) {
    if (existsSync(resolve(at, '.git'))) return at;
    if (dirname(at) === at) return null;
  }
}

const OF_GIT = /(?:^|\/)\.git(?:\/|$)/i;

/** What git keeps about a project belongs to the person: settings, hooks and the logins of remote repositories. */
function isWithin(path: string, folder: string): boolean {
  const way = relative(realOf(folder), path);
  return !isAbsolute(way) && !/^\.\.(?:\/|$)/.test(way) && !OF_GIT.test(way);
}

function realOf(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}
