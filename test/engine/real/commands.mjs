/** The commands of a user on a real engine: `engine`, `worker`, `run --on` and what looks at such a run. */
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { execa, execaSync } from 'execa';

const cli = join(dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url))))), 'dist', 'cli.js');
const PROGRAMS = {
  'hello.dsl': 'INPUT: who = "world"\nCHECK: g = printf "hello %s" {who}\nRETURN: {g}\n',
  'ask.dsl': 'ASK user: "Go on?" → ok\nWAIT: 10ms\nRETURN: {ok}\n',
  'ready.dsl': 'DO: echo first >> first.txt\nDO: test -e ready\nCHECK: n = wc -l < first.txt\nRETURN: {n}\n',
  'fail.dsl': 'FAIL: it does not work\n',
  'wait.dsl': 'DO: sleep 600\nRETURN: over\n',
  'large.dsl': "DO: head -c 200000 /dev/zero | tr '\\\\0' x\nRETURN: printed\n",
  'secret.dsl':
    'INPUT: token (secret)\nTRACK: t = token\nWAIT: 10ms\nCHECK: x = printf %s {token}\nCHECK: n = printf %s {t} | wc -c\nRETURN: {x} {n}\n',
  'where.dsl': 'CHECK: a = pwd\nCHECK: b = cat kind.txt\nRETURN: {a} {b}\n',
  'states.dsl':
    'STATE: A\n  DO: x = echo a >> states.txt; echo a\n  GOTO: B with x\nSTATE: B\n  DO: y = echo b >> states.txt; echo b\n  RETURN: {x} {y}\n',
  'files.dsl':
    'STATE: A\n  DO: echo two >> a.txt\n  GOTO: B\nSTATE: B\n  DO: echo three > b.txt\n  ASK user: "Go on?" → ok\n  GOTO: C with ok\nSTATE: C\n  DO: echo {ok} > c.txt\n  CHECK: at = pwd\n  RETURN: {at}\n',
  // Commands that leave a trace in the folder of the worker.
  'count.dsl':
    'STATE: A\n  TRACK: n = 0\n  GOTO: B\nSTATE: B\n  IF: n >= 20 → RETURN: {n}\n  INCREMENT: n\n  DO: echo {n} >> count.txt; sleep 0.1; echo end {n} >> count.txt\n  GOTO: B\n',
};

/** `modules`: the folder with the packages of the engine. */
export async function withCommands(folder, modules, action) {
  mkdirSync(folder);
  symlinkSync(modules, join(folder, 'node_modules'));
  for (const [name, text] of Object.entries(PROGRAMS)) writeFileSync(join(folder, name), text);
  const env = { PATH: process.env.PATH, HOME: folder, PLANTED: 'geheim-8' };
  const options = { cwd: folder, env, extendEnv: false, reject: false, stdin: 'ignore' };
  const children = [];
  /** Starts a command that continues. Resolves with what it prints first. */
  const startWith = async ({ program = cli, ...more }, ...words) => {
    const own = { ...options, env: { ...env, ...more }, buffer: false, stderr: 'inherit' };
    const child = execa(process.execPath, [program, ...words, '--json'], own);
    const end = child.then(({ exitCode }) => exitCode);
    children.push({ child, end });
    const first = await Promise.race([
      new Promise((resolve) => child.stdout.once('data', (bytes) => resolve(JSON.parse(String(bytes))))),
      end.then((code) => assert.fail(`${words[0]} ended with ${code}`)),
    ]);
    return { ...first, child, end };
  };
  const start = (...words) => startWith({}, ...words);
  const statedslWith = (more, ...words) =>
    execaSync(process.execPath, [cli, ...words], { ...options, env: { ...env, ...more } });
  const statedsl = (...words) => statedslWith({}, ...words);
  try {
    await action({ start, startWith, statedsl, statedslWith, folder });
  } finally {
    // The first signal asks; the second one stops a worker at once, and the server with its command.
    for (const { child, end } of children.reverse()) {
      child.kill('SIGTERM');
      await Promise.race([end, sleep(5000)]);
      child.kill('SIGTERM');
      await end;
    }
  }
}

