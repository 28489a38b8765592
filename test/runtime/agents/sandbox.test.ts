/** Agents in a sandbox of the system, and why there is none. */
import { existsSync, mkdirSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { sandboxProfile } from '../../../src/runtime/agents/sandbox/confine.js';
import { isNamed } from '../../../src/runtime/agents/sandbox/named-hosts.js';
import { findSandbox } from '../../../src/runtime/agents/sandbox/sandbox-program.js';
import { root } from '../../harness/process.js';
import { type Exited, stage } from './calling.js';

const found = await findSandbox(process.env.PATH);
const inSandbox = test.runIf(!('reason' in found));

/** Tries to write each file, and says what came of it. */
const WRITER = (...files: string[]): string =>
  `cat > /dev/null
for file in ${files.map((file) => `"${file}"`).join(' ')}; do
  if (echo x > "$file") 2> /dev/null; then echo "wrote $file"; else echo "kept from $file"; fi
done`;

const linesOf = ({ stdout }: Exited): string[] => (stdout.text ?? '').trim().split('\n');

inSandbox('a confined agent writes where it works, and nowhere else', async () => {
  const one = stage({
    it: { adapter: 'command', run: ['./agent'], sandbox: 'worktree', writes: ['more'] },
  });
  const project = join(one.folder, 'project');
  for (const folder of ['project/.git/hooks', 'project/.statedsl', 'more', 'other'])
    mkdirSync(join(one.folder, folder), { recursive: true });
  one.file('project/statedsl.config.yaml', 'agents: {}\n');
  const shown = ['inside', '$STATEDSL_OUT/answer', '../more/file', '/tmp/own'];
  const hidden = ['.git/hooks/pre-commit', '.git/config', '.statedsl/record', 'statedsl.config.yaml', '/etc/statedsl'];
  // In a checkout below `/tmp` it writes into a `/tmp` of its own.
  const elsewhere = join(process.cwd(), 'written-by-an-agent');
  one.program('../agent', WRITER(...shown, ...hidden, elsewhere));
  const outcome = await one.exited({ agent: 'it', directory: project });
  expect(linesOf(outcome).map((line) => line.split(' ')[0])).toEqual([
    ...shown.map(() => 'wrote'),
    ...hidden.map(() => 'kept'),
    elsewhere.startsWith('/tmp/') ? expect.any(String) : 'kept',
  ]);
  expect(existsSync(elsewhere)).toBe(false);
  expect(one.read('project/inside')).toBe('x\n');
  expect(one.read('more/file')).toBe('x\n');
  expect(existsSync('/tmp/own')).toBe(false);
  rmSync(project, { recursive: true });
});

inSandbox('what its program obeys later is not written either; a file that appears there is reported', async () => {
  const notices: string[] = [];
  const one = stage({ it: { adapter: 'codex', sandbox: 'worktree' } }, { notice: (text) => notices.push(text) });
  mkdirSync(join(one.folder, 'codex/sessions'), { recursive: true });
  one.file('codex/config.toml', 'model = "a"\n');
  one.program('codex', WRITER('$CODEX_HOME/sessions/a', '$CODEX_HOME/config.toml', '$CODEX_HOME/AGENTS.md'));
  await one.call({ agent: 'it', cwd: null }, { env: { CODEX_HOME: join(one.folder, 'codex') } });
  expect(one.read('codex/sessions/a')).toBe('x\n');
  expect(one.read('codex/config.toml')).toBe('model = "a"\n');
  const made = join(one.folder, 'codex/AGENTS.md');
  expect(notices).toEqual([`\`it\` made \`${made}\`, which others obey outside of the sandbox: look at it`]);
  one.program('codex', WRITER('statedsl.config.yaml'));
  await one.call({ agent: 'it', cwd: null }, { env: { CODEX_HOME: join(one.folder, 'codex') } });
  expect(notices[1]).toContain('/statedsl.config.yaml`, which others obey');
});

inSandbox('a strict sandbox reaches named hosts through a proxy, and nothing else', async () => {
  const server = createServer((request, answer) => void answer.end(`${request.method} ${request.url}`));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const notices: string[] = [];
  const agent = (hosts: string[]) => ({ adapter: 'command', run: ['./agent'], sandbox: 'strict' as const, hosts });
  const one = stage({ it: agent([`127.0.0.1:${port}`]), none: agent([]) }, { notice: (text) => notices.push(text) });
  // By hand: newer versions of Node use the proxy themselves.
  const ask = `#!/usr/bin/env node
const proxy = process.env.HTTP_PROXY;
const ask = (url, isDirect) => new Promise((resolve) => {
  const { host } = new URL(url);
  const { hostname, port } = new URL(isDirect || !proxy ? url : proxy);
  let text = "";
  const sent = ["GET " + url + " HTTP/1.1", "Host: " + host, "Connection: close", "", ""].join("\\r\\n");
  const socket = require("net").connect(port, hostname, () => socket.write(sent));
  socket.on("data", (piece) => (text += piece));
  socket.on("error", (error) => resolve(error.code));
  socket.on("end", () => resolve(text.split(" ")[1] + " " + (/[A-Za-z][^\\r\\n]*(?=[\\r\\n0]*$)/.exec(text) ?? [""])[0]));
});
(async () => {
  console.log(await ask("http://127.0.0.1:${port}/way?a=1"));
  console.log(await ask("http://127.0.0.1:${port}/", true));
  console.log(await ask("http://127.0.0.1:1/"));
})();`;
  one.program('../agent', ask);
  expect(linesOf(await one.exited({ agent: 'it' }))).toEqual([
    '200 GET /way?a=1',
    'ECONNREFUSED',
    '403 the sandbox does not name the host 127.0.0.1: add it to `hosts`',
  ]);
  expect(notices).toEqual(['the sandbox of `it` refused 127.0.0.1:1; `hosts` does not name it']);
  expect(linesOf(await one.exited({ agent: 'none' }))).toEqual(['ECONNREFUSED', 'ECONNREFUSED', 'ECONNREFUSED']);
});

test.runIf(process.platform === 'linux')(
  'a sandbox that does not work is refused, and the agent is not started',
  async () => {
    const one = stage({ it: { adapter: 'command', run: ['touch', 'started'], sandbox: 'worktree' } });
    one.program('bwrap', 'echo "bwrap: No permissions to create a new namespace" >&2; exit 1');
    expect(await one.call({ agent: 'it' })).toEqual({
      kind: 'not-started',
      reason:
        'the agent `it` has `sandbox: worktree`, and `bwrap` does not work here (bwrap: No permissions to create a new namespace): this system or container must allow user namespaces',
    });
    expect(one.read('started')).toBeNull();
  },
);

/** As the program of the system, it executes what comes after its own options, and notes these. */
const STAND_IN = `for last; do :; done
[ "$last" = true ] && exit 0
printf '%s\\n' "$@" > "$(dirname "$0")/../options"
while [ "$1" != -- ]; do [ "$1" = --chdir ] && cd "$2"; shift; done
shift
exec "$@"`;

test.runIf(process.platform === 'linux')(
  'what a sandbox is started with, from the first mount to the last',
  async () => {
    for (const isStrict of [false, true]) {
      const sandbox = isStrict ? 'strict' : 'worktree';
      const hosts = isStrict ? { hosts: ['example.com'] } : {};
      const one = stage({ it: { adapter: 'command', run: ['./agent'], sandbox, writes: ['more'], ...hosts } });
      one.program('bwrap', STAND_IN);
      const project = join(one.folder, 'project');
      for (const folder of ['project/.git', 'more']) mkdirSync(join(one.folder, folder), { recursive: true });
      one.program('../agent', 'cat > /dev/null; echo "at $(pwd) $TMPDIR"');
      const outcome = await one.exited({ agent: 'it', directory: project });
      expect(linesOf(outcome)).toEqual([`at ${project} /tmp/agent`]);
      const own = (path: string): string =>
        path.replace(realpathSync(one.folder), 'DIR').replace(/^.*\/\d+-(out|hosts)$/, 'OWN/$1');
      const options = (one.read('options') ?? '').trim().split('\n').map(own);
      const mounts = options.join(' ').split(/ (?=--)/);
      const emptied = mounts.indexOf('--dir /tmp/agent');
      const written = mounts.findIndex((line) => line.startsWith('--bind '));
      // What it needs of the folders that are emptied, wherever this test is.
      for (const line of mounts.slice(emptied + 1, written)) expect(line).toMatch(/^--ro-bind (\S+) \1$/);
      expect(mounts.slice(0, emptied)).toEqual([
        ...['--unshare-all', '--die-with-parent', '--cap-drop ALL', ...(isStrict ? [] : ['--share-net'])],
        ...['--ro-bind / /', '--dev /dev', '--proc /proc'],
        ...[...new Set(['/tmp', '/var/tmp', '/dev/shm', '/run'].filter(existsSync))].map(
          (path) => `--tmpfs ${realpathSync(path)}`,
        ),
      ]);
      // The shorter paths first, so that what lies in a folder comes after it.
      const paths = mounts.slice(written, -2).filter((line) => / (?:DIR|OWN)\b/.test(line));
      expect([...paths].sort()).toEqual([
        ...['--bind DIR/more DIR/more', '--bind DIR/project DIR/project'],
        ...(isStrict ? ['--bind OWN/hosts OWN/hosts'] : []),
        ...['--bind OWN/out OWN/out', '--ro-bind DIR/project/.git DIR/project/.git'],
      ]);
      expect(paths.indexOf('--ro-bind DIR/project/.git DIR/project/.git')).toBeGreaterThan(
        paths.indexOf('--bind DIR/project DIR/project'),
      );
      const forwarder = isStrict ? `${process.execPath} ${join(root, 'dist/bridges/hosts.cjs')} OWN/hosts ` : '';
      expect(mounts.slice(-2)).toEqual(['--chdir DIR/project', `-- ${forwarder}DIR/agent`]);
    }
  },
);

test('a program that is missing in a sandbox is told as anywhere', async () => {
  const one = stage({ it: { adapter: 'command', run: ['no-such-program'], sandbox: 'worktree' } });
  const outcome = await one.call({ agent: 'it' });
  const expected =
    'reason' in found
      ? expect.stringContaining('`sandbox: worktree`')
      : 'cannot start: the program `no-such-program` is not on PATH';
  expect(outcome).toEqual({ kind: 'not-started', reason: expected });
});

test('where a system has none, that is said', async () => {
  expect(await findSandbox('/nowhere', 'linux')).toEqual({
    name: 'bwrap',
    reason: '`bwrap` is not on PATH: install the package `bubblewrap`',
  });
  expect(await findSandbox('/nowhere', 'win32')).toMatchObject({ name: null });
});

test('hosts are compared as a whole, with their port', () => {
  const named = ['api.example.com', '*.example.org', 'localhost:8080', '[::1]:99'];
  const may = (host: string, port = 443): boolean => isNamed(host, port, named);
  expect([may('api.example.com'), may('API.example.com.'), may('api.example.com', 80)]).toEqual([true, true, true]);
  expect([may('a.example.org'), may('a.b.example.org'), may('localhost', 8080), may('::1', 99)]).toEqual([
    true,
    true,
    true,
    true,
  ]);
  const others = [may('example.org'), may('xexample.org'), may('api.example.com', 22), may('api.example.com.evil.net')];
  expect([...others, may('localhost'), may('x.api.example.com')]).toEqual(others.concat(false, false).fill(false));
});

test('on macOS the rules say the same', () => {
  expect(
    sandboxProfile({ writes: ['/p', '/out "q"'], reads: ['/p/.git'], network: 4100, directory: '/p' })
      .split('\n')
      .slice(3),
  ).toMatchInlineSnapshot(`
    [
      "(allow file-write* (literal "/dev/null") (literal "/dev/tty") (literal "/dev/dtracehelper") (subpath "/dev/fd"))",
      "(allow file-write* (subpath "/p"))",
      "(deny file-write* (subpath "/p/.git"))",
      "(allow file-write* (subpath "/out \\"q\\""))",
      "(deny file-write-unlink (literal "/p"))",
      "(deny network*)",
      "(allow network-outbound (remote ip "localhost:4100"))",
    ]
  `);
});
