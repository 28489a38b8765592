/** `allow` in the switches of each program, and what is reported where a program does more. */
import { describe, expect, test } from 'vitest';
import type { AgentCall, AgentConfiguration } from '../../../src/runtime/agents/programs/adapter.js';
import { findAdapter } from '../../../src/runtime/agents/programs/adapters.js';
import { leaksOf } from '../../../src/runtime/agents/programs/leaks.js';
import type { Permission } from '../../../src/runtime/agents/programs/permissions.js';
import { parseConfiguration } from '../../../src/runtime/configuration/load-configuration.js';
import { stage } from './calling.js';

const OUT = '/tmp/run/0-out';

async function commandOf(configuration: AgentConfiguration, directory = '/projects/shop') {
  const files: string[] = [];
  const call: AgentCall = {
    name: 'it',
    configuration,
    folder: null,
    directory,
    prompt: '',
    session: null,
    newSession: null,
    fork: false,
    sessionTokens: null,
    step: '',
    out: OUT,
    guards: { maxTurns: null, maxCost: null, maxTimeMs: null, idleMs: null, changedFile: null },
    schema: null,
    file: (text, extension = '') => `F${files.push(text) - 1}${extension}`,
    callNumber: () => 0,
  };
  const command = await findAdapter(configuration.adapter)?.command(call);
  if (command === undefined || 'reason' in command) throw new Error(command?.reason);
  return { argv: command.argv, env: command.env, files };
}

const argvOf = async (adapter: string, allow: readonly Permission[], more: Partial<AgentConfiguration> = {}) =>
  (await commandOf({ adapter, allow, ...more })).argv.join(' ');

describe('switches', () => {
  test.each([
    ['claude', '--permission-mode acceptEdits'],
    ['codex', '--sandbox workspace-write'],
    ['gemini', '--approval-mode auto_edit'],
    ['qwen', '--approval-mode auto-edit'],
    ['cursor', '--force'],
  ])('without `allow` %s is called as ever', async (adapter, words) => {
    const { argv } = await commandOf({ adapter });
    expect(argv.join(' ')).toContain(words);
    expect(argv.join(' ')).not.toMatch(/allowed|exclude|disallowed|--policy|web_search|network/i);
  });

  test('Claude Code: rules', async () => {
    const none = await argvOf('claude', []);
    expect(none).toContain(`--permission-mode default --allowedTools Edit(/${OUT}/**) --disallowedTools Bash `);
    expect(none).toContain('WebFetch WebSearch Edit(//projects/shop/**)');
    const all = await argvOf('claude', ['edit', 'shell', 'network']);
    expect(all).toMatch(/--permission-mode acceptEdits --allowedTools Bash .*WebFetch WebSearch/);
    expect(all).not.toContain('--disallowedTools');
  });

  test('a rule never forbids the folder for answers, and names no folder that it cannot name', async () => {
    for (const directory of ['/', '/tmp', '/tmp/run', '/projects/a (b)', '/projects/a*', '/projects/a,b']) {
      const { argv } = await commandOf({ adapter: 'claude', allow: [] }, directory);
      expect(argv.filter((word) => word.startsWith('Edit('))).toEqual([`Edit(/${OUT}/**)`]);
    }
  });

  test('Codex: its sandbox', async () => {
    expect(await argvOf('codex', ['edit'])).toContain(
      '--sandbox workspace-write --add-dir /tmp/run/0-out -c sandbox_workspace_write.network_access=false -c web_search="disabled"',
    );
    const none = await argvOf('codex', ['shell', 'network']);
    expect(none).toContain('-c sandbox_mode="read-only" -c default_permissions="statedsl"');
    expect(none).toContain(`permissions.statedsl.filesystem={":root"="read","${OUT}"="write"}`);
    expect(none).toContain('permissions.statedsl.network={enabled=true}');
    expect(none).not.toContain('--sandbox');
    const own = await argvOf('codex', [], { args: ['--sandbox', 'read-only'] });
    expect(own).not.toContain('permissions.statedsl');
    expect(own).toContain('--sandbox read-only');
  });

  test('Gemini CLI: a policy', async () => {
    const { argv, files } = await commandOf({ adapter: 'gemini', allow: ['shell'] });
    expect(argv.join(' ')).toContain('--approval-mode default --policy F0.toml');
    const [edit, shell, network, folder] = (files[0] ?? '').split('\n\n');
    expect(edit).toContain('decision = "deny"');
    expect(shell).toContain('toolName = ["run_shell_command"]\ndecision = "allow"\npriority = 998\nallowRedirection');
    expect(network).toContain('decision = "deny"');
    const pattern = JSON.parse(/argsPattern = (.*)/.exec(folder ?? '')?.[1] ?? '""');
    const matches = (path: string): boolean => new RegExp(pattern).test(`{\u0000"file_path":"${path}"\u0000}`);
    expect(matches(`${OUT}/plan.json`)).toBe(true);
    for (const path of [`${OUT}/../x`, '/projects/x', `/x${OUT}/y`, `${OUT}2/x`]) expect(matches(path)).toBe(false);
  });

  test('Qwen Code: rules', async () => {
    const some = await argvOf('qwen', ['network']);
    expect(some).toContain(`--approval-mode default --allowed-tools web_fetch web_search Edit(/${OUT}/**)`);
    expect(some).toMatch(/--exclude-tools run_shell_command monitor Edit\(\/\/projects\/shop\/\*\*\)/);
  });

  test('OpenCode: permissions, with those that its configuration has already', async () => {
    const own = JSON.stringify({ bash: { '*': 'ask', 'git push*': 'deny' }, read: 'allow' });
    const permissions = async (allow?: readonly Permission[]) => {
      const { env } = await commandOf({
        adapter: 'opencode',
        ...(allow === undefined ? {} : { allow }),
        env: { OPENCODE_PERMISSION: own },
      });
      return JSON.parse(env.OPENCODE_PERMISSION ?? '');
    };
    expect(await permissions()).toEqual(JSON.parse(own));
    expect(await permissions([])).toMatchObject({
      edit: { '*': 'deny', 'tmp/run/0-out/*': 'allow' },
      bash: { '*': 'deny' },
      webfetch: { '*': 'deny' },
      read: 'allow',
      external_directory: { [`${OUT}/*`]: 'allow' },
    });
    expect((await permissions(['edit', 'shell'])).bash).toEqual({ '*': 'allow', 'git push*': 'deny' });
  });

  test('Cursor: nothing without `edit` and `shell`', async () => {
    expect(await argvOf('cursor', ['network'])).toContain('--mode ask');
    expect(await argvOf('cursor', ['network'])).not.toContain('--force');
    expect(await argvOf('cursor', ['shell'])).toContain('--force');
  });
});

