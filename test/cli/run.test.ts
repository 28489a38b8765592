import { chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { until } from '../harness/until.js';
import { ended, projectFolder } from './statedsl.js';

const appears = (path: string): Promise<void> => until(() => existsSync(path));

/** Whether a process runs. A zombie does not. */
function runs(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

describe('what goes to stdout', () => {
  test('the returned text, raw, and nothing else', async () => {
    const one = projectFolder({ 'a.dsl': 'DO: echo noise\nEMIT: "hello"\nRETURN: two words\n' });
    const { code, stdout, stderr } = await one.run(['run', 'a.dsl']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'two words\n' });
    expect(stderr).toContain('  $ echo noise (exit 0, ');
    expect(stderr).toContain('\n    noise\n');
    expect(stderr).toContain('\nEMIT hello\n');
    expect(stderr).toMatch(/\nreturned after 1 state, 1 effect, \d+\.\d\d s {2}run [0-9a-f-]{36}\n$/);
  });

  test('JSON for other values than text, nothing for null', async () => {
    const one = projectFolder({ 'a.dsl': 'SET: x = [1, {"a": null}]\nRETURN with x\n', 'b.dsl': 'RETURN\n' });
    one.file('a.dsl', 'DO: x = [1, {"a": null}]\nRETURN with x\n');
    expect(await one.run(['run', 'a.dsl', '--quiet'])).toEqual({ code: 0, stdout: '[1,{"a":null}]\n', stderr: '' });
    expect(await one.run(['run', 'b.dsl', '--quiet'])).toEqual({ code: 0, stdout: '', stderr: '' });
  });

  test('--json: one object, also for a failed run', async () => {
    const one = projectFolder({ 'a.dsl': 'STATE: A\n  DO: exit 3\n  RETURN\nSTATE: ERROR\n  RETURN: sorry\n' });
    const { code, stdout } = await one.run(['run', 'a.dsl', '--json']);
    expect(code).toBe(1);
    expect(stdout.split('\n')).toHaveLength(2);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'failed',
      machine: 'a',
      state: 'ERROR',
      states: ['A', 'ERROR'],
      returned: 'sorry',
      tracked: {},
      error: { kind: 'tool_failure', state: 'A', line: 2, file: 'a.dsl', exit_code: 3 },
      waiting: [],
      cost: 0,
      effects: 1,
    });
  });

  test('--events: the lines of the journal, byte for byte', async () => {
    const one = projectFolder({ 'a.dsl': 'DO: echo x\nEMIT: DONE n=1\nRETURN: x\n' });
    const { code, stdout } = await one.run(['run', 'a.dsl', '--events']);
    expect(code).toBe(0);
    const runs = join(one.folder, '.statedsl', 'runs');
    const [id] = readdirSync(runs).filter((name) => name !== 'index.ndjson');
    expect(stdout).toBe(readFileSync(join(runs, id as string, 'journal.ndjson'), 'utf8'));
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).type)).toEqual([
      'run_started',
      'state_entered',
      'effect_requested',
      'effect_settled',
      'emitted',
      'run_returned',
    ]);
  });
});

test('a failure is drawn on its line', async () => {
  const one = projectFolder({ 'a.dsl': 'STATE: A\n  DO: echo why >&2; exit 3\n  RETURN\n' });
  const { code, stderr } = await one.run(['run', 'a.dsl', '--quiet']);
  expect(code).toBe(1);
  expect(stderr.split('\n')).toEqual([
    'error[tool-failure]: why',
    '  --> a.dsl:2:3',
    '  |',
    '2 |   DO: echo why >&2; exit 3',
    '  |   ^^^^^^^^^^^^^^^^^^^^^^^^ `echo` ended with exit code 3',
    '  = note: the run was in the state `A`',
    '',
  ]);
});

test('--quiet leaves warnings and progress out', async () => {
  const one = projectFolder({ 'a.dsl': 'STATE: A\n  RETURN: x\nSTATE: B\n  RETURN\n' });
  expect((await one.run(['run', 'a.dsl'])).stderr).toContain('warning[');
  expect(await one.run(['run', 'a.dsl', '--quiet'])).toEqual({ code: 0, stdout: 'x\n', stderr: '' });
});