export async function tryCommands(tools) {
  const { start, statedsl, folder } = tools;
  const server = await start('engine', '--port', '0', '--admin-port', '0', '--node-port', '0', '--partitions', '2');
  const { on, engine } = server;
  assert.match(readFileSync(join(folder, '.statedsl/engine/restate.toml'), 'utf8'), /^default-num-partitions = 2$/m);
  const missing = statedsl('run', 'hello.dsl', '--on', on);
  assert.deepEqual([missing.exitCode, missing.stdout], [2, '']);
  assert.match(missing.stderr, /has no worker of statedsl.*\n {2}= help: start a worker/);
  const worker = await start('worker', '--engine', engine, '--listen', '0');
  assert.equal(worker.on, on);
  const run = (...words) => statedsl('run', ...words, '--on', on);
  const json = (...words) => JSON.parse(statedsl(...words, '--json', '--on', on).stdout);

  assert.deepEqual([run('hello.dsl', '-i', 'who=Ann').stdout, run('hello.dsl').exitCode], ['hello Ann', 0]);
  const failed = run('fail.dsl');
  assert.equal(failed.exitCode, 1);
  assert.match(failed.stderr, /it does not work/);
  const secret = run('secret.dsl', '-i', 'token=geheim');
  assert.equal(secret.exitCode, 2);
  assert.match(secret.stderr, /the input `token` is secret/);
  assert.equal(run('hello.dsl', '--worktree').exitCode, 2);
  const hidden = JSON.parse(run('secret.dsl', '-i', 'token=@env:PLANTED', '--json').stdout);
  assert.equal(hidden.returned, '*** 8');
  const unset = run('secret.dsl', '-i', 'token=@env:ABSENT');
  assert.equal(unset.exitCode, 2);
  assert.match(unset.stderr, /no worker has the variable `ABSENT`/);

  const asked = run('ask.dsl', '--json');
  assert.equal(asked.exitCode, 75);
  const { run_id, waiting } = JSON.parse(asked.stdout);
  assert.equal(waiting[0].name, 'ok');
  assert.equal(statedsl('answer', run_id, 'other=yes', '--on', on).exitCode, 2);
  const answered = statedsl('answer', run_id, 'ok=yes', '--on', on);
  assert.deepEqual([answered.exitCode, answered.stdout], [0, 'yes']);
  const late = statedsl('answer', run_id, 'ok=no', '--on', on);
  assert.equal(late.exitCode, 2);
  assert.match(late.stderr, /has already returned/);
  assert.equal(json('show', run_id).status, 'returned');
  assert.equal(json('replay', run_id).status, 'same');
  // The copy knows its engine.
  assert.match(statedsl('resume', run_id).stdout, /yes/);

  const large = run('large.dsl', '--json');
  assert.equal(statedsl('output', JSON.parse(large.stdout).run_id, '--on', on).stdout.length, 200_000);

  const long = run('wait.dsl', '--detach');
  assert.equal(long.exitCode, 0);
  const id = long.stdout.trim();
  while (json('show', id).effects === 0) await sleep(50);
  assert.equal(json('show', id).status, 'running');
  assert.equal(json('cancel', id).error.kind, 'cancelled');
  assert.equal(json('show', id).status, 'failed');
  assert.equal(statedsl('resume', id, '--on', on).exitCode, 2);
  assert.equal(json('runs').runs.find((one) => one.run_id === id).cancelled, true);
  const unready = run('ready.dsl', '--json');
  assert.equal(unready.exitCode, 1);
  writeFileSync(join(folder, 'ready'), '');
  const resumed = statedsl('resume', JSON.parse(unready.stdout).run_id, '--on', on);
  assert.deepEqual([resumed.exitCode, resumed.stdout], [0, '1'], resumed.stderr);
  const { run_id: old } = JSON.parse(run('states.dsl', '--json').stdout);
  const again = statedsl('replay', old, '--from', 'B', '--on', on, '--json');
  const { run_id: fresh, returned } = JSON.parse(again.stdout);
  assert.deepEqual([again.exitCode, returned, fresh === old], [0, 'a b', false], again.stderr);
  assert.equal(json('replay', fresh).status, 'same');
  const onMachine = JSON.parse(statedsl('replay', old, '--from', 'B', '--on', 'none', '--json').stdout);
  assert.equal(onMachine.returned, 'a b');
  assert.equal(readFileSync(join(folder, 'states.txt'), 'utf8'), 'a\nb\nb\nb\n');
  const known = json('runs').runs.map((one) => one.run_id);
  assert.deepEqual(
    [fresh, onMachine.run_id].map((one) => known.includes(one)),
    [true, false],
  );
  assert.equal(statedsl('show', 'nothing', '--on', on).exitCode, 2);
  assert.equal(json('gc', '--keep-last', '1', '--archive').removed.length > 1, true);
  assert.equal(json('runs').runs.length, 1);

  await encrypted(tools, { on, engine });
  await configured(tools, { on, engine });
  await replaced(tools, { on, engine });
  await labelsAndHomes({ start, statedsl, on, engine, folder });
  await worktrees({ start, statedsl, on, engine, folder });
  await killedWorker({ start, run, json, engine, worker });
  server.child.kill('SIGTERM');
  assert.equal(await server.end, 0);
}

