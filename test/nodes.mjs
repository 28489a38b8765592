/**
 * The versions of Node that statedsl supports, as programs from the package registry. Each is installed once into the
 * user's cache. `node test/nodes.mjs VERSION` prints the path of one, or says why there is none and fails; without a version
 * it prints all versions.
 */
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execaSync } from 'execa';

/** The oldest that `engines` of package.json allows, and the newest of each later major version. */
export const VERSIONS = ['20.20', '22', '24', '26'];

/** The absolute path of a version of Node, or why it cannot be installed. */
export function findNode(version) {
  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'statedsl-tests', `node-${version}`);
  const path = join(folder, 'node_modules/node/bin/node');
  if (existsSync(path)) return { path };
  // What an install that broke off has left, npm can neither use nor remove.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const words = ['install', '--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--loglevel=error'];
  const { exitCode, stderr, originalMessage } = execaSync('npm', [...words, `node@${version}`], {
    reject: false,
    timeout: 300_000,
  });
  if (exitCode === 0 && existsSync(path)) return { path };
  const [reason] = (stderr || originalMessage || '').trim().split('\n');
  return {
    problem: `Node ${version} cannot be installed: ${reason || 'its package contains no program for this machine'}`,
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [version] = process.argv.slice(2);
  const { path, problem } = version === undefined ? { path: VERSIONS.join(' ') } : findNode(version);
  if (path !== undefined) console.log(path);
  else console.error(problem);
  process.exitCode = path === undefined ? 1 : 0;
}
