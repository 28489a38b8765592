/** What programs find around them does not depend on the user who runs the tests, and is quick. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cli, runProgramSync } from './harness/process.js';

export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'statedsl-environment-'));
  // The workers, which start later, have the environment of this process.
  process.env.XDG_CACHE_HOME = join(folder, 'cache');
  process.env.XDG_STATE_HOME = join(folder, 'state');
  // A bash that no other shell started takes pipes of Node for a remote login, and reads the `.bashrc` of the user.
  process.env.SHLVL = '1';
  if (process.env.UNIT === undefined) start(folder);
  return () => rmSync(folder, { recursive: true, force: true });
}

/** What programs store for their next start is there before the tests, so that they do not pay for first starts. */
function start(folder: string): void {
  mkdirSync(join(folder, 'cache'));
  writeFileSync(join(folder, 'hello.dsl'), 'RETURN: hello\n');
  runProgramSync(process.execPath, [cli, 'run', '--quiet', 'hello.dsl'], { cwd: folder, env: process.env });
  // The oldest of many files are removed, and tests start many programs: what each start needs is never the oldest.
  const tomorrow = new Date(Date.now() + 24 * 60 * 60 * 1000);
  const stored = join(folder, 'cache/statedsl');
  // A build for a debugger stores nothing.
  if (!existsSync(stored)) return;
  for (const name of readdirSync(stored)) utimesSync(join(stored, name), tomorrow, tomorrow);
}
