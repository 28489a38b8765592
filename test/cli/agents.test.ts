/** Agents on the command line. Their programs are stand-ins on a PATH that only the test has. */
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { inFastTime } from '../harness/fast-time.js';
import { type ProjectFolder, projectFolder } from './statedsl.js';

/** A folder with programs on PATH: shell scripts by their names. */
function projectFolderWith(
  files: Record<string, string>,
  programs: Record<string, string>,
): ProjectFolder & { path: string } {
  const one = projectFolder(files);
  for (const [name, text] of Object.entries(programs))
    chmodSync(join(one.folder, one.file(`bin/${name}`, `#!/bin/sh\n${text}\n`)), 0o755);
  return { ...one, path: `${join(one.folder, 'bin')}:${process.env.PATH}` };
}

const program = 'STATE: A\n  DO: x = Task(claude-opus) "say hello"\n  RETURN: {x}\n';

const claude = `cat > prompt; echo "$@" > args
echo '{"type":"assistant","message":{"id":"1","content":[{"type":"text","text":"thinking"}]}}'
echo '{"type":"result","result":"hello","total_cost_usd":0.25,"num_turns":1,"usage":{"input_tokens":7,"output_tokens":2}}'`;

const codex = `echo "$@" > args
echo '{"type":"item.completed","item":{"type":"agent_message","text":"from codex"}}'
echo '{"type":"turn.completed","usage":{"input_tokens":7,"output_tokens":2}}'`;

describe('agents without a configuration', () => {
  test('are called by what their names say', async () => {
    const one = projectFolderWith({ 'a.dsl': program }, { claude });
    const { code, stdout } = await one.run(['run', 'a.dsl', '--json'], { env: { PATH: one.path } });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ returned: 'hello', cost: 0.25, tokens: { in: 7, out: 2 } });
  });

  test('are shown by what they say, not by the objects that they say it in', async () => {
    const one = projectFolderWith({ 'a.dsl': program }, { claude });
    const { stdout, stderr } = await one.run(['run', 'a.dsl'], { env: { PATH: one.path } });
    expect(stdout).toBe('hello\n');
    expect(stderr).toContain('hello');
    expect(stderr).not.toContain('{"type"');
  });

  test('can be replaced for one run, and keep their names', async () => {
    const one = projectFolderWith({ 'a.dsl': program }, { claude, codex });
    const args = ['run', 'a.dsl', '--events', '--agent', 'claude-opus=codex:gpt-5'];
    const { code, stdout } = await one.run(args, { env: { PATH: one.path } });
    expect(code).toBe(0);
    expect(stdout).toContain('"tool":"claude-opus"');
    expect(stdout).toContain('from codex');
    const unknown = await one.run(['run', 'a.dsl', '--agent', 'claude-opus=cloude:opus'], { env: { PATH: one.path } });
    expect(unknown).toMatchObject({ code: 2, stdout: '' });
    expect(unknown.stderr).toContain('there is no agent `cloude:opus`');
  });

  test('that are not installed are a warning, and a failure when they are called', async () => {
    const one = projectFolderWith({ 'a.dsl': program }, {});
    const env = { PATH: '/usr/bin:/bin' };
    const checked = await one.run(['check', 'a.dsl'], { env });
    expect(checked.code).toBe(0);
    expect(checked.stderr).toContain('warning[command-not-found]: the program `claude` is not on PATH');
    const ran = await one.run(['run', 'a.dsl', '--quiet'], { env });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('the program `claude` is not on PATH');
  });
});

describe('an agent that is not available', () => {
  test('and waits for its service by itself says so in the log while it waits', async () => {
    const retries = `echo '{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"error_status":529,"error":"overloaded_error"}'
until [ -e go ]; do sleep 0.05; done
echo '{"type":"result","result":"hello","total_cost_usd":0.25,"num_turns":1}'`;
    const one = projectFolderWith({ 'a.dsl': program }, { claude: retries });
    const started = one.start(['run', 'a.dsl'], { PATH: one.path });
    await new Promise<void>((resolve, reject) => {
      let text = '';
      started.stderr.on('data', (chunk: Buffer) => {
        text += chunk;
        if (text.includes('waits for its service, and tries again')) resolve();
      });
      void started.end.then(() => reject(new Error(text)));
    });
    one.file('go', '');
    const { code, stderr } = await started.end;
    expect(code).toBe(0);
    expect(stderr).toMatch(
      / Task\(claude-opus\).*\(waits for its service, and tries again: .*529.*\)\n.*Task\(claude-opus\)/,
    );
  });

  const later = (seconds: number) => Math.ceil(Date.now() / 1000) + seconds;
  const limited = (until: number) => `if [ -e again ]; then echo '{"type":"result","result":"ok","total_cost_usd":0.1}'
else touch again; echo '{"type":"result","is_error":true,"result":"usage limit reached|${until}"}'; exit 1; fi`;

  test('is waited for, and the wait is reported', async () => {
    const one = projectFolderWith({ 'a.dsl': program }, { claude: limited(later(8)) });
    const { code, stdout, stderr } = await inFastTime(() => one.run(['run', 'a.dsl'], { env: { PATH: one.path } }));
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'ok\n' });
    expect(stderr).toMatch(/waits for the account `claude:opus@~\/\.claude`, \d.*: usage limit reached/);
  });

  test('suspends a run that may not wait that long', async () => {
    const until = later(3600);
    const one = projectFolderWith({ 'a.dsl': program }, { claude: limited(until) });
    const env = { PATH: one.path };
    const first = await one.run(['run', 'a.dsl', '--json', '--suspend-after', '0s'], { env });
    expect(first.code).toBe(75);
    expect(JSON.parse(first.stdout)).toMatchObject({ status: 'suspended', waiting: [{ kind: 'time' }] });
    vi.useFakeTimers({ toFake: ['Date'], now: until * 1000 });
    onTestFinished(() => void vi.useRealTimers());
    const again = await one.run(['resume', '--json'], { env });
    expect(JSON.parse(again.stdout)).toMatchObject({ status: 'returned', returned: 'ok', cost: 0.1 });
    expect((await one.run(['replay', JSON.parse(first.stdout).run_id], { env })).code).toBe(0);
  });
});