/** What only those who have the key can read. */
async function encrypted({ startWith, statedslWith }, { on, engine }) {
  const key = { STATEDSL_ENGINE_KEY: Buffer.alloc(32, 7).toString('base64') };
  const there = ['--on', on, '--namespace', 'sealed'];
  const worker = await startWith(key, 'worker', '--engine', engine, '--listen', '0', '--namespace', 'sealed');
  const run = statedslWith(key, 'run', 'secret.dsl', '-i', 'token=geheim-8', '--json', ...there);
  assert.equal(JSON.parse(run.stdout).returned, '*** 8', run.stderr);
  const secret = statedslWith(key, 'replay', JSON.parse(run.stdout).run_id, '--from', '2', ...there);
  assert.equal(secret.exitCode, 2);
  assert.match(secret.stderr, /has secret inputs.*\n.*--on none/);
  const open = JSON.parse(statedslWith(key, 'run', 'states.dsl', '--json', ...there).stdout);
  const again = statedslWith(key, 'replay', open.run_id, '--from', 'B', '--json', ...there);
  assert.equal(JSON.parse(again.stdout).returned, 'a b', again.stderr);
  const other = { STATEDSL_ENGINE_KEY: Buffer.alloc(32, 8).toString('base64') };
  for (const [who, why] of [
    [{}, /is not encrypted, and `STATEDSL_ENGINE_KEY` is required/],
    [other, /another key/],
    [{ STATEDSL_ENGINE_KEY: 'short' }, /must be 32 bytes/],
  ]) {
    const refused = statedslWith(who, 'show', JSON.parse(run.stdout).run_id, ...there);
    assert.equal(refused.exitCode, 2);
    assert.match(refused.stderr, why);
  }
  worker.child.kill('SIGTERM');
  await worker.end;
}

/** Functions, submitters and the address of the engine, from the configuration. */
async function configured({ start, statedsl, folder }, { on, engine }) {
  const project = join(folder, 'configured');
  mkdirSync(project);
  writeFileSync(join(project, 'functions.mjs'), 'export const greet = ([who]) => ({ text: "hello ".concat(who) });\n');
  const config = (more) => `engine:\n  on: ${on}\n  commands: ./functions.mjs\n${more}`;
  writeFileSync(join(project, 'statedsl.config.yaml'), config(''));
  writeFileSync(join(project, 'greet.dsl'), 'DO: x = greet Ann\nRETURN: {x.text}\n');
  const name = ['--namespace', 'functions'];
  const worker = await start('worker', '--engine', engine, '--listen', '0', '--cwd', 'configured', ...name);
  const run = statedsl('run', join('configured', 'greet.dsl'), ...name);
  assert.deepEqual([run.exitCode, run.stdout], [0, 'hello Ann'], run.stderr);
  worker.child.kill('SIGTERM');
  await worker.end;
  writeFileSync(join(project, 'statedsl.config.yaml'), config('  submitters: [nobody-of-this-name]\n'));
  const strict = await start('worker', '--engine', engine, '--listen', '0', '--cwd', 'configured', ...name);
  const refused = statedsl('run', join('configured', 'greet.dsl'), ...name);
  assert.equal(refused.exitCode, 2);
  assert.match(refused.stderr, /the workers execute no programs of/);
  strict.child.kill('SIGTERM');
  await strict.end;
}

