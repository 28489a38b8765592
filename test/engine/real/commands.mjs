/** The commands of a user on a real engine: `engine`, `worker`, `run --on` and what looks at such a run. */
import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { execa, execaSync } from 'execa';

const cli = join(dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url))))), 'dist', 'cli.js');
const PROGRAMS = {
  'hello.dsl': 'INPUT: who = "world"\nCHECK: g = printf "hello %s" {who}\nRETURN: {g}\n',
  'ask.dsl': 'ASK user: "Go on?" → ok\nWAIT: 10ms\nRETURN: {ok}\n',
  'fail.dsl': 'FAIL: it does not work\n',
  'wait.dsl': 'DO: sleep 600\nRETURN: over\n',
  'large.dsl': "DO: head -c 200000 /dev/zero | tr '\\\\0' x\nRETURN: printed\n",
  'secret.dsl': 'INPUT: token (secret)\nDO: echo {token}\nRETURN\n',
  'where.dsl': 'CHECK: a = pwd\nCHECK: b = cat kind.txt\nRETURN: {a} {b}\n',
  // Commands that leave a trace in the folder of the worker.
  'count.dsl':
    'STATE: A\n  TRACK: n = 0\n  GOTO: B\nSTATE: B\n  IF: n >= 20 → RETURN: {n}\n  INCREMENT: n\n  DO: echo {n} >> count.txt; sleep 0.1; echo end {n} >> count.txt\n  GOTO: B\n',
};

/** `modules`: the folder with the packages of the engine. */
export async function withCommands(folder, modules, action) {
  mkdirSync(folder);
  symlinkSync(modules, join(folder, 'node_modules'));
  for (const [name, text] of Object.entries(PROGRAMS)) writeFileSync(join(folder, name), text);
  const env = { PATH: process.env.PATH, HOME: folder };
  const options = { cwd: folder, env, extendEnv: false, reject: false, stdin: 'ignore' };
  const children = [];
  /** Starts a command that continues. Resolves with what it prints first. */
  const start = async (...words) => {
    const child = execa(process.execPath, [cli, ...words, '--json'], { ...options, buffer: false, stderr: 'inherit' });
    const end = child.then(({ exitCode }) => exitCode);
    children.push({ child, end });
    const first = await Promise.race([
      new Promise((resolve) => child.stdout.once('data', (bytes) => resolve(JSON.parse(String(bytes))))),
      end.then((code) => assert.fail(`${words[0]} ended with ${code}`)),
    ]);
    return { ...first, child, end };
  };
  const statedsl = (...words) => execaSync(process.execPath, [cli, ...words], options);
  try {
    await action({ start, statedsl, folder });
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

export async function tryCommands({ start, statedsl, folder }) {
  const server = await start('engine', '--port', '0', '--admin-port', '0', '--node-port', '0');
  const { on, engine } = server;
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
  assert.equal(statedsl('show', 'nothing', '--on', on).exitCode, 2);
  assert.equal(json('gc', '--keep-last', '1').removed.length > 1, true);
  assert.equal(json('runs').runs.length, 1);

  await labelsAndHomes({ start, statedsl, on, engine, folder });
  await killedWorker({ start, run, json, engine, worker });
  server.child.kill('SIGTERM');
  assert.equal(await server.end, 0);
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
  await start('worker', '--engine', engine, '--listen', '0', '--label', 'gpu', '--cwd', 'gpu');
  // It has waited for the label.
  assert.equal(statedsl('show', waiting, '--follow', '--on', on).stdout, `${folder} gpu`);
  assert.equal(statedsl('run', join('project', 'late.dsl'), '--on', on).stdout, 'gpu');
  await start('worker', '--engine', engine, '--listen', '0', '--home', 'lab', '--cwd', 'lab');
  const home = statedsl('run', 'where.dsl', '--on', on, '--home', 'lab');
  assert.equal(home.stdout, `${join(folder, 'lab')} lab`);
  // Other runs stay with the first worker.
  assert.equal(statedsl('run', 'where.dsl', '--on', on).stdout, `${folder} general`);
  assert.equal(statedsl('run', 'where.dsl', '--home', 'lab').exitCode, 2);
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
