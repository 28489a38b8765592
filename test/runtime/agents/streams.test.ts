/** The arguments of each agent program, and how its output is decoded. The programs are stand-ins. */
import { describe, expect, test } from 'vitest';
import type { AgentConfiguration } from '../../../src/runtime/agents/programs/adapter.js';
import { type Exited, KEEP, printing, type Stage, stage } from './calling.js';

/** Everything but the texts that differ from call to call. */
function facts({ stdout, exit, cost, tokens, turns, session_id: sessionId, is_error: isError }: Exited) {
  return { answer: stdout.text, exit, cost, tokens, turns, sessionId, isError };
}

const claude = [
  { type: 'system', subtype: 'init', session_id: 's-1', model: 'opus' },
  { type: 'assistant', message: { id: 'm1', content: [{ type: 'text', text: 'looking' }] }, session_id: 's-1' },
  { type: 'assistant', message: { id: 'm1', content: [{ type: 'tool_use', name: 'Bash' }] }, session_id: 's-1' },
  { type: 'assistant', message: { id: 'x' }, parent_tool_use_id: 't1', session_id: 's-1' },
  { type: 'user', message: { content: [{ type: 'tool_result', content: 'ok' }] }, session_id: 's-1' },
  { type: 'assistant', message: { id: 'm2', content: [{ type: 'text', text: 'done' }] }, session_id: 's-1' },
  {
    type: 'result',
    subtype: 'success',
    is_error: false,
    num_turns: 2,
    result: 'all done',
    session_id: 's-2',
    total_cost_usd: 0.25,
    usage: { input_tokens: 10, output_tokens: 4, cache_read_input_tokens: 300, cache_creation_input_tokens: 20 },
  },
];

describe('claude', () => {
  test('reports its answer, cost, tokens, turns and session', async () => {
    const one = stage();
    one.program('claude', KEEP + printing(...claude));
    const outcome = await one.exited({ agent: 'claude-opus', prompt: 'Do "it", {now} †' });
    expect(facts(outcome)).toEqual({
      answer: 'all done',
      exit: 0,
      cost: 0.25,
      tokens: { in: 10, out: 4, cache_read: 300, cache_write: 20 },
      turns: 2,
      sessionId: 's-2',
      isError: false,
    });
    expect(outcome.transcript?.text).toContain('"subtype":"init"');
    expect(one.read('prompt')).toBe('Do "it", {now} †');
    expect(one.shown()).toBe('looking\ndone\n');
    const args = one.read('args') ?? '';
    expect(args).toMatch(
      /^--print\n--output-format\nstream-json\n--verbose\n--permission-mode\nacceptEdits\n--add-dir\n.*\n--model\nopus\n--session-id\n[0-9a-f-]{36}\n$/,
    );
  });

  test('continues in a session, with its own limits and arguments that win', async () => {
    const reviewer = { adapter: 'claude', args: ['--permission-mode', 'plan', '--effort', 'low'] };
    const one = stage({ reviewer });
    one.program('claude', KEEP + printing(...claude));
    await one.exited({ agent: 'reviewer', session: 's-9', guards: { maxTurns: 7, maxCost: 1.5 } });
    const args = (one.read('args') ?? '').split('\n');
    expect(args.slice(args.indexOf('--resume'), -1)).toEqual(
      '--resume s-9 --max-turns 7 --max-budget-usd 1.5 --permission-mode plan --effort low'.split(' '),
    );
    expect(args.filter((arg) => arg === '--permission-mode')).toHaveLength(1);
  });

  test('says that it failed', async () => {
    const one = stage();
    one.program('claude', printing({ type: 'result', is_error: true, result: 'no such file', total_cost_usd: 0.1 }));
    expect(facts(await one.exited({ agent: 'claude' }))).toMatchObject({
      answer: 'no such file',
      cost: 0.1,
      isError: true,
    });
  });

  test('says that its turns were used up', async () => {
    const one = stage();
    const events = [{ type: 'result', subtype: 'error_max_turns', is_error: true, num_turns: 3, total_cost_usd: 0.1 }];
    one.program('claude', printing(...events));
    const outcome = await one.exited({ agent: 'claude', guards: { maxTurns: 3 } });
    expect(outcome.guard?.name).toBe('max_turns');
  });
});

test('qwen reports the same in the same form, without a cost', async () => {
  const one = stage();
  const { total_cost_usd: _, ...result } = claude[6] as Record<string, unknown>;
  one.program('qwen', KEEP + printing(...claude.slice(0, 6), result));
  const outcome = await one.exited({ agent: 'qwen-qwen3-coder', session: 'q-1' });
  expect(facts(outcome)).toMatchObject({ answer: 'all done', cost: null, turns: 2, sessionId: 's-2' });
  expect(one.read('args')).toMatch(
    /^--output-format\nstream-json\n--approval-mode\nauto-edit\n--include-directories\n.*\n--model\nqwen3-coder\n--resume\nq-1\n$/,
  );
});

