/** Agents of two workers that share nothing but the engine: limits of an account, and what a program may spend. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execaSync } from 'execa';
import { freePort } from './engine.mjs';

const CALLS = 40;
/** Calls at once in each run. */
const MAX = 3;
const LIMITS_AT = [20, 50];
const HOMES = ['a', 'b'];
const program = (home) => `STATE: WORK
  TRACK: numbers = range(${CALLS})
  DO: answers = FOR EACH n in numbers in PARALLEL [max=${MAX}]:
    DO: answer = Task(it) "${home}-{n}"
  RETURN: {len(answers)}
`;

/** It reaches a limit whenever so many calls are done, and says when it ends. */
const AGENT = `#!/bin/bash
here=$PWD
cd "\${0%/*}"
read -r prompt
[ "$prompt" = edit ] && echo made > "$here/made.txt"
now=\${EPOCHREALTIME/./}; now=\${now:0:13}
for at in ${LIMITS_AT.join(' ')} 0; do
  [ -e limit.$at ] || continue
  until=$(<limit.$at)
  (( now < until )) || continue
  echo "useless $at $prompt" >> calls
  printf '{"type":"result","is_error":true,"num_turns":0,"result":"usage limit reached, try again in %sms"}\\n' $((until - now))
  exit 1
done
echo "start $prompt" >> calls
sleep 0.1
printf x >> done
all=$(<done)
for at in ${LIMITS_AT.join(' ')}; do
  (( \${#all} >= at )) && ( set -C; echo $((now + 6000)) > limit.$at ) 2> /dev/null
done
echo "done $prompt" >> calls
printf '{"type":"result","num_turns":1,"total_cost_usd":0.4,"session_id":"s","result":"%s"}\\n' "$prompt"
`;

const lines = (path) => (existsSync(path) ? readFileSync(path, 'utf8').trim().split('\n') : []);