describe('doctor', () => {
  const configuration =
    'agents:\n  builder: {adapter: claude, model: sonnet}\n  own: {adapter: command, run: ["./own.sh"]}\n';

  test('says which rules of the user lose against `allow`', async () => {
    const agents = 'agents: { a: { adapter: opencode, allow: [shell] }, b: { adapter: opencode, allow: [edit] } }\n';
    const one = projectFolderWith({ 'statedsl.config.yaml': agents }, {});
    const { stdout } = await one.run(['doctor', '--json'], { env: { PATH: '/usr/bin:/bin' } });
    const [a, b] = JSON.parse(stdout).agents;
    expect(a.remark).toContain('`opencode.json`');
    expect(b).not.toHaveProperty('remark');
    expect((await one.run(['doctor'], { env: { PATH: '/usr/bin:/bin' } })).stdout).toContain(a.remark);
  });

  test('lists what is installed, and ends with 1 when something configured is missing', async () => {
    const one = projectFolderWith({ 'statedsl.config.yaml': configuration, 'own.sh': '' }, {});
    const env = { PATH: '/usr/bin:/bin' };
    const { code, stdout } = await one.run(['doctor', '--json'], { env });
    expect(code).toBe(1);
    const found = JSON.parse(stdout);
    expect(found.status).toBe('missing');
    expect(found.agents).toMatchObject([
      { name: 'builder', adapter: 'claude', model: 'sonnet', problem: 'the program `claude` is not on PATH' },
      { name: 'own', problem: expect.stringMatching(/own\.sh` cannot be run: permission denied$/) },
    ]);
    expect((await one.run(['doctor'], { env })).stdout).toMatch(
      /no +builder +claude +the program `claude` is not on PATH/,
    );
  });

  test('shows how agents are called, without a prompt', async () => {
    const one = projectFolderWith({ 'statedsl.config.yaml': configuration, 'own.sh': '' }, { claude: 'echo 2.1.0' });
    chmodSync(join(one.folder, 'own.sh'), 0o755);
    const { code, stdout } = await one.run(['doctor'], { env: { PATH: one.path } });
    expect(code).toBe(0);
    expect(stdout).toMatch(/yes +claude +2\.1\.0/);
    expect(stdout).toMatch(/yes +builder +claude +claude --print .* --model sonnet\n/);
  });

  test('works without a configuration, and not with a broken one', async () => {
    const one = projectFolder();
    expect((await one.run(['doctor'])).code).toBe(0);
    one.file('statedsl.config.yaml', 'agent: {}\n');
    const { code, stdout, stderr } = await one.run(['doctor', '--json']);
    expect(code).toBe(2);
    expect(JSON.parse(stdout)).toMatchObject({ status: 'invalid', diagnostics: [{ code: 'configuration' }] });
    expect(stderr).toContain('did you mean `agents`?');
  });
});

test('doctor --probe asks each agent, and says before what that may cost', async () => {
  const one = projectFolder({
    'statedsl.config.yaml':
      'agents:\n  helper-1: { adapter: fake, model: answers.yaml, max_cost: 2 }\n  gone: { adapter: command, run: [./none.sh] }\n',
    'answers.yaml': 'answer: "yes"\ncost: 0.5\n',
  });
  const { code, stdout, stderr } = await one.run(['doctor', '--probe', '--json']);
  expect(stderr).toBe('asking one question costs the price of a short call each: helper-1 (at most $2)\n');
  expect(code).toBe(1);
  const { agents } = JSON.parse(stdout);
  expect(agents[0]).toMatchObject({
    name: 'helper-1',
    problem: null,
    probe: { answer: 'yes', cost: 0.5, problem: null },
  });
  expect(agents[1].probe).toBeUndefined();
});