/** A worker whose files an update replaces continues, and one whose functions changed says why it refuses a run. */
async function replaced({ startWith, start, statedsl, folder }, { on, engine }) {
  const project = join(folder, 'replaced');
  mkdirSync(project);
  const functions = join(project, 'functions.mjs');
  writeFileSync(functions, 'export const greet = ([who]) => ({ text: "hello ".concat(who) });\n');
  writeFileSync(join(project, 'statedsl.config.yaml'), 'engine:\n  commands: ./functions.mjs\n');
  const copy = join(folder, 'installed');
  cpSync(dirname(cli), copy, { recursive: true });
  const name = ['--namespace', 'replaced'];
  const worker = (place, ...more) =>
    startWith({ program: join(place, 'cli.js') }, 'worker', '--engine', engine, ...more);
  const first = await worker(copy, '--listen', '0', '--cwd', 'replaced', ...name);
  renameSync(copy, `${copy}-before`);
  const program = join('replaced', 'ask.dsl');
  writeFileSync(join(folder, program), 'ASK user: "Whom?" → who\nDO: x = greet {who}\nRETURN: {x.text}\n');
  const asked = JSON.parse(statedsl('run', program, '--json', '--on', on, ...name).stdout);
  const answered = statedsl('answer', asked.run_id, 'who=Ann', '--on', on, ...name);
  assert.deepEqual([answered.exitCode, answered.stdout], [0, 'hello Ann'], answered.stderr);
  const other = JSON.parse(statedsl('run', program, '--json', '--on', on, ...name).stdout).run_id;
  first.child.kill('SIGTERM');
  assert.equal(await first.end, 0);
  writeFileSync(functions, 'export const greet = () => ({ text: "bye" });\n');
  const second = await start('worker', '--engine', engine, '--listen', '0', '--cwd', 'replaced', ...name);
  assert.equal(statedsl('answer', other, 'who=Ann', '--no-resume', '--on', on, ...name).exitCode, 0);
  const shown = () => JSON.parse(statedsl('show', other, '--json', '--on', on, ...name).stdout);
  while (shown().engine?.refused == null) await sleep(100);
  assert.equal(shown().status, 'running');
  assert.match(shown().engine.refused, /needs the functions of another `engine.commands`/);
  assert.equal(statedsl('cancel', other, '--on', on, ...name).exitCode, 0);
  second.child.kill('SIGTERM');
  await second.end;
}