describe('what a program cannot be kept from', () => {
  const leaks = (configuration: AgentConfiguration): string =>
    leaksOf(findAdapter(configuration.adapter) as never, configuration)
      .map(({ permission }) => permission)
      .join(' ');

  test.each<[string, readonly Permission[], string]>([
    ['claude', [], ''],
    ['claude', ['shell'], 'edit network'],
    ['gemini', ['edit', 'shell'], 'network'],
    ['qwen', ['edit', 'network'], ''],
    ['opencode', ['shell', 'network'], 'edit'],
    ['codex', [], 'shell'],
    ['codex', ['shell'], ''],
    ['cursor', [], 'network'],
    ['cursor', ['edit'], 'shell network'],
    ['command', [], 'edit shell network'],
    ['command', ['edit', 'shell', 'network'], ''],
    ['fake', ['shell'], 'edit network'],
  ])('%s with %j: %s', (adapter, allow, expected) => {
    expect(leaks({ adapter, allow })).toBe(expected);
    expect(leaks({ adapter })).toBe('');
  });

  test('arguments that win over it', () => {
    const args = ['--permission-mode=bypassPermissions'];
    expect(leaks({ adapter: 'claude', allow: ['edit'], args })).toBe('shell network');
    expect(leaks({ adapter: 'codex', allow: ['edit', 'shell'], args: ['-c', 'sandbox_mode="x"'] })).toBe('network');
    expect(leaks({ adapter: 'codex', allow: ['edit'], args: ['--disable', 'shell_tool'] })).toBe('');
    expect(leaks({ adapter: 'qwen', allow: [], args: ['--allowed-tools', 'x'] })).toBe('edit shell network');
  });
});

