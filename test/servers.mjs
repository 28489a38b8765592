/**
 * Tools of servers that people use, from the package registry: `npm run test:servers`. They are installed once into the
 * user's cache. Where they cannot be had, this says so and passes: the other tests have a server of their own.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execaSync } from 'execa';

const VERSION = '2026.8.31';
const SERVERS = ['server-everything', 'server-filesystem'];

const cli = join(dirname(dirname(fileURLToPath(import.meta.url))), 'dist', 'cli.js');
const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'statedsl-tests', `servers-${VERSION}`);
const program = (name) => join(cache, 'node_modules/@modelcontextprotocol', name, 'dist/index.js');

function installed() {
  if (SERVERS.every((name) => existsSync(program(name)))) return true;
  mkdirSync(cache, { recursive: true });
  const packages = SERVERS.map((name) => `@modelcontextprotocol/${name}@${VERSION}`);
  const words = ['install', '--prefix', cache, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', ...packages];
  const { exitCode, stderr } = execaSync('npm', words, { reject: false, timeout: 180_000 });
  if (exitCode === 0) return true;
  console.log(`skipped: the servers cannot be installed: ${String(stderr).trim().split('\n')[0]}`);
  return false;
}

/** Runs one call of a tool; gives the summary of its run. */
function call(folder, tool, parameters) {
  const plan = { calls: [{ _tool: 'it', ...parameters, _outputPath: '†state.x' }], output: '†state.x' };
  writeFileSync(join(folder, 'plan.json'), JSON.stringify(plan));
  writeFileSync(join(folder, 'tools.yaml'), `it: { mcp: ${tool} }\n`);
  const words = [cli, 'run', 'plan.json', '--json', '--quiet'];
  const { stdout, stderr } = execaSync(process.execPath, words, { cwd: folder, reject: false, timeout: 60_000 });
  assert.notEqual(stdout, '', stderr);
  return JSON.parse(stdout);
}

function check(folder) {
  const configuration = {
    mcp: {
      everything: { command: [process.execPath, program('server-everything'), 'stdio'] },
      files: { command: [process.execPath, program('server-filesystem'), folder] },
    },
  };
  writeFileSync(join(folder, 'statedsl.config.yaml'), JSON.stringify(configuration));
  writeFileSync(join(folder, 'note.txt'), 'first line\nsecond line\n');
  assert.equal(call(folder, 'everything/echo', { message: 'hello' }).returned, 'Echo: hello');
  assert.match(call(folder, 'everything/get-sum', { a: 2, b: 3 }).returned, /5/);
  const read = call(folder, 'files/read_text_file', { path: join(folder, 'note.txt') });
  assert.match(JSON.stringify(read.returned), /first line\\nsecond line/);
  const outside = call(folder, 'files/read_text_file', { path: '/etc/hostname' });
  assert.equal(outside.status, 'failed');
  assert.match(outside.error.message, /outside allowed/);
}

if (installed()) {
  const folder = mkdtempSync(join(tmpdir(), 'statedsl-servers-'));
  try {
    check(folder);
    console.log(`${SERVERS.join(' and ')} ${VERSION}: 4 calls as expected`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
