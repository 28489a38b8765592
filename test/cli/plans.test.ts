/** Runs of plans that are started, killed and resumed: what a text of expectations cannot say. */
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { longTest } from '../amount.js';
import { until } from '../harness/until.js';
import { type ProjectFolder, projectFolder } from './statedsl.js';

const server = join(dirname(dirname(fileURLToPath(import.meta.url))), 'fixtures/mcp/server.mjs');

interface Told {
  readonly run_id: string;
  readonly status: string;
  readonly returned: unknown;
  readonly waiting: unknown;
  readonly effects: number;
  readonly error: { readonly kind: string; readonly message: string } | null;
  readonly calls: readonly { readonly status: string; readonly error: { readonly code: unknown } | null }[];
}

async function told(
  one: ProjectFolder,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Told & { code: number | null }> {
  const { code, stdout, stderr } = await one.run([...args, '--json', '--quiet'], { env });
  if (stdout === '') throw new Error(stderr);
  return { code, ...JSON.parse(stdout) };
}

test('tools of a server: one process serves the run, and ends with it', async () => {
  const call = (name: string, more = {}) => ({
    _tool: name,
    n: 1,
    _outputPath: `†state.${name} || †state.not.${name}`,
    ...more,
  });
  const names = ['structured', 'text', 'words', 'lines', 'image', 'wrong', 'slow', 'crash'];
  const one = projectFolder({
    'plan.json': JSON.stringify({
      calls: names.map((name) => call(name)),
      max: 1,
      output: names.slice(0, 5).map((name) => `†state.${name}`),
    }),
    'tools.yaml': names
      .map((name) => `${name}: { mcp: tests/${name}, idempotent: true${name === 'slow' ? ', timeout: 300ms' : ''} }\n`)
      .join(''),
    'statedsl.config.yaml': `mcp: { tests: { command: [${process.execPath}, ${server}, ./log.txt] } }\n`,
  });
  const { calls, returned } = await told(one, ['run', 'plan.json']);
  const image = [{ type: 'image', data: 'aGk=', mimeType: 'image/png' }];
  expect(returned).toEqual([{ given: { n: 1 } }, { n: 1 }, 'some words', 'one\ntwo', image]);
  expect(calls.map(({ status, error }) => error?.code ?? status)).toEqual([
    'done',
    'done',
    'done',
    'done',
    'done',
    'done',
    'timeout',
    'tool_failure',
  ]);
  const log = readFileSync(join(one.folder, 'log.txt'), 'utf8');
  expect(log.split('\n').filter((line) => line.startsWith('started'))).toEqual(['started for a run']);
});

longTest('a server may speak the newer revision of its protocol, the older one, or both', async () => {
  const kinds = ['both', 'newer', 'older', 'silent', 'mortal', 'slow', 'strange'];
  const one = projectFolder({
    'plan.json': JSON.stringify({
      calls: kinds.map((kind) => ({ _tool: kind, n: kind, _outputPath: `†state.${kind}` })),
      output: kinds.map((kind) => `†state.${kind}`),
    }),
    'tools.yaml': kinds.map((kind) => `${kind}: { mcp: ${kind}/structured, idempotent: true }\n`).join(''),
    'statedsl.config.yaml': `mcp:\n${kinds
      .map(
        (kind, at) => `  ${kind}: { ${at % 2 ? 'run' : 'command'}: [${process.execPath}, ${server}, "-", ${kind}] }\n`,
      )
      .join('')}`,
  });
  expect((await told(one, ['run', 'plan.json'])).returned).toEqual(kinds.map((n) => ({ given: { n } })));
});

longTest('a message of a server that is too large is not read to its end', async () => {
  const one = projectFolder({
    'plan.json': JSON.stringify({ calls: [{ _tool: 'huge', _outputPath: '†state.x' }] }),
    'tools.yaml': 'huge: { mcp: tests/huge }\n',
    'statedsl.config.yaml': `mcp: { tests: { command: [${process.execPath}, ${server}] } }\n`,
  });
  expect((await told(one, ['run', 'plan.json'])).error).toMatchObject({
    kind: 'value_too_large',
    message: expect.stringContaining('it sent a message of more than 32 MiB'),
  });
});

test('a killed run is resumed: effects with an outcome are not repeated, and those in flight are repeated with their ids', async () => {
  const one = projectFolder({
    'plan.json': JSON.stringify({
      calls: [
        { _tool: 'note', name: 'a', _outputPath: '†state.a' },
        { _tool: 'hang', name: 'b', after: '†state.a', _outputPath: '†state.b' },
        { _tool: 'note', name: 'c', after: '†state.b', _outputPath: '†state.c' },
      ],
      output: ['†state.a', '†state.b', '†state.c'],
    }),
    'tools.yaml': 'note: { run: [./note.sh], idempotent: true }\nhang: { run: [./hang.sh] }\n',
    'note.sh': '#!/bin/sh\ncat > /dev/null\necho "$STATEDSL_EFFECT_ID" >> notes.txt\necho 1\n',
    'hang.sh': '#!/bin/sh\ncat > /dev/null\necho "$STATEDSL_EFFECT_ID" >> hangs.txt\ntest -f go || sleep 600\necho 2\n',
  });
  for (const name of ['note.sh', 'hang.sh']) chmodSync(join(one.folder, name), 0o755);
  const child = one.start(['run', 'plan.json', '--quiet']);
  await until(() => existsSync(join(one.folder, 'hangs.txt')));
  child.kill('SIGKILL');
  await child.end;
  one.file('go', '');
  expect(await told(one, ['resume'])).toMatchObject({ code: 0, status: 'returned', returned: [1, 2, 1], effects: 3 });
  const lines = (name: string): string[] => readFileSync(join(one.folder, name), 'utf8').trim().split('\n');
  expect(lines('notes.txt')).toHaveLength(2);
  const [first, second] = lines('hangs.txt');
  expect(second).toBe(first);
});

test.each([
  ['fail', 1, 'in_doubt'],
  ['skip', 0, null],
  ['retry', 0, null],
])('a call that must not run twice and was in flight: --in-doubt %s', async (decision, code, error) => {
  const one = projectFolder({
    'plan.json': JSON.stringify({
      calls: [{ _tool: 'pay', _outputPath: '†state.paid || †state.not' }],
      output: '†state',
    }),
    'tools.yaml': 'pay: { run: [sh, -c, "echo x >> paid.txt; test -f go || sleep 600; echo 1"], idempotent: false }\n',
  });
  const child = one.start(['run', 'plan.json', '--quiet']);
  await until(() => existsSync(join(one.folder, 'paid.txt')));
  child.kill('SIGKILL');
  await child.end;
  one.file('go', '');
  const came = await told(one, ['resume', '--in-doubt', decision]);
  expect(came.code).toBe(code);
  // No outcome is ever taken for a call with an unknown result.
  expect(came.error?.kind ?? null).toBe(error);
  expect(came.calls[0]?.error?.code ?? null).toBe(error);
  const paid = readFileSync(join(one.folder, 'paid.txt'), 'utf8').trim().split('\n').length;
  expect(paid).toBe(decision === 'retry' ? 2 : 1);
});

longTest('a value of four megabytes passes through tools and a resumed run', async () => {
  const one = projectFolder({
    'plan.json': JSON.stringify({
      calls: [
        { _tool: 'big', _outputPath: '†state.big && †state.copy' },
        { _tool: 'length', text: '†state.big', _outputPath: '†state.command' },
        { _tool: 'module', text: '†state.copy', ok: '†state.approvals.go', _outputPath: '†state.module' },
      ],
      output: { command: '†state.command', module: '†state.module' },
    }),
    'tools.yaml':
      'big: { run: [node, ./big.mjs], idempotent: true }\nlength: { run: [node, ./length.mjs], idempotent: true }\n' +
      'module: { module: ./module.mjs#length, idempotent: true }\n',
    'big.mjs': 'process.stdout.write(JSON.stringify("é".repeat(2_000_000)));\n',
    'length.mjs':
      'import { readFileSync } from "node:fs";\nconsole.log(JSON.parse(readFileSync(0, "utf8")).text.length);\n',
    'module.mjs': 'export const length = ({ text }) => text.length;\n',
  });
  const first = await told(one, ['run', 'plan.json']);
  expect(first).toMatchObject({ code: 75, waiting: [{ kind: 'approval', path: 'approvals.go' }] });
  expect(await told(one, ['answer', first.run_id, 'approvals.go=true'])).toMatchObject({
    code: 0,
    returned: { command: 2_000_000, module: 2_000_000 },
  });
});

test('a result beyond 16 MiB is none, and nothing else suffers', async () => {
  const one = projectFolder({
    'plan.json': JSON.stringify([
      { _tool: 'huge', _outputPath: '†state.a || †state.b' },
      { _tool: 'small', _outputPath: '†state.c' },
    ]),
    'tools.yaml':
      'huge: { run: [sh, -c, "head -c 17000000 /dev/zero | tr \'\\\\0\' 1"], idempotent: true }\nsmall: { run: [echo, "1"], idempotent: true }\n',
  });
  const { calls } = await told(one, ['run', 'plan.json']);
  expect(calls.map(({ status, error }) => error?.code ?? status)).toEqual(['value_too_large', 'done']);
});

test('stand-ins for tools: all have to be named, and each call gets its own', async () => {
  const one = projectFolder({
    'plan.json': JSON.stringify({
      calls: [
        { _tool: 'a', n: 1, _outputPath: '†state.a1' },
        { _tool: 'a', n: 2, _outputPath: '†state.a2 || †state.a3' },
        { _tool: 'b', _outputPath: '†state.b1 || †state.b2' },
        { _tool: 'c', _outputPath: '†state.c1 || †state.c2' },
        { _tool: 'inner', _outputPath: '†state.d' },
      ],
      output: '†state',
      max: 1,
    }),
    'tools.yaml':
      'a: { run: [./none], idempotent: true }\nb: { run: [./none], outcomes: { "4": "†state.b2" }, idempotent: true }\n' +
      'c: { agent: claude, prompt: hello, idempotent: true }\ninner: { plan: ./inner.json, idempotent: true }\n',
    'inner.json': '[{"_tool": "a", "_outputPath": "†state.x"}]',
    'mock.yaml':
      'tools:\n  a: ["one", { _path: 1, _output: two }]\n  b: { fail: { code: 4, message: no } }\n  inner: [[1, 2]]\nagents:\n  claude: { fail: { message: away } }\n',
    'part.yaml': 'tools: { a: 1, b: 2 }\n',
  });
  const { code, returned } = await told(one, ['run', 'plan.json', '--mock', 'mock.yaml']);
  expect({ code, returned }).toEqual({
    code: 0,
    returned: {
      a1: 'one',
      a3: 'two',
      b2: { code: 4, message: 'no' },
      c2: { code: 'tool_failure', message: 'away' },
      d: [1, 2],
    },
  });
  const missing = await one.run(['run', 'plan.json', '--mock', 'part.yaml']);
  expect(missing.code).toBe(2);
  expect(missing.stderr).toContain('has no answers for the tool `c`');
  expect(existsSync(join(one.folder, '.statedsl/runs'))).toBe(true);
});

test('secrets of the environment are in no record of a plan', async () => {
  const one = projectFolder({
    'plan.json': JSON.stringify([
      { _tool: 'tell', _outputPath: '†state.told' },
      { _tool: 'cat', x: '†state.told', _outputPath: '†state.seen' },
    ]),
    'tools.yaml':
      'tell: { run: [sh, -c, "echo \\"\\\\\\"$MY_TOKEN\\\\\\"\\""], idempotent: true }\ncat: { run: [cat], idempotent: true }\n',
  });
  const { code, run_id } = await told(one, ['run', 'plan.json'], { MY_TOKEN: 'hush-hush-hush' });
  expect(code).toBe(0);
  const folder = join(one.folder, '.statedsl/runs', run_id);
  for (const name of ['journal.ndjson', 'state.json'])
    expect(readFileSync(join(folder, name), 'utf8')).not.toContain('hush-hush-hush');
  expect(JSON.parse(readFileSync(join(folder, 'state.json'), 'utf8'))['state.seen']).toEqual({ x: '***' });
});

longTest('what modules print is progress, and what they leave running ends the process with their words', async () => {
  const one = projectFolder({
    'plan.json': JSON.stringify({ calls: [{ _tool: 'loud', _outputPath: '†state.a' }], output: '†state.a' }),
    'late.json': JSON.stringify([{ _tool: 'late', _outputPath: '†state.a' }]),
    'leaves.json': JSON.stringify([{ _tool: 'leaves', _outputPath: '†state.a' }]),
    'tools.yaml': ['loud', 'late', 'leaves'].map((name) => `${name}: { module: ./tools.mjs#${name} }\n`).join(''),
    'tools.mjs': `
      console.log('loaded');
      export const loud = () => { process.stdout.write('loud\\n'); return 1; };
      export const late = () => new Promise(() => setTimeout(() => { throw new Error('too late'); }, 10));
      export const leaves = () => process.exit(0);
    `,
  });
  const { code, stdout, stderr } = await one.runProcess(['run', 'plan.json']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '1\n' });
  expect(stderr).toMatch(/^loaded$[\s\S]*^loud$/m);
  const late = await one.runProcess(['run', 'late.json']);
  expect(late.code).toBe(1);
  expect(late.stderr).toContain('a module failed outside of a call, so the process ends\nError: too late');
  const leaves = await one.runProcess(['run', 'leaves.json']);
  expect(leaves.code).toBe(1);
  expect(leaves.stderr).toContain('a module ended the process before statedsl was done');
});
