/** What most starts do not need is in scripts of their own, which a start does not load. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root, runProgram } from '../harness/process.js';
import { cli, projectFolder } from './statedsl.js';

/** Scripts that only few commands and settings load, by the beginnings of their names. */
const RARE = ['trace-run', 'export-spans', 'mcp-', 'stdio-', 'http-', 'door-', 'run-bound-', 'run-bounds-'];

async function scriptsOf(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const one = projectFolder({ 'a.dsl': 'DO: echo hello\n' });
  const list = join(one.folder, 'loaded');
  const more = { cwd: one.folder, env: { ...process.env, XDG_CACHE_HOME: one.folder, ...env } };
  const { code } = await runProgram(process.execPath, [join(root, 'bundle/list-loaded.mjs'), list, cli, ...args], more);
  expect(code).toBe(0);
  const names = readFileSync(list, 'utf8').split('\n');
  // Scripts that most starts load are in one file.
  const packed = names
    .filter((name) => name.endsWith('.pack'))
    .flatMap((name) => readFileSync(join(root, 'dist/code', name), 'latin1').match(/^"[^"]+\.cjs": function/gm) ?? []);
  return [...names, ...packed.map((line) => line.slice(1))];
}

test('a run loads nothing that it does not use', async () => {
  const scripts = await scriptsOf(['run', 'a.dsl']);
  expect(scripts.length).toBeGreaterThan(5);
  expect(scripts.filter((name) => RARE.some((rare) => name.startsWith(rare)))).toEqual([]);
  const traced = await scriptsOf(['run', 'a.dsl'], { TRACEPARENT: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01` });
  expect(traced.some((name) => name.startsWith('trace-run'))).toBe(true);
});
