/** How a call ended, what it used and what it was denied, as the programs report it in their own ways. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { until } from '../../harness/until.js';
import { type Exited, KEEP, printing, type Stage, stage } from './calling.js';

const usage = { input_tokens: 100, output_tokens: 20, cache_read_input_tokens: 30, cache_creation_input_tokens: 5 };
const OWN = { in: 100, out: 20, cache_read: 30, cache_write: 5 };
const models = (times: number) => ({
  opus: {
    inputTokens: 100 * times,
    outputTokens: 20 * times,
    cacheReadInputTokens: 30 * times,
    cacheCreationInputTokens: 5 * times,
    costUSD: 0.001 * times,
  },
});
const answer = (id: string, text: string, model = 'opus') => ({
  type: 'assistant',
  message: { id, model, content: [{ type: 'text', text }] },
});
const result = { type: 'result', subtype: 'success', is_error: false, num_turns: 1, result: 'Hello.', usage };

describe('a stream without its last event is a failure, whatever the exit code', () => {
  test.each([
    ['claude', answer('1', 'half')],
    ['codex', { type: 'item.completed', item: { id: '1', type: 'agent_message', text: 'half' } }],
    ['gemini', { type: 'message', role: 'assistant', content: 'half', delta: true }],
    ['qwen', answer('1', 'half')],
    ['opencode', { type: 'step_finish', part: { reason: 'tool-calls', tokens: {} } }],
    ['cursor', answer('1', 'half')],
  ])('%s', async (agent, event) => {
    const one = stage();
    one.program(agent === 'cursor' ? 'cursor-agent' : agent, `${printing(event)}\necho broken >&2`);
    expect(await one.exited({ agent })).toMatchObject({
      exit: 0,
      is_error: true,
      stdout: { text: 'the program ended without saying how; its last output: broken' },
    });
  });

  test('nothing at all is none either', async () => {
    const one = stage();
    one.program('opencode', 'exit 0');
    expect(await one.exited({ agent: 'opencode' })).toMatchObject({
      is_error: true,
      stdout: { text: 'the program ended without saying how' },
    });
  });

  test('an incomplete answer does not count as an answer', async () => {
    const one = stage();
    one.program('opencode', printing({ type: 'step_finish', part: { reason: 'length', cost: 0.1 } }));
    expect(await one.exited({ agent: 'opencode' })).toMatchObject({
      is_error: true,
      stdout: { text: 'the model stopped in the middle: length' },
    });
  });
});

describe('a success without a turn is a failure', () => {
  test.each([
    ['claude', [answer('x', '/help is not available', '<synthetic>'), { ...result, num_turns: 0, result: 'no help' }]],
    ['gemini', [{ type: 'result', status: 'success', stats: { input_tokens: 0, output_tokens: 0, cached: 0 } }]],
    ['codex', [{ type: 'turn.started' }, { type: 'turn.completed', usage: { input_tokens: 0, output_tokens: 0 } }]],
  ])('%s', async (agent, events) => {
    const one = stage();
    one.program(agent, printing(...events));
    const outcome = await one.exited({ agent });
    expect(outcome).toMatchObject({ is_error: true, turns: 0 });
    expect(outcome.stdout.text).toMatch(/^the model was not asked/);
  });
});

describe('a prompt reaches the model as text', () => {
  test.each([
    ['claude', '/help me', '\n/help me'],
    ['claude', 'see @a.txt', 'see @a.txt'],
    ['codex', '/help @a.txt', '/help @a.txt'],
    ['gemini', '/help me', '\n/help me'],
    ['gemini', 'see @a.txt or me@a.txt, 1 @ 2', 'see \\@a.txt or me\\@a.txt, 1 @ 2'],
    ['qwen', '/help \\@a', '\n/help \\@a'],
    ['qwen', '@a.txt', '\\@a.txt'],
    ['opencode', '/init @a.txt', '/init @a.txt'],
    ['cursor', '/help', '\n/help'],
  ])('%s: %j', async (agent, prompt, wanted) => {
    const one = stage();
    one.program(agent === 'cursor' ? 'cursor-agent' : agent, KEEP);
    await one.exited({ agent, prompt });
    expect(one.read('prompt')).toBe(wanted);
  });

  test.each([
    ['see @a.txt', '1'],
    ['@"a b"', '1'],
    ['me@a.txt', ''],
  ])('claude attaches nothing for %j', async (prompt, wanted) => {
    const one = stage();
    one.program('claude', `printf %s "$CLAUDE_CODE_DISABLE_ATTACHMENTS" > off`);
    await one.exited({ agent: 'claude', prompt });
    expect(one.read('off')).toBe(wanted);
  });
});

describe('cost, tokens and turns are those of the call', () => {
  test('claude: the cost of a continued session', async () => {
    const one = stage();
    const own = { model_usage_since_last_result: models(1), modelUsage: models(3) };
    one.program('claude', printing(answer('1', 'Hello.'), { ...result, total_cost_usd: 0.003, ...own }));
    const outcome = await one.exited({ agent: 'claude', session: 's', guards: { maxCost: 0.002 } });
    expect(outcome).toMatchObject({ cost: 0.001, tokens: OWN, turns: 1, is_error: false });
    expect(outcome.guard).toBeUndefined();
  });

  test('claude: the sum of several results, also where the totals are zero', async () => {
    const one = stage();
    const zero = { ...usage, input_tokens: 0, output_tokens: 0 };
    const part = { ...result, usage: zero, model_usage_since_last_result: models(1) };
    one.program('claude', printing(answer('1', 'a'), part, answer('2', 'b'), { ...part, result: 'last' }));
    expect(await one.exited({ agent: 'claude' })).toMatchObject({
      cost: 0.002,
      tokens: { in: 200, out: 40, cache_read: 60, cache_write: 10 },
      turns: 2,
      stdout: { text: 'last' },
    });
  });

  test('claude: its own errors do not count as turns', async () => {
    const one = stage();
    const failed = { ...result, is_error: true, api_error_status: 429, result: "You've hit your limit" };
    one.program('claude', printing(answer('1', 'API Error', '<synthetic>'), failed));
    expect(await one.exited({ agent: 'claude' })).toMatchObject({ turns: 0, unavailable: { cause: 'usage' } });
  });

  test.each([
    ['codex', { type: 'turn.completed', usage: { input_tokens: 390, cached_input_tokens: 90, output_tokens: 60 } }],
    ['qwen', { ...result, usage: { input_tokens: 390, output_tokens: 60, cache_read_input_tokens: 90 } }],
  ])('%s: what the session had used before is subtracted', async (agent, event) => {
    const one = stage();
    one.program(agent, printing(event));
    const sum = { in: 300, out: 60, cache_read: 90, cache_write: 0 };
    const sessionTokens = { in: 200, out: 40, cache_read: 60, cache_write: 0 };
    expect(await one.exited({ agent, session: 's', sessionTokens })).toMatchObject({
      tokens: { in: 100, out: 20, cache_read: 30, cache_write: 0 },
      session_tokens: sum,
    });
    // Of a new session, and of a program that begins to count again, it is all the call's own.
    expect(await one.exited({ agent })).toMatchObject({ tokens: sum, session_tokens: sum });
    const more = { ...sessionTokens, in: 1000 };
    expect(await one.exited({ agent, session: 's', sessionTokens: more })).toMatchObject({ tokens: sum });
  });

  test('qwen: an answer in two messages is one turn', async () => {
    const one = stage();
    const piece = (id: string, own: object) => ({ type: 'assistant', message: { id, content: [], usage: own } });
    const none = { input_tokens: 0, output_tokens: 0 };
    const tool = { type: 'user', message: { content: [{ type: 'tool_result' }] } };
    one.program(
      'qwen',
      printing(piece('1', none), piece('2', usage), tool, piece('3', none), piece('4', usage), result),
    );
    expect(await one.exited({ agent: 'qwen', guards: { maxTurns: 2 } })).toMatchObject({ turns: 2, is_error: false });
  });

  test('codex: a command that the sandbox hides lies between two messages', async () => {
    const one = stage();
    const say = (text: string) => ({ type: 'item.completed', item: { type: 'agent_message', text } });
    one.program('codex', printing(say('I try.'), say('I may not.'), { type: 'turn.completed' }));
    expect(await one.exited({ agent: 'codex' })).toMatchObject({ turns: 2, stdout: { text: 'I may not.' } });
  });

  test('a program that stopped because of its own limit reports it in its words', async () => {
    const one = stage();
    const stopped = { type: 'result', subtype: 'error_max_turns', is_error: true, errors: ['Reached 3 turns'] };
    one.program('claude', printing(answer('1', 'a'), stopped));
    expect((await one.exited({ agent: 'claude' })).guard).toEqual({
      name: 'max_turns',
      message: 'the program stopped: Reached 3 turns',
    });
  });
});

describe('tool calls that were denied', () => {
  test('claude and qwen list them', async () => {
    const notice = { type: 'system', subtype: 'permission_denied', tool_name: 'Bash', tool_use_id: 't1' };
    const denial = { tool_name: 'Bash', tool_use_id: 't1', tool_input: { command: 'npm test', description: 'run' } };
    const end = { ...result, permission_denials: [denial] };
    const one = stage();
    one.program('claude', printing({ ...notice, decision_reason: 'needs approval' }, answer('1', 'no'), end));
    one.program('qwen', printing(answer('1', 'no'), end));
    const denied = { tool: 'Bash', input: 'npm test' };
    expect(await one.exited({ agent: 'claude' })).toMatchObject({ denied: [{ ...denied, reason: 'needs approval' }] });
    expect(await one.exited({ agent: 'qwen' })).toMatchObject({ denied: [denied] });
  });

  test('opencode and gemini report them as errors of tools', async () => {
    const one = stage();
    const error = 'The user rejected permission to use this specific tool call.';
    const state = { status: 'error', input: { filePath: '/out/plan.json' }, error };
    const finish = { type: 'step_finish', part: { reason: 'tool-calls' } };
    one.program('opencode', printing({ type: 'tool_use', part: { tool: 'write', callID: 'c', state } }, finish));
    expect(await one.exited({ agent: 'opencode' })).toMatchObject({
      is_error: true,
      denied: [{ tool: 'write', input: '/out/plan.json', reason: error }],
    });
    const missing = { type: 'tool_not_registered', message: 'no such tool' };
    one.program(
      'gemini',
      printing(
        { type: 'tool_use', tool_name: 'run_shell_command', tool_id: '1' },
        { type: 'tool_result', tool_id: '1', status: 'error', error: missing },
        { type: 'message', role: 'assistant', content: 'sorry' },
        { type: 'result', status: 'success' },
      ),
    );
    expect(await one.exited({ agent: 'gemini' })).toMatchObject({
      is_error: false,
      denied: [{ tool: 'run_shell_command', reason: 'no such tool' }],
    });
  });
});

test('opencode may write to its answer folder, and else what the configuration says', async () => {
  const one = stage({ own: { adapter: 'opencode', env: { OPENCODE_PERMISSION: '{}' } } });
  one.program('opencode', 'printf %s "$OPENCODE_PERMISSION" > may; printf %s "$STATEDSL_OUT" > out');
  await one.exited({ agent: 'opencode' });
  expect(JSON.parse(one.read('may') ?? '')).toEqual({ external_directory: { [`${one.read('out')}/*`]: 'allow' } });
  await one.exited({ agent: 'own' });
  expect(one.read('may')).toBe('{}');
});

describe('while a program asks its service again', () => {
  const retries: readonly (readonly [string, string, string])[] = [
    [
      'claude',
      printing({ type: 'system', subtype: 'api_retry', error_status: 529, error: 'overloaded' }),
      '529 overloaded',
    ],
    ['codex', printing({ type: 'error', message: 'Reconnecting... 1/5 (no route)' }), '1/5 (no route)'],
    ['qwen', printing({ type: 'system', subtype: 'retry', data: { attempt: 1, maxRetries: 10 } }), 'attempt 1 of 10'],
    ['gemini', 'echo "Attempt 1 failed with status 503. Retrying with backoff..." >&2', '503, attempt 1'],
  ];
  const ends: Readonly<Record<string, readonly object[]>> = {
    claude: [answer('1', 'ok'), result],
    codex: [{ type: 'item.completed', item: { type: 'agent_message', text: 'ok' } }, { type: 'turn.completed' }],
    qwen: [answer('1', 'ok'), result],
    gemini: [
      { type: 'message', role: 'assistant', content: 'ok' },
      { type: 'result', status: 'success' },
    ],
  };

  const MINUTE = 60_000;
  const WAITING = 'while [ ! -e go ]; do sleep 0.02; done';

  /** Calls an agent that may work for ten minutes; once it has shown this, an hour passes. */
  async function anHourAfter(shown: string, agent: string, one: Stage): Promise<Exited> {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'], shouldAdvanceTime: true });
    onTestFinished(() => void vi.useRealTimers());
    const ended = one.exited({ agent, timeoutMs: 600 * MINUTE, guards: { maxTimeMs: 10 * MINUTE } });
    await until(() => one.shown().includes(shown));
    vi.advanceTimersByTime(60 * MINUTE);
    one.file('go', '');
    return ended;
  }

  test.each(retries)('%s: its time does not count, and the record says so', async (agent, retry, message) => {
    const one = stage();
    one.program(agent, `${retry}\n${WAITING}\n${printing(...(ends[agent] ?? []))}`);
    const outcome = await anHourAfter(`tries again: ${message}`, agent, one);
    expect(outcome).toMatchObject({ is_error: false, own_retries: { count: 1, message } });
    expect(outcome.guard).toBeUndefined();
    expect(outcome.own_retries?.ms).toBeGreaterThanOrEqual(60 * MINUTE);
  });

  test('the time that it works counts', async () => {
    const one = stage();
    one.program('claude', `${retries[0]?.[1]}\n${printing(answer('1', 'working'))}\n${WAITING}`);
    const outcome = await anHourAfter('working', 'claude', one);
    expect(outcome.guard?.name).toBe('max_time');
  });
});