test('cursor too, and spells tokens in its own way', async () => {
  const one = stage();
  const events = [
    { type: 'system', subtype: 'init', session_id: 'c-1' },
    { type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: 'hi' }] }, session_id: 'c-1' },
    { type: 'tool_call', subtype: 'started', call_id: 't', session_id: 'c-1' },
    { type: 'result', subtype: 'success', is_error: false, result: 'hi', session_id: 'c-1', usage: { inputTokens: 5 } },
  ];
  one.program('cursor-agent', KEEP + printing(...events));
  const outcome = await one.exited({ agent: 'cursor-gpt-5', session: 'c-0' });
  const tokens = { in: 5, out: 0, cache_read: 0, cache_write: 0 };
  expect(facts(outcome)).toMatchObject({ answer: 'hi', cost: null, turns: 1, sessionId: 'c-1', tokens });
  expect(one.read('args')).toBe(
    '--print\n--output-format\nstream-json\n--force\n--trust\n--model\ngpt-5\n--resume\nc-0\n',
  );
});

describe('codex', () => {
  const events = [
    { type: 'thread.started', thread_id: 't-1' },
    { type: 'turn.started' },
    { type: 'item.completed', item: { id: '0', type: 'reasoning', text: 'hm' } },
    { type: 'item.started', item: { id: '1', type: 'command_execution', command: 'ls' } },
    { type: 'item.completed', item: { id: '1', type: 'command_execution', command: 'ls', exit_code: 0 } },
    { type: 'error', message: 'Reconnecting... 1/5' },
    { type: 'item.completed', item: { id: '2', type: 'agent_message', text: 'two files' } },
    { type: 'turn.completed', usage: { input_tokens: 100, cached_input_tokens: 60, output_tokens: 9 } },
  ];

  test('reports its session, tokens and last text', async () => {
    const one = stage();
    one.program('codex', KEEP + printing(...events));
    expect(facts(await one.exited({ agent: 'codex' }))).toEqual({
      answer: 'two files',
      exit: 0,
      cost: null,
      tokens: { in: 40, out: 9, cache_read: 60, cache_write: 0 },
      turns: 2,
      sessionId: 't-1',
      isError: false,
    });
    expect(one.read('args')).toMatch(
      /^exec\n--json\n--skip-git-repo-check\n--sandbox\nworkspace-write\n--add-dir\n.*\n-\n$/,
    );
  });

  test('continues in a session', async () => {
    const one = stage({ coder: { adapter: 'codex', model: 'gpt-5', args: ['--search'] } });
    one.program('codex', KEEP + printing(...events));
    await one.exited({ agent: 'coder', session: 't-1' });
    expect(one.read('args')).toMatch(/\n--model\ngpt-5\n--search\nresume\nt-1\n-\n$/);
  });

  test('says why a turn failed', async () => {
    const one = stage();
    one.program('codex', `${printing({ type: 'turn.failed', error: { message: 'bad model' } })}\nexit 1`);
    expect(facts(await one.exited({ agent: 'codex' }))).toMatchObject({ answer: 'bad model', exit: 1, isError: true });
  });
});

describe('gemini', () => {
  const say = (content: string) => ({ type: 'message', role: 'assistant', content, delta: true });
  const stats = { total_tokens: 90, input_tokens: 80, output_tokens: 10, cached: 30, input: 50, tool_calls: 1 };
  const events = [
    { type: 'init', session_id: 'g-1', model: 'pro' },
    { type: 'message', role: 'user', content: 'do it' },
    say('let me '),
    say('look'),
    { type: 'tool_use', tool_name: 'ls', tool_id: '1', parameters: {} },
    { type: 'tool_result', tool_id: '1', status: 'success', output: 'a b' },
    say('two '),
    say('files'),
    { type: 'result', status: 'success', stats },
  ];

  test('reports its session, tokens and the text of its last turn', async () => {
    const one = stage();
    one.program('gemini', `${KEEP}${printing(...events)}\necho "$GEMINI_CLI_TRUST_WORKSPACE" > trust`);
    expect(facts(await one.exited({ agent: 'gemini-2.5-pro' }))).toEqual({
      answer: 'two files',
      exit: 0,
      cost: null,
      tokens: { in: 50, out: 10, cache_read: 30, cache_write: 0 },
      turns: 2,
      sessionId: 'g-1',
      isError: false,
    });
    expect(one.shown()).toBe('let me looktwo files');
    expect(one.read('trust')).toBe('true\n');
    expect(one.read('args')).toMatch(
      /^--output-format\nstream-json\n--approval-mode\nauto_edit\n.*\n.*\n--model\n2.5-pro\n--session-id\n[0-9a-f-]{36}\n$/,
    );
  });

  test('continues in a session, and says why it failed', async () => {
    const one = stage();
    const failed = { type: 'result', status: 'error', error: { type: 'FatalError', message: 'no key' }, stats };
    one.program('gemini', `${KEEP}${printing(failed)}\nexit 41`);
    const outcome = await one.exited({ agent: 'gemini', session: 'g-1' });
    expect(facts(outcome)).toMatchObject({ answer: 'no key', exit: 41, isError: true });
    expect(one.read('args')).toMatch(/--resume\ng-1\n$/);
  });
});

