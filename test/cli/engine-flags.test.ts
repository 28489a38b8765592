/** Flags next to `--on` and `STATEDSL_ON`. No engine is needed: they are refused before one is asked. */
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { projectFolder } from './statedsl.js';

const NOWHERE = 'http://127.0.0.1:1';

const refused: [string, string[], RegExp][] = [
  ['a worktree', ['run', 'a.dsl', '--worktree'], /has a worktree only if all of it is .*\n.*`--home NAME`/],
  ['a working directory', ['run', 'a.dsl', '--cwd', '.'], /`--cwd` cannot be used with `--on`\n.*statedsl worker/],
  ['a mock', ['run', 'a.dsl', '--mock', 'm.yaml'], /`--mock` cannot be used with `--on`/],
  ['suspending', ['run', 'a.dsl', '--suspend-after', '1s'], /`--suspend-after` cannot be used with `--on`/],
  ['run --resume', ['run', 'a.dsl', '--resume'], /`--resume` cannot be used with `--on`\n.*statedsl resume RUN/],
  ['an edited program', ['resume', 'r', '--from-file', 'a.dsl'], /`--from-file` cannot be used with `--on`\n.*replay/],
  [
    'an edited program of a replay',
    ['replay', 'r', '--from', '2', '--from-file', 'a.dsl'],
    /`--from-file` cannot be used with `--on`\n.*`--on none`/,
  ],
  ['a working directory of a replay', ['replay', 'r', '--failed', '--cwd', '.'], /`--cwd` cannot be used with `--on`/],
  ['resuming in the background', ['resume', 'r', '--detach'], /`--detach` cannot be used with `--on`/],
  ['a limit of an answer', ['answer', 'r', 'a=b', '--timeout', '1s'], /`--timeout` cannot be used with `--on`/],
  ['removing all', ['gc', '--keep-last', '0', '--all'], /`--all` cannot be used with `--on`.*\n.*statedsl cancel/],
  [
    'a part of a path as a namespace',
    ['runs', '--namespace', 'a/b'],
    /'--namespace <name>' argument 'a\/b' is invalid/,
  ],
  ['following an output', ['output', 'r', '--follow'], /cannot be followed\n.*statedsl show --follow/],
];

test.each(refused)('%s has no effect on an engine', async (_, args, words) => {
  const { code, stdout, stderr } = await projectFolder({ 'a.dsl': 'RETURN: x\n' }).run([...args, '--on', NOWHERE]);
  expect(stderr).toMatch(words);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
});

/** An engine that refuses every request, and notes its path. */
async function refusingEngine(asked: (string | undefined)[]): Promise<string> {
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(400).end('{"message":"not now"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test('a variable names the engine, but not for removing runs', async () => {
  const one = projectFolder({ 'a.dsl': 'RETURN: x\n' });
  const env = { STATEDSL_ON: NOWHERE, STATEDSL_SUSPEND_AFTER: '1s' };
  const elsewhere = await one.run(['run', 'a.dsl', '--cwd', '.'], { env });
  expect(elsewhere.stderr).toContain(
    '`--cwd` cannot be used with an engine, which `STATEDSL_ON` or the configuration names',
  );
  expect((await one.run(['run', 'a.dsl', '--dry-run'], { env })).code).toBe(0);
  // What it submits is refused here.
  const asked: (string | undefined)[] = [];
  const here = { ...env, STATEDSL_ON: await refusingEngine(asked) };
  expect(await one.run(['run', 'a.dsl'], { env: here })).toMatchObject({ code: 2, stderr: 'error: not now\n' });
  expect(asked).toEqual([expect.stringMatching(/^\/statedsl\.Run\/.+\/submit$/)]);
  // It asks the folder.
  expect(await one.run(['gc', '--keep-last', '0', '--all', '--quiet'], { env })).toMatchObject({ code: 0 });
});