test('--cwd is where commands run, --dir where runs are kept, both seen from here', async () => {
  const one = projectFolder({ 'a.dsl': 'DO: d = basename "$PWD"\nRETURN: {d}\n', 'work/x': '' });
  expect((await one.run(['run', 'a.dsl', '--quiet', '--cwd', 'work', '--dir', 'kept'])).stdout).toBe('work\n');
  expect(readdirSync(one.folder).sort()).toEqual(['a.dsl', 'kept', 'work']);
  expect(readFileSync(join(one.folder, 'kept', 'runs', 'index.ndjson'), 'utf8').split('\n')).toHaveLength(2);
});

test('a store that cannot be written is an error, and no command runs', async () => {
  const one = projectFolder({ 'a.dsl': 'DO: touch ran\nRETURN: x\n', taken: '' });
  const { code, stderr } = await one.run(['run', 'a.dsl', '--dir', 'taken']);
  expect(code).not.toBe(0);
  expect(code).not.toBe(70);
  expect(stderr).toContain('cannot create the directory of the run');
  expect(existsSync(join(one.folder, 'ran'))).toBe(false);
});

test('limits of flags win over those of the program', async () => {
  const loop = 'LIMIT: transitions=5\nSTATE: A\n  TRACK: n\n  INCREMENT: n\n  IF: n > 8 → RETURN: {n}\n  GOTO: A\n';
  const one = projectFolder({ 'a.dsl': loop });
  expect(JSON.parse((await one.run(['run', 'a.dsl', '--json'])).stdout)).toMatchObject({
    status: 'failed',
    error: { kind: 'limit' },
  });
  expect((await one.run(['run', 'a.dsl', '--quiet', '--max-transitions', '8'])).stdout).toBe('9\n');
  const slow = one.file('b.dsl', 'DO: sleep 20\nRETURN\n');
  const whole = await one.run(['run', slow, '--timeout', '200ms', '--json']);
  expect(JSON.parse(whole.stdout).error.kind).toBe('limit');
  const each = await one.run(['run', slow, '--effect-timeout', '200ms', '--json']);
  expect(JSON.parse(each.stdout).error.kind).toBe('timeout');
});

test('--auto-events, --machine', async () => {
  const one = projectFolder({ 'a.dsl': 'MACHINE: one\nSTATE: A\n  RETURN: 1\nMACHINE: two\nSTATE: B\n  RETURN: 2\n' });
  expect((await one.run(['run', 'a.dsl', '--quiet'])).stdout).toBe('1\n');
  const second = await one.run(['run', 'a.dsl', '--machine', 'two', '--auto-events']);
  expect(second.stdout).toBe('2\n');
  expect(second.stderr).toContain('EMIT STATE_ENTRY state=B');
  const unknown = await one.run(['run', 'a.dsl', '--machine', 'three']);
  expect(unknown).toMatchObject({ code: 2, stderr: expect.stringContaining('no machine `three`') });
});