export async function shareLimits({ startWith, start, statedsl, folder }) {
  const agent = join(folder, 'agent.sh');
  const configure = (more = '') =>
    writeFileSync(
      join(folder, 'statedsl.config.yaml'),
      `agents:\n  it: {adapter: command, run: [${agent}], max_cost: 0.5}\n${more}`,
    );
  configure();
  writeFileSync(agent, AGENT);
  chmodSync(agent, 0o755);
  for (const home of HOMES) writeFileSync(join(folder, `${home}.dsl`), program(home));
  const [port, adminPort, nodePort, ...listens] = await Promise.all(Array.from({ length: 5 }, freePort));
  const startEngine = () =>
    start(
      ...['engine', '--port', String(port), '--admin-port', String(adminPort)],
      ...['--node-port', String(nodePort), '--partitions', '2'],
    );
  let server = await startEngine();
  const { on, engine } = server;
  /** Each as on a machine of its own. */
  const startWorker = (home) =>
    startWith(
      { XDG_STATE_HOME: join(folder, `state-${home}`) },
      ...['worker', '--engine', engine, '--home', home, '--dir', `worker-${home}`],
      ...['--listen', String(listens[HOMES.indexOf(home)]), '--jobs', '8'],
    );
  const workers = {};
  for (const home of HOMES) workers[home] = await startWorker(home);
  const kill = async ({ child, end }) => {
    child.kill('SIGKILL');
    await end;
  };
  /** The server itself, which the command has started. */
  const killServer = async ({ child, end }) => {
    const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ');
    for (const pid of children) process.kill(Number(pid), 'SIGKILL');
    await end;
  };
  const json = (...words) => {
    const { stdout, stderr } = statedsl(...words, '--json', '--on', on);
    return stdout === '' ? assert.fail(stderr) : JSON.parse(stdout);
  };
  const submit = (file, home) => statedsl('run', file, '--home', home, '--detach', '--on', on).stdout.trim();
  const done = () => (existsSync(join(folder, 'done')) ? readFileSync(join(folder, 'done')).length : 0);
  const until = async (what, isSo) => {
    for (const end = Date.now() + 120_000; !(await isSo()); await sleep(50))
      assert.ok(Date.now() < end, `it takes too long: ${what}`);
  };

  const ids = HOMES.map((home) => submit(`${home}.dsl`, home));
  await until('the first limit', () => existsSync(join(folder, `limit.${LIMITS_AT[0]}`)));
  await until('both wait', () => ids.every((id) => json('show', id).status === 'suspended'));
  const [listed] = json('limits').limits;
  assert.match(listed.account, /^command@.*agent\.sh$/);
  for (const id of ids) assert.equal(json('show', id).waiting[0].account, listed.account);
  assert.match(statedsl('show', ids[0], '--on', on).stdout, /waits for the account/);
  // While the account waits, and when one call goes first.
  await kill(workers.b);
  workers.b = await startWorker('b');
  await killServer(server);
  server = await startEngine();
  await until('more calls', () => done() > LIMITS_AT[0] + 4);
  await kill(workers.a);
  workers.a = await startWorker('a');
  await until('both have ended', () => ids.every((id) => json('show', id).status === 'returned'));
  const calls = lines(join(folder, 'calls'));
  const useless = LIMITS_AT.map((at) => calls.filter((line) => line.startsWith(`useless ${at} `)).length);
  for (const count of useless) assert.ok(count > 0 && count <= 1 + HOMES.length * MAX, String(useless));
  const answered = calls.filter((line) => line.startsWith('done '));
  const repeated = answered.length - new Set(answered).size;
  // A call that ran in a worker when it was killed is made again, unless its outcome was on record.
  assert.ok(repeated <= MAX * 2, String(repeated));
  for (const id of ids) assert.equal(json('show', id).returned, CALLS);

  // Somebody clears a limit: those that wait go on at once.
  writeFileSync(join(folder, 'one.dsl'), 'DO: x = Task(it) "one"\nRETURN: {x}\n');
  writeFileSync(join(folder, 'limit.0'), String(Date.now() + 3_600_000));
  const parked = HOMES.map((home) => submit('one.dsl', home));
  await until('both wait', () => parked.every((id) => json('show', id).status === 'suspended'));
  rmSync(join(folder, 'limit.0'));
  assert.match(statedsl('limits', '--clear', 'command', '--on', on).stdout, /^cleared `command@/);
  await until('both have ended', () => parked.every((id) => json('show', id).status === 'returned'));
  assert.deepEqual(json('limits').limits, []);

  // A budget of a day: three calls of at most $0.50, which cost $0.40.
  configure('budget: {cost_per_day: 1}\n');
  for (const home of HOMES) {
    await kill(workers[home]);
    workers[home] = await startWorker(home);
  }
  mkdirSync(join(folder, 'money'));
  writeFileSync(join(folder, 'dear.dsl'), 'DO: x = Task(it) "dear"\nRETURN: {x}\n');
  const dear = ['a', 'b', 'a', 'b'].map((home) => submit('dear.dsl', home));
  const statuses = () => dear.map((id) => json('show', id).status).sort();
  await until('two have ended', () => String(statuses()) === 'returned,returned,suspended,suspended');
  const [{ program: name, spent }] = json('limits').budgets.filter((one) => one.program === 'dear');
  assert.deepEqual([name, spent], ['dear', 0.8]);
  configure('budget: {cost_per_day: 100}\n');
  await until('all have ended', () => statuses().every((status) => status === 'returned'));

  // What one worker has asked, the other one knows.
  writeFileSync(join(folder, 'memo.dsl'), 'DO [memo]: x = Task(it) "same"\nRETURN: {x}\n');
  const ran = (file, home, ...more) => json('run', file, '--home', home, ...more);
  const first = ran('memo.dsl', 'a');
  const second = ran('memo.dsl', 'b');
  assert.deepEqual([first.returned, first.cost, second.returned, second.cost], ['same', 0.4, 'same', 0]);
  assert.match(statedsl('show', second.run_id, '--on', on).stdout, new RegExp(`remembered from run ${first.run_id}`));
  assert.equal(json('replay', second.run_id).status, 'same');
  assert.equal(ran('memo.dsl', 'b', '--fresh').cost, 0.4);

  // A step with its changes, in another worktree.
  writeFileSync(join(folder, '.gitignore'), '*\n!.gitignore\n!made.txt\n');
  for (const words of ['init -q', 'add .gitignore', 'commit -q -m begin'])
    execaSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', ...words.split(' ')], { cwd: folder });
  writeFileSync(
    join(folder, 'step.dsl'),
    'STEP: edit type=code memo=yes\n  PROMPT: "edit"\n  AGENT: it\nRETURN: done\n',
  );
  const edits = [1, 2].map(() => ran('step.dsl', 'a', '--worktree'));
  assert.deepEqual(
    edits.map(({ returned, cost }) => [returned, cost]),
    [
      ['done', 0.4],
      ['done', 0],
    ],
  );
  for (const { run_id } of edits)
    assert.equal(execaSync('git', ['show', `statedsl/${run_id}:made.txt`], { cwd: folder }).stdout, 'made');
  return { useless, repeated };
}