test('programs for an engine are checked with the functions of its workers', async () => {
  const files = {
    'a.dsl': 'DO: x = greet Ann\nRETURN: {x.text}\n',
    'functions.mjs': 'export const greet = () => ({ text: "hello" });\n',
    'statedsl.config.yaml': 'engine: {commands: ./functions.mjs}\n',
  };
  const one = projectFolder(files);
  // Without an engine, nothing of the project is executed.
  expect((await one.run(['check', 'a.dsl'])).stderr).toMatch(/command-not-found.*greet/s);
  expect(await one.run(['check', 'a.dsl', '--on', NOWHERE])).toMatchObject({ code: 0, stderr: '' });
  const broken = await projectFolder({ ...files, 'functions.mjs': '' }).run(['check', 'a.dsl', '--on', NOWHERE]);
  expect([broken.code, broken.stderr]).toEqual([2, expect.stringMatching(/functions\.mjs`.*it exports no function/)]);
});

test('a public key of an engine has the form of one', async () => {
  const { code, stderr } = await projectFolder().run(['worker', '--identity-key', 'publickeyv1_0']);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^error: `publickeyv1_0` is not the public key of an engine\n.*that the server prints/);
});

test('a worker that listens at every address says by which one it is reached', async () => {
  const { code, stderr } = await projectFolder().run(['worker', '--listen', '0.0.0.0:0', '--identity-key', 'k']);
  expect([code, stderr]).toEqual([
    2,
    'error: `0.0.0.0` is not an address that the engine can connect to\n  = help: name the one by which it reaches this worker: `--advertise http://…`\n',
  ]);
});

test('a worker needs a folder in which it can record its processes', async () => {
  const { code, stderr } = await projectFolder({ 'a.dsl': '' }).run([
    'worker',
    '--listen',
    '127.0.0.1:0',
    '--dir',
    'a.dsl',
  ]);
  expect(code).toBe(2);
  expect(stderr).toMatch(
    /^error: the worker cannot record its processes in `.*a\.dsl`: .*\n.*name another folder with `--dir`\n$/,
  );
});

test('git ignores the folder of a worker, whatever its name', async () => {
  const one = projectFolder();
  await one.run(['worker', '--engine', NOWHERE, '--listen', '127.0.0.1:0', '--dir', 'mine']);
  expect(readFileSync(join(one.folder, 'mine', '.gitignore'), 'utf8')).toBe('*\n');
});

test('an engine of the configuration is for new runs, and not for what is here or can only be done here', async () => {
  const one = projectFolder({ 'a.dsl': 'ASK user: "Go on?" → ok\nRETURN: {ok}\n', 'm.yaml': 'asks: {ok: "yes"}\n' });
  const { stdout } = await one.run(['run', 'a.dsl', '--json']);
  const id = (JSON.parse(stdout) as { run_id: string }).run_id;
  const asked: (string | undefined)[] = [];
  one.file('statedsl.config.yaml', `engine:\n  on: ${await refusingEngine(asked)}\n`);
  expect(await one.run(['show', id, '--json'])).toMatchObject({ code: 0 });
  expect(await one.run(['runs', '--on', 'none'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(id.slice(0, 8)),
  });
  expect(await one.run(['answer', id, 'ok=fine', '--json'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('fine'),
  });
  expect(await one.run(['run', 'a.dsl', '--mock', 'm.yaml', '--json'])).toMatchObject({ code: 0 });
  expect(await one.run(['run', 'a.dsl', '--cwd', '.', '--mock', 'm.yaml', '--quiet'])).toMatchObject({ code: 0 });
  expect((await one.run(['run', 'a.dsl', '--on', 'none', '--json'])).stdout).toContain('suspended');
  expect(asked).toEqual([]);
  // What it says where nothing answers is a session of the corpus.
  expect(await one.run(['run', 'a.dsl'])).toMatchObject({ code: 2, stderr: 'error: not now\n' });
  expect(asked).toEqual([expect.stringMatching(/^\/statedsl\.Run\/.+\/submit$/)]);
});

test('a run that the store has is asked for where it was executed, whatever a variable says', async () => {
  const one = projectFolder({ 'a.dsl': 'WAIT: signal GO\nRETURN: x\n' });
  const asked: string[] = [];
  const engine = async (name: string): Promise<string> => {
    const server = createServer((_, response) => {
      asked.push(name);
      response.writeHead(400).end('{"message":"not now"}');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const [own, other] = [await engine('own'), await engine('other')];
  const env = { STATEDSL_ON: other };
  const { run_id } = JSON.parse((await one.run(['run', 'a.dsl', '--json', '--suspend-after', '0s'])).stdout);
  expect((await one.run(['show', run_id, '--json'], { env })).stdout).toContain('suspended');
  expect(asked).toEqual([]);
  const file = join(one.folder, '.statedsl/runs', run_id, 'run.json');
  const about = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...about, settings: { ...about.settings, engine: own } }));
  expect((await one.run(['cancel', run_id], { env })).stderr).toBe('error: not now\n');
  expect((await one.run(['cancel', run_id, '--on', other], { env })).stderr).toBe('error: not now\n');
  expect(asked).toEqual(['own', 'other']);
});

test('only runs of an engine are archived', async () => {
  const { code, stderr } = await projectFolder().run(['gc', '--keep-last', '0', '--archive']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('name the engine with `--on`')]);
});

test('Ctrl-C before a worker has answered says that the run may begin later', async () => {
  let arrived = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  const server = createServer(() => arrived());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const on = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const command = projectFolder({ 'a.dsl': 'RETURN: x\n' }).start(['run', 'a.dsl', '--on', on]);
  await asked;
  command.kill('SIGINT');
  const { code, stderr } = await command.end;
  expect(code).toBe(130);
  expect(stderr).toMatch(
    /^left alone: the run may begin when a worker comes {2}run \S+\n.*statedsl cancel \S+ --on http/,
  );
});
