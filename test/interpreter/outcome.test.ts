/** What an outcome is to the instruction that waited for it: a value, the input of a pipe, or a failure with its words. */
import { describe, expect, test } from 'vitest';
import { agentFailed, agentText, withAgentReport } from '../../src/interpreter/agents/agent-output.js';
import type { Outcome } from '../../src/interpreter/events/event.js';
import { RuntimeFailure } from '../../src/interpreter/failure.js';
import { type DecodeOptions, decodeOutcome, durationText } from '../../src/interpreter/outcome.js';
import { Unreadable } from '../../src/interpreter/values/value.js';

type Exited = Extract<Outcome, { kind: 'exited' }>;

const ended = (text: string, more: Partial<Exited> = {}): Exited => ({
  kind: 'exited',
  exit: 0,
  stdout: { text, bytes: Buffer.byteLength(text) },
  stderr: '',
  duration_ms: 1,
  ...more,
});
const failed = (exit: number | null, more: Partial<Exited> = {}): Exited => ended('', { exit, ...more });

function decoded(outcome: Outcome, how: Partial<DecodeOptions> = {}): unknown {
  try {
    const { value } = decodeOutcome(outcome, { decoding: 'do', ok: [0], tool: 'make', agent: false, ...how });
    return value instanceof Unreadable ? value.output.printed : value;
  } catch (thrown) {
    if (!(thrown instanceof RuntimeFailure)) throw thrown;
    const { errorType, message, tool, exit } = thrown;
    return `${errorType} ${tool} ${exit}: ${message}`;
  }
}

const pipe = (...members: [program: string | null, exit: number][]): Exited['pipe'] =>
  members.map(([program, exit]) => ({ program, exit }));