describe('flags of an error decide before its words do', () => {
  const failed = (data: object) => ({ type: 'error', error: { name: 'APIError', data } });
  test.each([
    ['usage', { message: 'no', statusCode: 429, isRetryable: true }],
    ['overload', { message: 'no', statusCode: 503, isRetryable: true }],
    ['network', { message: 'Cannot reach it', isRetryable: true }],
    [undefined, { message: 'rate limit 429', statusCode: 429, isRetryable: false }],
    [undefined, { message: 'try again later', statusCode: 401, isRetryable: false }],
    [undefined, { message: 'quota', statusCode: 403 }],
  ])('%s', async (cause, data) => {
    const one = stage();
    one.program('opencode', `${printing(failed(data))}\nexit 1`);
    expect((await one.exited({ agent: 'opencode' })).unavailable?.cause).toBe(cause);
  });

  test('with the time at which it can be asked again', async () => {
    const one = stage();
    const data = { message: 'no', statusCode: 429, isRetryable: true, responseHeaders: { 'retry-after': '20' } };
    one.program('opencode', `${printing(failed(data))}\nexit 1`);
    const { until_ms: until = 0, at_ms: at = 0 } = (await one.exited({ agent: 'opencode' })).unavailable ?? {};
    expect(Math.round(((until ?? 0) - at) / 1000)).toBe(20);
  });
});
