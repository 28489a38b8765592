/** Which files a confined agent may change, and which of them it may not. All paths are absolute and exist. */
import { existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join, relative, resolve } from 'node:path';
import type { Environment } from '../../process/shell.js';
import type { AgentConfiguration, ProgramFolder } from '../programs/adapter.js';

export interface PathLimits {
  readonly writes: readonly string[];
  /** Below `writes`, but only read. */
  readonly reads: readonly string[];
  /** Would be in `reads` if they existed. */
  readonly missing: readonly string[];
}

interface ConfinedCall {
  readonly configuration: Pick<AgentConfiguration, 'writes'>;
  readonly folders: readonly ProgramFolder[];
  /** The folder of the configuration. */
  readonly folder: string | null;
  readonly directory: string;
  readonly out: string;
  /** The folder of the run, in its store. */
  readonly runFolder: string | null;
  readonly inherited: Environment;
}

/** Files in a project that others execute or obey outside of the sandbox. */
const GUARDED = ['.git', '.statedsl', 'statedsl.config.yaml'] as const;

export function limitPaths(call: ConfinedCall): PathLimits {
  const { configuration, folder, directory, out, runFolder, inherited } = call;
  const home = inherited.HOME ?? homedir();
  const own = call.folders.map(({ variable, path, name = '', settings = [], makes = [], isFile = false }) => {
    const base = (variable === undefined ? undefined : inherited[variable]) || join(home, path);
    const at = join(base, name);
    // The program makes it in its first call, which may be this one.
    if (!isFile) makeQuietly(at);
    const below = (names: readonly string[]): string[] => names.map((one) => join(at, one));
    return { at, settings: below(settings), appearing: below(settings.filter((one) => !makes.includes(one))) };
  });
  const more = (configuration.writes ?? []).map((path) => inHome(path, home, folder ?? directory));
  const writes = existing([...own.map(({ at }) => at), ...more, directory, out]);
  const store = runFolder === null ? [] : [dirname(dirname(runFolder))];
  const guarded = [
    ...own.flatMap(({ settings }) => settings),
    ...GUARDED.map((name) => join(directory, name)),
    ...store,
  ];
  const reads = existing(guarded).filter((path) => !writes.includes(path));
  const appearing = [...own.flatMap((one) => one.appearing), ...GUARDED.map((name) => join(directory, name))];
  return { writes, reads, missing: appearing.filter((path) => !existsSync(path)) };
}

/** Whether `path` is `folder` or below it. */
export function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith('../') && !isAbsolute(way);
}

/** The path without links, as the system sees it. */
export function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** The repository of a worktree, where git finds all but its files; null: `directory` is none. */
export function repositoryOf(directory: string): string | null {
  try {
    const [, gitDir] = /^gitdir: (.+)$/m.exec(readFileSync(join(directory, '.git'), 'utf8')) ?? [];
    return gitDir === undefined ? null : resolve(directory, gitDir, '..', '..');
  } catch {
    return null;
  }
}

function existing(paths: readonly string[]): string[] {
  return [...new Set(paths.filter((path) => existsSync(path)).map(realOf))];
}

function inHome(path: string, home: string, folder: string): string {
  return path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : resolve(folder, path);
}

function makeQuietly(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch {
    // The program itself says that it cannot write there.
  }
}