describe('--dry-run', () => {
  test('shows what would run, needs no inputs, and writes no files', async () => {
    const one = projectFolder({ 'a.dsl': 'INPUT: x\nDO [retry=2 timeout=5s]: touch {x}\nRETURN\n' });
    const { code, stdout } = await one.run(['run', 'a.dsl', '--dry-run']);
    expect(code).toBe(0);
    expect(stdout).toContain('x  required');
    expect(stdout).toContain('command   touch {x} [timeout=5s retry=2]');
    expect(stdout).toContain('reads x (input)');
    expect(readdirSync(one.folder)).toEqual(['a.dsl']);
  });

  test('with errors ends with 2', async () => {
    const one = projectFolder({ 'a.dsl': 'GOTO: NOWHERE\n' });
    expect(await one.run(['run', 'a.dsl', '--dry-run'])).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('waiting for people', () => {
  test('a question suspends with exit code 75 and shows how to resume', async () => {
    const one = projectFolder({ 'a.dsl': 'ASK user: "Go on?" → go choices=yes,no\nRETURN: {go}\n' });
    const { code, stdout, stderr } = await one.run(['run', 'a.dsl', '--json', '--log']);
    const report = JSON.parse(stdout);
    expect(code).toBe(75);
    expect(report).toMatchObject({
      status: 'suspended',
      waiting: [{ kind: 'ask', name: 'go', choices: ['yes', 'no'] }],
    });
    expect(stderr).toContain(`statedsl answer ${report.run_id} go=yes`);
  });

  test('a long wait suspends an unattended run', async () => {
    const one = projectFolder({ 'a.dsl': 'WAIT: 1h\nRETURN\n' });
    expect((await one.run(['run', 'a.dsl', '--suspend-after', '1s'])).code).toBe(75);
    expect((await one.run(['run', 'a.dsl'], { env: { CI: 'true' } })).code).toBe(75);
    expect((await one.run(['run', 'a.dsl'], { env: { STATEDSL_SUSPEND_AFTER: '10m' } })).code).toBe(75);
    one.file('statedsl.config.yaml', 'defaults: {suspend_after: 5s}\n');
    expect((await one.run(['run', 'a.dsl'])).code).toBe(75);
  });
});

describe('interruption', () => {
  const sleeper = 'DO: echo $$ > pid; exec sleep 60\nRETURN\n';

  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s: the run is interrupted, its commands have ended, 130',
    async (signal) => {
      const one = projectFolder({ 'a.dsl': sleeper });
      const child = one.start(['run', 'a.dsl', '--json']);
      const end = ended(child);
      await appears(join(one.folder, 'pid'));
      await new Promise((resolve) => setTimeout(resolve, 50));
      child.kill(signal);
      const { code, stdout } = await end;
      expect(code).toBe(130);
      expect(JSON.parse(stdout).status).toBe('interrupted');
      expect(runs(Number(readFileSync(join(one.folder, 'pid'), 'utf8')))).toBe(false);
    },
  );

  test('a pure loop can be interrupted too', async () => {
    const one = projectFolder({ 'a.dsl': 'STATE: A\n  TRACK: n\n  INCREMENT: n\n  IF: n < 0 → RETURN\n  GOTO: A\n' });
    const child = one.start(['run', 'a.dsl', '--json', '--quiet', '--max-transitions', '1000000000']);
    const end = ended(child);
    await appears(join(one.folder, '.statedsl', 'runs'));
    await new Promise((resolve) => setTimeout(resolve, 300));
    child.kill('SIGINT');
    const { code, stdout } = await end;
    expect({ code, status: JSON.parse(stdout).status }).toEqual({ code: 130, status: 'interrupted' });
  });

  test('a reader that goes away ends it quietly', async () => {
    const one = projectFolder({ 'a.dsl': 'STATE: A\n  TRACK: n\n  INCREMENT: n\n  IF: n < 0 → RETURN\n  GOTO: A\n' });
    const child = one.start(['run', 'a.dsl', '--events', '--quiet', '--max-transitions', '1000000000']);
    child.stdout.once('data', () => child.stdout.destroy());
    expect(await child.end).toMatchObject({ code: 130, stderr: '' });
  });
});

test('--detach prints the run and leaves it running', async () => {
  const one = projectFolder({
    'a.dsl': 'DO: while [ ! -e go ]; do sleep 0.05; done; touch done\nRETURN: x\n',
    'b.dsl': 'INPUT: x\nRETURN\n',
  });
  const { code, stdout, stderr } = await one.runProcess(['run', 'a.dsl', '--detach']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^[0-9a-f-]{36}\n$/);
  expect(existsSync(join(one.folder, 'done'))).toBe(false);
  one.file('go', '');
  const index = join(one.folder, '.statedsl', 'runs', 'index.ndjson');
  await until(() => existsSync(index) && readFileSync(index, 'utf8').endsWith('\n'));
  expect(JSON.parse(readFileSync(index, 'utf8'))).toMatchObject({ run_id: stdout.trim(), status: 'returned' });
  expect(existsSync(join(one.folder, 'done'))).toBe(true);
  const wrong = await one.runProcess(['run', 'b.dsl', '--detach']);
  expect(wrong).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('missing-input') });
  const nowhere = await one.runProcess(['run', 'a.dsl', '--detach', '--dir', '/dev/null']);
  expect(nowhere).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('cannot create the directory of the run'),
  });
});