/** Effects and runs that only some workers execute. They work in other folders, which show where they are. */
async function labelsAndHomes({ start, statedsl, on, engine, folder }) {
  for (const name of ['gpu', 'lab', 'project']) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'kind.txt'), name);
  }
  writeFileSync(join(folder, 'kind.txt'), 'general');
  writeFileSync(join(folder, 'project', 'where.dsl'), PROGRAMS['where.dsl']);
  writeFileSync(
    join(folder, 'project', 'late.dsl'),
    'DO: in PARALLEL [quorum=1]\n  - a = sleep 600\n  - b = cat kind.txt\nRETURN: {b}\n',
  );
  const config = 'engine:\n  routes:\n    commands: {cat: gpu, sleep: gpu}\n';
  writeFileSync(join(folder, 'project', 'statedsl.config.yaml'), config);
  const program = join('project', 'where.dsl');
  const waiting = statedsl('run', program, '--on', on, '--detach').stdout.trim();
  const placed = () => JSON.parse(statedsl('show', waiting, '--json', '--on', on).stdout).engine ?? {};
  while (placed().worker == null) await sleep(100);
  const { turn, invocation, waits } = placed();
  assert.deepEqual([turn, invocation.slice(0, 4)], [1, 'inv_']);
  assert.deepEqual([waits[0].name, waits[0].worker], ['gpu', 'none']);
  await start('worker', '--engine', engine, '--listen', '0', '--label', 'gpu', '--cwd', 'gpu');
  // It has waited for the label.
  assert.equal(statedsl('show', waiting, '--follow', '--on', on).stdout, `${folder} gpu`);
  assert.equal(statedsl('run', join('project', 'late.dsl'), '--on', on).stdout, 'gpu');
  const cancelled = statedsl('run', 'where.dsl', '--on', on, '--home', 'lab', '--detach');
  assert.equal(cancelled.exitCode, 0);
  const shown = statedsl('show', cancelled.stdout.trim(), '--on', on);
  assert.match(shown.stderr, /no worker with the home `lab` has begun run/);
  const end = JSON.parse(statedsl('cancel', cancelled.stdout.trim(), '--json', '--on', on).stdout);
  assert.equal(end.error.kind, 'cancelled');
  const early = statedsl('run', 'where.dsl', '--on', on, '--home', 'lab', '--detach').stdout.trim();
  await start('worker', '--engine', engine, '--listen', '0', '--home', 'lab', '--cwd', 'lab');
  assert.equal(statedsl('show', early, '--follow', '--on', on).stdout, `${join(folder, 'lab')} lab`);
  const home = statedsl('run', 'where.dsl', '--on', on, '--home', 'lab');
  assert.equal(home.stdout, `${join(folder, 'lab')} lab`);
  // Other runs stay with the first worker.
  assert.equal(statedsl('run', 'where.dsl', '--on', on).stdout, `${folder} general`);
  assert.equal(statedsl('run', 'where.dsl', '--home', 'lab').exitCode, 2);
}

/** A run works in the worktree of a worker, also after that was killed, and is merged there. */
async function worktrees({ start, statedsl, on, engine, folder }) {
  const repository = join(folder, 'repository');
  mkdirSync(repository);
  const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost'];
  const git = (...words) => execaSync('git', [...identity, ...words], { cwd: repository }).stdout;
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'Test');
  git('config', 'user.email', 'test@localhost');
  writeFileSync(join(repository, 'a.txt'), 'one\n');
  git('add', '.');
  git('commit', '-q', '-m', 'begin');
  const cwd = ['--cwd', 'repository', '--dir', join(repository, '.statedsl')];
  const begin = (...more) => start('worker', '--engine', engine, '--home', 'repository', ...cwd, ...more);
  const first = await begin('--listen', '0');
  const begun = statedsl('run', 'files.dsl', '--on', on, '--home', 'repository', '--worktree', '--json');
  assert.equal(begun.exitCode, 75, begun.stderr);
  const { run_id, worktree } = JSON.parse(begun.stdout);
  first.child.kill('SIGKILL');
  await first.end;
  await begin('--listen', new URL(first.address).port);
  const answered = statedsl('answer', run_id, 'ok=yes', '--on', on, '--json');
  assert.deepEqual([answered.exitCode, JSON.parse(answered.stdout).returned], [0, worktree.directory], answered.stderr);
  assert.equal(git('status', '--porcelain'), '');
  const words = ['apply', run_id, '--on', on, '--json'];
  assert.equal(statedsl(...words).exitCode, 1);
  const applied = statedsl(...words, '--cwd', 'repository');
  assert.deepEqual(JSON.parse(applied.stdout).files, ['a.txt', 'b.txt', 'c.txt'], applied.stderr);
  assert.equal(readFileSync(join(repository, 'c.txt'), 'utf8'), 'yes\n');
}

/** A worker that is killed, its successor at the same address, and one that is asked to stop. */
async function killedWorker({ start, run, json, engine, worker }) {
  const port = new URL(worker.address).port;
  const id = run('count.dsl', '--detach').stdout.trim();
  while (json('show', id).effects < 3) await sleep(20);
  worker.child.kill('SIGKILL');
  await worker.end;
  const next = await start('worker', '--engine', engine, '--listen', port, '--drain', '10s');
  assert.equal(json('show', id, '--follow').returned, 20);
  next.child.kill('SIGTERM');
  assert.equal(await next.end, 0);
}
