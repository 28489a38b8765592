/**
 * The program of the system that confines others: bubblewrap on Linux, sandbox-exec on macOS. It is tried once, because many
 * containers and hardened systems have it and do not let it work.
 */
import { execFile } from 'node:child_process';
import { findProgram, SYSTEM_PATH } from '../../process/shell.js';

/** The program and its path, or what is missing and what to do about it. */
export type FoundSandbox =
  | { readonly name: 'bwrap' | 'sandbox-exec'; readonly path: string }
  | { readonly name: 'bwrap' | 'sandbox-exec' | null; readonly reason: string };

const TRIAL_MS = 5000;

/** The kernel's facilities that every confined call uses. */
export const NAMESPACES = ['--unshare-all', '--die-with-parent', '--cap-drop', 'ALL'] as const;

const TRIALS = {
  bwrap: [...NAMESPACES, '--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', 'true'],
  'sandbox-exec': ['-p', '(version 1)(allow default)', '/usr/bin/true'],
} as const;

const found = new Map<string, Promise<FoundSandbox>>();

/** Looks it up in the directories of `path`, and starts it for nothing; the answer is kept. */
export function findSandbox(
  path: string | undefined,
  platform: NodeJS.Platform = process.platform,
): Promise<FoundSandbox> {
  const key = `${platform} ${path ?? ''}`;
  const known = found.get(key) ?? lookUp(path ?? SYSTEM_PATH, platform);
  found.set(key, known);
  return known;
}

async function lookUp(path: string, platform: NodeJS.Platform): Promise<FoundSandbox> {
  const name = platform === 'linux' ? 'bwrap' : platform === 'darwin' ? 'sandbox-exec' : null;
  if (name === null)
    return { name, reason: `${platform} has no sandbox for programs; run it on Linux or macOS, or in WSL` };
  const program = findProgram(name, path);
  if (program === null) {
    const help = name === 'bwrap' ? ': install the package `bubblewrap`' : '';
    return { name, reason: `\`${name}\` is not on PATH${help}` };
  }
  const why = await tryProgram(program, TRIALS[name]);
  if (why === null) return { name, path: program };
  const help = name === 'bwrap' ? ': this system or container must allow user namespaces' : '';
  return { name, reason: `\`${name}\` does not work here (${why})${help}` };
}

function tryProgram(program: string, args: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(program, args, { timeout: TRIAL_MS }, (error, _stdout, stderr) => {
      const [line = ''] = stderr.trim().split('\n');
      resolve(error === null ? null : line || error.message);
    });
  });
}