describe('--mock', () => {
  const program = 'DO: x = Task(planner) "plan"\nCHECK: y = curl -s http://nowhere.invalid\nRETURN: "{x} {y}"\n';

  test('replaces commands and agents', async () => {
    const one = projectFolder({ 'a.dsl': program, 'm.yaml': 'agents: {planner: fine}\ncommands: {curl: "5"}\n' });
    expect((await one.run(['run', 'a.dsl', '--quiet', '--mock', 'm.yaml'])).stdout).toBe('fine 5\n');
  });

  test('has to name what would be started', async () => {
    const one = projectFolder({ 'a.dsl': program, 'm.yaml': 'agents: {}\ncommands: {git: x}\n' });
    const { code, stderr } = await one.run(['run', 'a.dsl', '--mock', 'm.yaml']);
    expect(code).toBe(2);
    expect(stderr).toContain('has no answers for the agent `planner`');
    expect(stderr).toContain('has no answers for the command `curl -s http://nowhere.invalid`');
    expect(stderr).toContain('a.dsl:2:');
  });

  test('that cannot be read is wrong usage', async () => {
    const one = projectFolder({ 'a.dsl': program, 'm.yaml': 'comands: {}\n' });
    expect(await one.run(['run', 'a.dsl', '--mock', 'm.yaml'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('m.yaml:1:1'),
    });
    expect((await one.run(['run', 'a.dsl', '--mock', 'nowhere.yaml'])).code).toBe(2);
  });
});

describe('the configuration', () => {
  test('names agents; a flag replaces one by another', async () => {
    const one = projectFolder({ 'a.dsl': 'DO: x = Task(planner) "plan this"\nRETURN: {x}\n' });
    chmodSync(join(one.folder, one.file('agents/loud.sh', '#!/bin/sh\ntr a-z A-Z\n')), 0o755);
    one.file(
      'statedsl.config.yaml',
      'agents:\n  planner: {adapter: command, run: [cat]}\n  loud: {adapter: command, run: ["./agents/loud.sh"]}\n',
    );
    expect((await one.run(['run', 'a.dsl', '--quiet'])).stdout).toBe('plan this\n');
    expect((await one.run(['run', 'a.dsl', '--quiet', '--agent', 'planner=loud'])).stdout).toBe('PLAN THIS\n');
  });

  test('with a mistake is drawn, and nothing runs', async () => {
    const one = projectFolder({ 'a.dsl': 'RETURN: x\n', 'statedsl.config.yaml': 'agnets: {}\n' });
    const { code, stdout, stderr } = await one.run(['run', 'a.dsl']);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('error[configuration]: there is no key `agnets`');
    expect(stderr).toContain('statedsl.config.yaml:1:1');
    expect(stderr).toContain('did you mean `agents`?');
    expect((await one.run(['check', 'a.dsl'])).code).toBe(2);
  });
});

test('colours only where they are asked for, and NO_COLOR wins', async () => {
  const one = projectFolder({ 'a.dsl': 'GOTO: NOWHERE\n' });
  expect((await one.run(['check', 'a.dsl'])).stderr).not.toContain('\u001b');
  expect((await one.run(['check', 'a.dsl'], { env: { FORCE_COLOR: '1' } })).stderr).toContain('\u001b[31m');
  expect((await one.run(['check', 'a.dsl'], { env: { FORCE_COLOR: '1', NO_COLOR: '1' } })).stderr).not.toContain(
    '\u001b',
  );
  const json = await one.run(['check', 'a.dsl', '--json'], { env: { FORCE_COLOR: '1' } });
  expect(json.stdout).not.toContain('\u001b');
});