test.each<[what: string, outcome: Outcome, how: Partial<DecodeOptions>, result: unknown]>([
  ['a word', ended('a\n'), {}, 'a'],
  ['only the last line end is left out', ended('a\n\n'), {}, 'a\n'],
  ['an object', ended(' {"a": 1}\n'), {}, { a: 1 }],
  ['a list', ended('[1]'), {}, [1]],
  ['what only begins like an object', ended('{a}\n'), {}, '{a}'],
  ['a number stays a text', ended('1\n'), {}, '1'],
  ['nothing', ended(''), {}, ''],
  ['nothing is bound', ended('a'), { decoding: 'none' }, undefined],
  ['text', ended('[1]\n'), { decoding: 'text' }, '[1]'],
  ['a captured number', ended('1\n'), { decoding: 'capture' }, 1],
  [
    'a captured number of more digits than numbers have',
    ended('123456789012345678\n'),
    { decoding: 'capture' },
    '123456789012345678',
  ],
  ['a captured word', ended('a\n'), { decoding: 'capture' }, 'a'],
  ['nothing is captured', ended('', { stderr: 'b' }), { decoding: 'capture' }, 'printed nothing: b'],
  ['both streams', ended('a\n', { stderr: 'b\n\n' }), { decoding: 'both' }, 'a\n\nOn standard error:\nb'],
  ['standard error alone', ended('', { stderr: 'b' }), { decoding: 'both' }, 'On standard error:\nb'],
  ['standard output alone', ended('a', { stderr: '\n' }), { decoding: 'both' }, 'a'],
  ['CHECK: a number', ended('1\n'), { decoding: 'check' }, 1],
  ['CHECK: a word', ended('no\n'), { decoding: 'check' }, 'printed something that is not JSON: `no`'],
  ['CHECK: two lines', ended('a\nb\n'), { decoding: 'check' }, 'printed several lines that are not JSON: `a b`'],
  ['CHECK: broken JSON', ended('{"a":\n1'), { decoding: 'check' }, 'printed something that is not JSON: `{"a": 1`'],
  ['CHECK: nothing', ended(' \n', { stderr: 'x\nwhy\n' }), { decoding: 'check' }, 'printed nothing: why'],
  ['CHECK: nothing at all', ended(''), { decoding: 'check' }, 'printed nothing'],
  [
    'CHECK: nothing, and an accepted code',
    failed(3),
    { decoding: 'check', ok: [3] },
    'printed nothing with exit code 3',
  ],
  [
    'CHECK: nothing from a pipe',
    failed(3, { pipe: pipe(['a', 3], ['b', 0]) }),
    { decoding: 'check', ok: 'any' },
    'printed nothing with exit code 3 (in the pipe, `a`, member 1 of 2, ended with exit code 3)',
  ],
  ['CHECK with a name: a word', ended('no\n'), { decoding: 'check-named' }, 'no'],
  ['CHECK with a name: nothing', ended(''), { decoding: 'check-named' }, 'printed nothing'],
  [
    'CHECK with a name: lines',
    ended('a\nb'),
    { decoding: 'check-named' },
    'printed several lines that are not JSON: `a b`',
  ],
  ['CHECK with a name: a list', ended('[1]'), { decoding: 'check-named' }, [1]],
  ...['{"a":', '["a" "b"]', '{"a": "\\"}"', '[{"a": "\\"}"}', '{"a": "]"', '[[1}', '{"a":1,}'].map(
    (text): [string, Outcome, Partial<DecodeOptions>, unknown] => [
      `CHECK with a name: ${text}`,
      ended(text),
      { decoding: 'check-named' },
      `printed something that is not JSON: \`${text}\``,
    ],
  ),
  ...['[1/3] building', '{x}', '["a"] and more', '{"a":1}x', '{"a": "\\"}"} and more', '[["a"], {"b": [1]}] x'].map(
    (text): [string, Outcome, Partial<DecodeOptions>, unknown] => [
      `CHECK with a name: ${text}`,
      ended(text),
      { decoding: 'check-named' },
      text,
    ],
  ),
  ['a deep list', ended('['.repeat(900) + ']'.repeat(900)), {}, expect.stringContaining('nested deeper than')],
  ['a deep value', { kind: 'value', value: nested(900) }, {}, expect.stringContaining('nested deeper than')],
  ['a value', { kind: 'value', value: { a: null } }, {}, { a: null }],
  ['a code', failed(2), {}, 'tool_failure make 2: exit 2'],
  ['an accepted code', ended('a', { exit: 2 }), { ok: [0, 2] }, 'a'],
  ['any code', ended('a', { exit: 9 }), { ok: 'any' }, 'a'],
  ['a signal', failed(null, { signal: 'SIGKILL' }), { ok: 'any' }, 'tool_failure make null: killed by SIGKILL'],
  ['a signal without a name', failed(null), {}, 'tool_failure make null: killed by a signal'],
  ['the last line of standard error', failed(1, { stderr: 'a\nb \n\n' }), {}, 'tool_failure make 1: b'],
  ['else of standard output', ended('a\nb\n', { exit: 1 }), {}, 'tool_failure make 1: b'],
  [
    'else of its bytes',
    failed(1, { stdout: { base64: Buffer.from('x\ny').toString('base64'), bytes: 3 } }),
    {},
    'tool_failure make 1: y',
  ],
  [
    'else of its end',
    failed(1, { stdout: { tail: 'y', bytes: 9, artifact: 'f' } as never }),
    {},
    'tool_failure make 1: y',
  ],
  [
    'members of a pipe',
    failed(4, { pipe: pipe(['a', 0], [null, 3], ['c', 4]) }),
    {},
    'tool_failure c 4: exit 4; in the pipe, member 2 of 3 ended with exit code 3, and `c`, member 3 of 3, ended with exit code 4',
  ],
  [
    'a pipe that nobody is blamed for',
    failed(5, { pipe: pipe(['a', 3]) }),
    {},
    expect.stringMatching(/^tool_failure make 5: exit 5; /),
  ],
  [
    'no text',
    ended('', { stdout: { bytes: 99, artifact: 'f' } as never }),
    {},
    expect.stringMatching(/^value_too_large make 0: .*99 bytes.*16 MiB/),
  ],
  [
    'no text on an engine',
    ended('', { stdout: { bytes: 99, unbound: true } as never }),
    {},
    expect.stringContaining('4 MiB of JSON on an engine'),
  ],
  ['no bytes', ended('', { stdout: { bytes: 0 } }), {}, ''],
  ['bytes', ended('', { stdout: { bytes: 1, base64: 'YQ==' } }), {}, 'a'],
  [
    'a guard',
    ended('a', { guard: { name: 'max_turns', message: 'three' } }),
    {},
    'limit make 0: stopped by `max_turns`: three',
  ],
  [
    'an agent that cannot be used',
    ended('', { unavailable: { message: 'later' } as never }),
    {},
    'tool_failure make 0: later',
  ],
  ['an agent that failed', ended('a\nwhy', { is_error: true }), {}, 'tool_failure make 0: why'],
  [
    'an agent that failed silently',
    ended('', { is_error: true }),
    {},
    'tool_failure make 0: the agent reported an error',
  ],
  ['an answer', ended('log\n{"type":"result","result":"done\\n"}\n'), { agent: true }, 'done'],
  ['an answer that is JSON', ended('{"type":"result","result":{"a":1}}'), { agent: true }, { a: 1 }],
  [
    'the last answer',
    ended('{"type":"result","result":"a"}\n{"type":"result","result":"b"}\nx\n'),
    { agent: true },
    'b',
  ],
  ['an answer without an agent', ended('{"type":"result","result":"a"}'), {}, { type: 'result', result: 'a' }],
  ['no answer', ended('{"type":"result"}'), { agent: true }, ''],
  ['an output without a report', ended('{"type":"other","result":1}'), { agent: true }, { type: 'other', result: 1 }],
  [
    'an answer that was found',
    ended('{"type":"result","result":"a"}', { is_error: false }),
    { agent: true },
    { type: 'result', result: 'a' },
  ],
  [
    'an answer that is not bound',
    ended('{"type":"result","result":"a"}'),
    { agent: true, decoding: 'none' },
    undefined,
  ],
  [
    'no text of an agent, and nothing is bound',
    ended('', { stdout: { bytes: 9 } }),
    { agent: true, decoding: 'none' },
    undefined,
  ],
  [
    'a report of a failure',
    ended('{"type":"result","is_error":true,"subtype":"max"}'),
    { agent: true, decoding: 'none' },
    'tool_failure make 0: max',
  ],
  [
    'a report of a failure with words',
    ended('{"type":"result","is_error":true,"result":"no"}', { exit: 1 }),
    { agent: true },
    'tool_failure make 1: no',
  ],
  [
    'too late',
    { kind: 'timed-out', timeout_ms: 90_000, stdout: { bytes: 0 }, stderr: '', duration_ms: 1 },
    {},
    'timeout make null: timed out after 90s',
  ],
  [
    'silent',
    { kind: 'timed-out', timeout_ms: 1500, silent: { heard: 'hm' }, stdout: { bytes: 0 }, stderr: '', duration_ms: 1 },
    {},
    'timeout make null: silent for 1.5s; last heard: hm',
  ],
  [
    'silent from the beginning',
    { kind: 'timed-out', timeout_ms: 15, silent: { heard: '' }, stdout: { bytes: 0 }, stderr: '', duration_ms: 1 },
    {},
    'timeout make null: silent for 15ms; it had said nothing',
  ],
  ['not started', { kind: 'not-started', reason: 'no' }, {}, 'tool_failure make null: no'],
  ['not started, with a kind', { kind: 'not-started', reason: 'no', error_type: 'limit' }, {}, 'limit make null: no'],
  ['thrown', { kind: 'failed', message: 'no', exit: 3 }, {}, 'tool_failure make 3: no'],
  ['thrown, with a kind', { kind: 'failed', message: 'no', error_type: 'limit' }, {}, 'limit make null: no'],
])('%s', (_, outcome, how, result) => {
  expect(decoded(outcome, how)).toEqual(result);
});