describe('the configuration', () => {
  const warned = async (agent: string) =>
    (await parseConfiguration(`agents:\n  it: ${agent}\n`, '/p/statedsl.config.yaml')).warnings;

  test('says what `allow` does not prevent, where it is written', async () => {
    expect(await warned('{ adapter: claude, allow: [edit] }')).toEqual([]);
    expect(await warned('{ adapter: codex, allow: [edit] }')).toMatchObject([
      { line: 2, column: 25, message: expect.stringContaining('does not keep the agent `it` from `shell`') },
    ]);
    expect(await warned('{ adapter: command, run: [cat], allow: [] }')).toMatchObject([
      { message: expect.stringContaining('from `edit`, `shell` and `network`: only the program itself') },
    ]);
    expect(await warned('{ adapter: qwen, allow: [], args: [--yolo] }')).toMatchObject([
      { help: 'remove `--yolo` from `args`' },
    ]);
  });

  test('an unknown word and a text are errors', async () => {
    const problems = async (allow: string) =>
      (await parseConfiguration(`agents: {it: {adapter: claude, allow: ${allow}}}`, '/p/c.yaml')).problems;
    expect(await problems('[edit, shel]')).toMatchObject([
      { message: '`agents.it.allow.1` cannot be `shel`', help: 'did you mean `shell`?' },
    ]);
    expect(await problems('shell')).toMatchObject([{ message: '`agents.it.allow` must be a list' }]);
    expect(await problems('[]')).toEqual([]);
  });
});

describe('a call', () => {
  test('a program of the project has the list, and an agent without commands the path of its folder', async () => {
    const run = ['sh', '-c', 'cat; echo; echo "[$STATEDSL_ALLOW]"'];
    const { exited } = stage({
      one: { adapter: 'command', run, allow: ['edit', 'network', 'edit'] },
      none: { adapter: 'command', run, allow: [] },
      open: { adapter: 'command', run },
    });
    const prompt = 'Write to STATEDSL_OUT.';
    const said = async (agent: string) => (await exited({ agent, prompt })).stdout.text;
    expect(await said('one')).toMatch(/STATEDSL_OUT is the folder \/.*-out\n\[edit network\]/);
    expect(await said('none')).toMatch(/\n\[\]/);
    expect(await said('open')).toBe(`${prompt}\n[]\n`);
  });

  test('a program that does not know a switch fails with its own words', async () => {
    const { program, exited } = stage({ it: { adapter: 'claude', allow: [] } });
    program('claude', 'echo "error: unknown option \'--allowedTools\'" >&2; exit 1');
    const outcome = await exited({ agent: 'it', prompt: 'x' });
    expect(outcome).toMatchObject({ exit: 1, stderr: "error: unknown option '--allowedTools'\n" });
  });

  test('what was denied is known, however the program says it', async () => {
    const { program, exited } = stage({ codex: { adapter: 'codex' }, opencode: { adapter: 'opencode' } });
    program(
      'claude',
      `cat > /dev/null
echo '{"type":"assistant","message":{"id":"1","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"rm x"}}]}}'
echo '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"<tool_use_error>Error: No such tool available: Bash. Bash is disabled.</tool_use_error>"}]}}'
echo '{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t2","is_error":true,"content":"exit 1: Permission to use nothing"}]}}'
echo '{"type":"result","subtype":"success","result":"x","num_turns":1}'`,
    );
    expect((await exited({ agent: 'claude', prompt: 'x' })).denied).toEqual([
      { tool: 'Bash', input: 'rm x', reason: 'Error: No such tool available: Bash. Bash is disabled.' },
    ]);
    program(
      'codex',
      `cat > /dev/null
echo '2026-11-23T02:06:27Z ERROR codex_core::tools::router: error=patch rejected: writing is blocked by read-only sandbox' >&2
echo '2026-11-23T02:06:27Z ERROR codex_core::tools::router: error=unsupported call: exec_command' >&2
echo '{"type":"item.completed","item":{"type":"agent_message","text":"x"}}'
echo '{"type":"turn.completed","usage":{"input_tokens":1,"output_tokens":1}}'`,
    );
    expect((await exited({ agent: 'codex', prompt: 'x' })).denied).toEqual([
      { tool: 'apply_patch', reason: 'patch rejected: writing is blocked by read-only sandbox' },
      { tool: 'exec_command', reason: 'there is no such tool' },
    ]);
    program(
      'opencode',
      `cat > /dev/null
echo '{"type":"tool_use","part":{"tool":"invalid","callID":"1","state":{"status":"completed","input":{"tool":"bash","error":"Model tried to call unavailable tool bash."}}}}'
echo '{"type":"step_finish","part":{"reason":"stop"}}'`,
    );
    expect((await exited({ agent: 'opencode', prompt: 'x' })).denied).toEqual([
      { tool: 'bash', reason: 'Model tried to call unavailable tool bash.' },
    ]);
  });
});