describe('opencode', () => {
  const finish = (reason: string, cost: number) => ({
    type: 'step_finish',
    sessionID: 'ses_1',
    part: { reason, cost, tokens: { input: 10, output: 2, reasoning: 1, cache: { read: 5, write: 3 } } },
  });
  const events = [
    { type: 'step_start', sessionID: 'ses_1', part: {} },
    { type: 'tool_use', sessionID: 'ses_1', part: { tool: 'bash', state: { status: 'completed' } } },
    finish('tool-calls', 0.01),
    { type: 'step_start', sessionID: 'ses_1', part: {} },
    { type: 'text', sessionID: 'ses_1', part: { text: 'fixed' } },
    finish('stop', 0.02),
  ];

  test('reports cost and tokens step by step', async () => {
    const one = stage();
    one.program('opencode', KEEP + printing(...events));
    const outcome = await one.exited({ agent: 'opencode-anthropic/claude-sonnet', session: 'ses_0' });
    expect(facts(outcome)).toMatchObject({
      answer: 'fixed',
      tokens: { in: 20, out: 6, cache_read: 10, cache_write: 6 },
      turns: 2,
      sessionId: 'ses_1',
      isError: false,
    });
    expect(outcome.cost).toBeCloseTo(0.03);
    expect(one.read('args')).toBe('run\n--format\njson\n--model\nanthropic/claude-sonnet\n--session\nses_0\n');
  });

  test('says why it failed', async () => {
    const one = stage();
    const error = { type: 'error', sessionID: 's', error: { name: 'ApiError', data: { message: 'no such model' } } };
    one.program('opencode', printing(error));
    expect(facts(await one.exited({ agent: 'opencode' }))).toMatchObject({ answer: 'no such model', isError: true });
  });
});

describe('command', () => {
  const reporter: AgentConfiguration = { adapter: 'command', run: ['reporter', 'now'], args: ['--fast'] };

  test('reports in a last line, or all that it prints is the answer', async () => {
    const one = stage({ reporter });
    one.program(
      'reporter',
      `${KEEP}echo working\n${printing({ type: 'result', result: { pass: true }, num_turns: 4 })}`,
    );
    const told = await one.exited({ agent: 'reporter' });
    expect(facts(told)).toMatchObject({ answer: '{"pass":true}', cost: null, turns: 4, isError: false });
    expect(one.read('args')).toBe('now\n--fast\n');
    const text = '{"type": "object", "result": 1}\n{"a": 1}\n';
    one.program('reporter', `printf '%s' '${text}'`);
    const all = await one.exited({ agent: 'reporter' });
    expect(facts(all)).toMatchObject({ answer: text, cost: null, isError: false });
    expect(all.transcript).toBeUndefined();
  });

  test('all agents know what they are called for', async () => {
    const one = stage({ reporter });
    one.program('reporter', 'env | grep ^STATEDSL_ | sort; ls -A "$STATEDSL_OUT" | wc -l');
    const outcome = await one.exited({ agent: 'reporter', step: 'build/one/impl', session: 's-1', attempt: 2 });
    expect(outcome.stdout.text?.replace(/OUT=.*/, 'OUT=')).toBe(
      'STATEDSL_ATTEMPT=2\nSTATEDSL_EFFECT_ID=run:1\nSTATEDSL_OUT=\nSTATEDSL_RUN_ID=run\nSTATEDSL_SESSION=s-1\nSTATEDSL_STEP=build/one/impl\n0\n',
    );
  });
});

test.each([
  ['claude', 'claude', '--dangerously-skip-permissions', '--permission-mode'],
  ['codex', 'codex', '-s=read-only', '--sandbox'],
  ['gemini', 'gemini', '--yolo', '--approval-mode'],
  ['qwen', 'qwen', '-y', '--approval-mode'],
  ['cursor', 'cursor-agent', '-f', '--force'],
])('what %s may do is passed once', async (adapter, program, own, ours) => {
  const one = stage({ agent: { adapter, args: [own] } });
  one.program(program, KEEP);
  await one.exited({ agent: 'agent' });
  const args = (one.read('args') ?? '').split('\n');
  expect([args.includes(own), args.includes(ours)]).toEqual([true, false]);
});

test('a program that is not installed is reported by name', async () => {
  const outcome = await stage().call({ agent: 'codex' });
  expect(outcome).toEqual({ kind: 'not-started', reason: 'cannot start: the program `codex` is not on PATH' });
});

test('secrets are replaced in what is kept and shown, and only there', async () => {
  const one: Stage = stage({}, { secrets: [{ name: 'KEY', value: 'hunter22' }] });
  const said = { type: 'assistant', message: { id: '1', content: [{ type: 'text', text: 'hunter22' }] } };
  const long = { type: 'user', message: 'hunter22'.repeat(9000) };
  one.program('claude', printing(said, long, { type: 'result', result: 'it is hunter22' }));
  const outcome = await one.exited({ agent: 'claude' });
  expect(one.shown()).toBe('***\n');
  expect(outcome.stdout.text).toBe('it is hunter22');
  expect(one.read(`run/artifacts/${outcome.transcript?.artifact}`)).not.toContain('hunter22');
});