test('what cannot be read is known by its name and line', () => {
  const check = (text: string, stderr: string) => {
    const how: DecodeOptions = { decoding: 'check', ok: [0], tool: 'make', agent: false };
    return [how, { ...how, bound: { name: 'n', line: 7 } }].map((one) => {
      const { value } = decodeOutcome(ended(text, { stderr }), one);
      return (value as Unreadable).output;
    });
  };
  const [printed, output] = ['printed something that is not JSON: `no`', { tool: 'make', exit: 0 }];
  expect(check('no', 'why')).toEqual([
    { ...output, name: '', line: 0, printed, nothing: false },
    { ...output, name: 'n', line: 7, printed, nothing: false },
  ]);
  expect(check('', 'why')[1]).toEqual({
    ...output,
    name: 'n',
    line: 7,
    printed: 'printed nothing: why',
    nothing: true,
  });
});

function nested(depth: number): never {
  let value: unknown = 0;
  for (let left = depth; left > 0; left--) value = [value];
  return value as never;
}

describe('what a pipe below reads', () => {
  const how: DecodeOptions = { decoding: 'do', ok: [0], tool: null, agent: false };
  const piped = (outcome: Outcome, more: Partial<DecodeOptions> = {}) => {
    const { output, lossy, exit } = decodeOutcome(outcome, { ...how, ...more });
    return { output, lossy, exit };
  };

  test.each<[what: string, outcome: Outcome, more: Partial<DecodeOptions>, read: object]>([
    ['text', ended('ä\n'), {}, { output: { text: 'ä\n', bytes: 3 }, lossy: false, exit: 0 }],
    ['replaced bytes', ended('', { stdout: { text: '\ufffd', bytes: 1 } }), {}, { lossy: true }],
    ['the same character', ended('\ufffd'), {}, { lossy: false }],
    [
      'text that is known to be lossy',
      ended('', { stdout: { text: 'a', bytes: 1, lossy: true } as never }),
      {},
      { lossy: true },
    ],
    ['what is not bound', ended('', { stdout: { text: '\ufffd', bytes: 1 } }), { decoding: 'none' }, { lossy: false }],
    [
      'an answer',
      ended('{"type":"result","result":"ä"}'),
      { agent: true },
      { output: { text: 'ä', bytes: 2 }, lossy: false },
    ],
    [
      'a large text',
      ended('', { stdout: { text: 'a', bytes: 1, artifact: 'f', cut: 1 } as never }),
      {},
      { output: { artifact: 'f', bytes: 1, cut: 1 } },
    ],
    [
      'a value',
      { kind: 'value', value: { ä: 1 } },
      {},
      { output: { text: '{"ä":1}', bytes: 8 }, lossy: false, exit: 0 },
    ],
    ['a text', { kind: 'value', value: 'ä' }, {}, { output: { text: 'ä', bytes: 2 } }],
    ['nothing', { kind: 'value', value: null }, {}, { output: { text: '', bytes: 0 } }],
    [
      'a change',
      { kind: 'changed', commit: 'c', files: [], stdout: { text: 'd', bytes: 1 } },
      {},
      { output: { text: 'd', bytes: 1 }, exit: 0 },
    ],
  ])('%s', (_, outcome, more, read) => {
    expect(piped(outcome, more)).toMatchObject(read);
  });
});

test.each<[what: string, outcome: Outcome, text: string | null, isFailed: boolean]>([
  ['a text', { kind: 'value', value: 'a' }, 'a', false],
  ['a value', { kind: 'value', value: [1] }, '[1]', false],
  ['a value as it was written', { kind: 'value', value: [1], printed: '[1.0]' }, '[1.0]', false],
  ['an output', ended('a'), 'a', false],
  ['a report', ended('{"type":"result","result":"b"}'), 'b', false],
  ['a report of a failure', ended('{"type":"result","is_error":true}'), null, true],
  ['a code', ended('a', { exit: 1 }), null, true],
  ['no text', ended('', { stdout: { bytes: 9 } }), null, false],
  [
    'an answer that was found',
    ended('{"type":"result","result":"b"}', { is_error: false }),
    '{"type":"result","result":"b"}',
    false,
  ],
  ['a failure', ended('a', { is_error: true }), null, true],
  ['a guard', ended('a', { is_error: false, guard: { name: 'max_turns', message: '' } }), null, true],
  [
    'an account that cannot be used',
    ended('a', { is_error: false, unavailable: { message: '' } as never }),
    null,
    true,
  ],
  ['what never started', { kind: 'not-started', reason: '' }, null, true],
])('the answer of an agent: %s', (_, outcome, text, isFailed) => {
  expect([agentText(outcome), agentFailed(outcome)]).toEqual([text, isFailed]);
});

test('what an agent reports about itself is part of the outcome', () => {
  const usage = { input_tokens: 1, output_tokens: 2, cache_read_input_tokens: 3, cache_creation_input_tokens: 4 };
  const report = { type: 'result', result: 'a', total_cost_usd: 0.5, usage, session_id: 's', num_turns: 7 };
  const outcome = ended(`${JSON.stringify(report)}\n`);
  const facts = { cost: 0.5, tokens: { in: 1, out: 2, cache_read: 3, cache_write: 4 }, session_id: 's', turns: 7 };
  expect(withAgentReport(outcome)).toEqual({ ...outcome, ...facts });
  expect(withAgentReport(ended('a'))).toEqual({ ...ended('a'), cost: null });
  const few = ended('{"type":"result","usage":{}}');
  expect(withAgentReport(few)).toEqual({
    ...few,
    cost: null,
    tokens: { in: 0, out: 0, cache_read: 0, cache_write: 0 },
  });
  for (const known of [{ ...outcome, is_error: false }, { ...outcome, cost: 1 }, ended('', { stdout: { bytes: 9 } })])
    expect(withAgentReport(known)).toBe(known);
});

test.each([
  [3_600_000, '1h'],
  [5_400_000, '90m'],
  [60_000, '1m'],
  [90_000, '90s'],
  [1000, '1s'],
  [1500, '1.5s'],
  [999, '999ms'],
  [0, '0ms'],
])('%i ms are %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
