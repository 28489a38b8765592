/** What views make of values for people: lengths, amounts, commands, states of runs, and what is installed. */
import { describe, expect, test } from 'vitest';
import type { Requested } from '../../src/runtime/record/record-facts.js';
import { type DoctorFindings, drawFindings } from '../../src/views/doctor-text.js';
import { dollars, duration, limitDuration, size } from '../../src/views/drawing/amounts.js';
import { plain } from '../../src/views/drawing/paint.js';
import { cut, cutColumns, escapeControls, pictureControls } from '../../src/views/drawing/visible-text.js';
import { commandLine } from '../../src/views/log/started-command.js';
import { drawRunState, engineProblems, keyLine } from '../../src/views/run-state.js';
import { stepBlocks } from '../../src/views/steps/step-detail-text.js';

describe('texts', () => {
  test('are cut before half a character', () => {
    expect(['abcd', 'abcde', 'ab😀e', 'abc😀'].map((text) => cut(text, 4))).toEqual(['abcd', 'abc…', 'ab…', 'abc…']);
    expect(cut('a\u{10ffff}bcd', 3)).toBe('a…');
    expect(cut('a\ue000bcd', 3)).toBe('a\ue000…');
  });

  test('are cut by columns, of which wide characters take two', () => {
    const widths = (...codes: readonly number[]) =>
      codes.map((code) => (cutColumns(`${String.fromCodePoint(code)}x`, 2).endsWith('x') ? 1 : 2));
    for (const [first, last] of [
      [0x1100, 0x115f],
      [0x2e80, 0xa4cf],
      [0xac00, 0xd7a3],
      [0xf900, 0xfaff],
      [0xfe30, 0xfe6f],
      [0xff00, 0xff60],
      [0x1f300, 0x1faff],
      [0x20000, 0x3fffd],
    ] as const)
      expect(widths(first - 1, first, last, last + 1), first.toString(16)).toEqual([1, 2, 2, 1]);
    expect(['abc', 'abcd', '日本'].map((text) => cutColumns(text, 3))).toEqual(['abc', 'ab…', '日…']);
  });

  test('have no control characters', () => {
    expect(escapeControls('\x00\x1b[1m\x7f\x9f\u202e\u2069\n\t')).toBe('\\x00\\x1b[1m\\x7f\\x9f\\u202e\\u2069\n\t');
    expect(pictureControls('\x00\x1f\x7f\x80\u200e')).toBe('␀␟␡��');
  });
});

test('amounts', () => {
  expect([0, 0.001, 0.0099, 0.01, 1.5].map(dollars)).toEqual(['$0.00', '$0.0010', '$0.0099', '$0.01', '$1.50']);
  expect([0, 999, 1000, 9949, 9950, 999_499, 999_500, 2e9, 3.25e12, 4.5e15].map(size)).toEqual([
    '0 B',
    '999 B',
    '1.0 kB',
    '9.9 kB',
    '10 kB',
    '999 kB',
    '1.0 MB',
    '2.0 GB',
    '3.3 TB',
    '4500.0 TB',
  ]);
  expect([0, 9994, 9995, 59_949, 59_950, 3_599_499, 3_599_500, 90_000_000].map(duration)).toEqual([
    '0.00 s',
    '9.99 s',
    '10.0 s',
    '59.9 s',
    '1 min 0 s',
    '59 min 59 s',
    '1 h 0 min',
    '25 h 0 min',
  ]);
  expect([0, 1, 1000, 1500, 60_000, 3_600_000, 86_400_000, 90_000_000].map(limitDuration)).toEqual([
    '0ms',
    '1ms',
    '1s',
    '1500ms',
    '1m',
    '1h',
    '1d',
    '25h',
  ]);
});

test.each([
  [{ kind: 'argv', args: ['a', 'b c', ''] }, "a 'b c' ''"],
  [{ kind: 'argv' }, null],
  [{ kind: 'function', tool: 'f', args: [1, [2, 'x']] }, 'f 1 2 x'],
  [{ kind: 'function', tool: 'f', args: ['a'] }, 'f a'],
  [{ kind: 'function', tool: 'f', args: [] }, null],
  [{ kind: 'function', tool: 'f' }, null],
  [{ kind: 'agent', tool: 'w', text: 'Task(w) "{x}"', prompt: ' a\nb ' }, 'Task(w) "a b"'],
  [{ kind: 'agent', tool: 'w', text: 'Task(w) "x"', prompt: 'a' }, null],
  [{ kind: 'agent', tool: 'w', text: 'STEP {x}', prompt: 'a' }, null],
  [
    {
      kind: 'shell',
      text: 'a {x} "{y}" b',
      holes: [
        [2, 5],
        [7, 10],
      ],
      args: ['1 2', '3 4'],
    },
    `a '1 2' "3 4" b`,
  ],
  [{ kind: 'shell', text: 'a \\"{x}', holes: [[4, 7]], args: ['1 2'] }, `a \\"'1 2'`],
  [{ kind: 'shell', text: `a '\\'{x}`, holes: [[5, 8]], args: ['1 2'] }, `a '\\''1 2'`],
  [
    {
      kind: 'shell',
      text: 'a {x} {y}',
      holes: [
        [2, 5],
        [6, 9],
      ],
      args: [null],
    },
    "a '' {y}",
  ],
  [{ kind: 'shell', text: 'a {x}', holes: [[2, 5]], args: [{ $artifact: 'f', bytes: 70000 }] }, 'a (70000 bytes)'],
  [{ kind: 'shell', text: 'a {x}', holes: [[2, 5]], args: [{ a: 1 }] }, `a '{"a":1}'`],
  [{ kind: 'shell', text: 'a *** b', holes: [[2, 5]], args: ['x'] }, null],
  [{ kind: 'shell', text: 'a' }, null],
  [{ kind: 'clock', text: 'a', args: ['x'] }, null],
])('the command %j', (event, line) => {
  expect(commandLine(event as unknown as Requested)).toBe(line);
});

describe('the state of a run', () => {
  const time = '2020-01-02T03:04:05Z';
  const run = {
    run_id: 'r1',
    machine: 'flow',
    title: 'flow',
    status: 'running',
    state: 'A',
    states: ['A', 'B'],
    states_total: 2,
    returned: null,
    error: null,
    waiting: [],
    inputs: { n: 1 },
    tracked: {},
    bound: {},
    cost: 0.5,
    duration_ms: 1000,
    effects: 2,
    started_at: time,
    seq: 9,
    at: time,
    last_seq: 9,
  };
  const engine = {
    turn: 3,
    worker: 'w1',
    invocation: 'inv',
    since: null,
    no_worker_since: null,
    made_by: null,
    refused: null,
    waits: [],
  };
  const parts = (more: object, label: string): string[] => {
    const lines = drawRunState({ ...run, ...more } as never, [], plain).split('\n');
    const from = lines.findIndex((line) => line.startsWith(label.padEnd(10)));
    const rest = lines.slice(from + 1);
    const others = rest.slice(
      0,
      rest.findIndex((line) => !line.startsWith(' '.repeat(10))),
    );
    return from < 0 ? [] : [lines[from] as string, ...others].map((line) => line.slice(10));
  };
  const ofEngine = (more: object) => parts({ engine: { ...engine, ...more } }, 'engine');
  const wait = (worker: string) => ({ kind: 'label', name: 'gpu', since: null, worker });

  test('says where its worktree is, and what a rollback would undo', () => {
    expect(parts({ worktree: { branch: 'b', directory: '/d' } }, 'worktree')).toEqual(['b, /d']);
    const undo = (count: number) => Array.from({ length: count }, (_, at) => ({ line: at, text: 'rm' }));
    expect(parts({ undo: undo(20) }, 'undo')).toHaveLength(20);
    expect(parts({ undo: undo(22) }, 'undo').slice(-2)).toEqual(['line 19: rm', '… 2 more']);
  });

  test('says how its steps are', () => {
    const step = (path: string, more: object = {}) => ({
      path,
      status: 'pass',
      agent: null,
      attempt: 1,
      cost: null,
      since: time,
      ...more,
    });
    const some = [
      step('a', { agent: 'claude', attempt: 2, cost: 0.25 }),
      step('b', { status: 'running' }),
      step('c', { status: 'fail', agent: 'x' }),
    ];
    const zone = (lines: readonly string[]) =>
      lines.map((line) => line.replace(/\d{4}-\d\d-\d\d.*?:\d\d:\d\d|\d\d:\d\d:\d\d/, 'TIME'));
    expect(zone(parts({ steps: some }, 'steps'))).toMatchInlineSnapshot(`
      [
        "a pass, claude, attempt 2, $0.25, TIME",
        "b running, attempt 1, since TIME",
        "c fail, x, attempt 1, unknown cost, TIME",
      ]
    `);
    const many = [...Array.from({ length: 40 }, (_, at) => step(`s${at}`)), step('last', { status: 'running' })];
    expect(zone(parts({ steps: many }, 'steps')).slice(0, 2)).toMatchInlineSnapshot(`
      [
        "… 20 more finished steps …",
        "s20 pass, attempt 1, TIME",
      ]
    `);
  });

  test('says which worker executes it, or why none does', () => {
    expect(ofEngine({})).toEqual(['turn 3, w1', 'invocation inv']);
    expect(ofEngine({ worker: null, invocation: null })).toEqual(['turn 3, of which no worker has reported yet']);
    expect(ofEngine({ worker: null, invocation: null, waits: [wait('none')] })).toEqual([
      'turn 3',
      'waits for a worker with the label gpu',
    ]);
    expect(ofEngine({ turn: null })).toEqual(['no worker; the run waits until one comes']);
    expect(ofEngine({ waits: [wait('there'), wait('gone')] }).slice(2)).toEqual([
      'a worker with the label gpu performs an effect',
      'waits for a worker with the label gpu: the one that the engine knows does not answer',
    ]);
    expect(ofEngine({ waits_for_key: { key: 'k', run_id: null } })).toEqual(['waits for the key `k`']);
  });

  test('says what keeps it from continuing', () => {
    expect(engineProblems({ ...engine })).toEqual([]);
    expect(engineProblems({ ...engine, worker: null })).toEqual([
      'no worker executes turn 3; if one has begun it, it waits for a worker at the same address',
    ]);
    expect(engineProblems({ ...engine, worker: null, waits: [wait('none')] } as never)).toEqual([
      'waits for a worker with the label gpu',
    ]);
    expect(engineProblems({ ...engine, waits: [wait('there')] } as never)).toEqual([]);
    expect(engineProblems({ ...engine, refused: 'too old', made_by: '9.1' })).toEqual([
      'refused by w1: too old; it waits for a worker that fits',
      'made by statedsl 9.1, which this worker cannot continue: start statedsl 9.1 again there',
    ]);
    expect(engineProblems({ ...engine, waits_for_key: { key: 'k', run_id: 'r2' } })).toEqual([
      'run r2 has the key `k`, and this run waits for it',
    ]);
    expect(keyLine({ key: 'k', run_id: 'r2', status: 'suspended' })).toBe(
      'run r2 has the key `k`: it is suspended; answer what it asks, or end it: `statedsl cancel r2`',
    );
  });
});

describe('what is installed', () => {
  const found: DoctorFindings = {
    status: 'missing',
    version: '1.0.0',
    node: '20.0.0',
    configuration: null,
    programs: [
      { name: 'bash', path: '/bin/bash', version: '5.2' },
      { name: 'git', path: null, version: null },
    ],
    sandbox: { name: 'bwrap', path: '/bin/bwrap', version: null, problem: null },
    adapters: [],
    agents: [],
  };

  test('without a configuration', () => {
    expect(drawFindings(found, plain)).toMatchInlineSnapshot(`
      "statedsl 1.0.0, Node.js 20.0.0
        yes  bash  5.2  /bin/bash
        no   git        not installed

      sandbox of agents
        yes  bwrap    /bin/bwrap

      agent programs

      configured agents
      none, because there is no statedsl.config.yaml
      "
    `);
  });

  test('with agents', () => {
    const agent = {
      model: null,
      allow: null,
      sandbox: 'off',
      not_prevented: [],
      argv: ['claude', '-p', "it's"],
      problem: null,
    };
    const agents = [
      { ...agent, name: 'a', adapter: 'claude', remark: 'reads its own settings' },
      {
        ...agent,
        name: 'b',
        adapter: 'codex',
        argv: null,
        not_prevented: [{ permission: 'network', reason: 'no sandbox' }],
      },
      { ...agent, name: 'c', adapter: 'acp', problem: 'no program' },
    ];
    const sandbox = { name: null, path: null, version: null, problem: 'the system has none' };
    expect(drawFindings({ ...found, configuration: 'c.yaml', sandbox, agents }, plain)).toMatchInlineSnapshot(`
      "statedsl 1.0.0, Node.js 20.0.0
        yes  bash  5.2  /bin/bash
        no   git        not installed

      sandbox of agents
        no      the system has none

      agent programs

      agents of c.yaml
        yes  a  claude  claude -p 'it'\\''s'
                        reads its own settings
        yes  b  codex
                        not kept from network: no sandbox
        no   c  acp     no program
      "
    `);
    expect(drawFindings({ ...found, configuration: 'c.yaml' }, plain)).toMatch(/agents of c\.yaml\nnone\n$/);
  });
});

test('the attempts of a step', () => {
  const attempt = {
    ...{
      attempt: 1,
      seq: 4,
      at: '2020-01-02T03:04:05Z',
      agent: 'claude',
      status: 'fail',
      matched: [],
      duration_ms: 2000,
    },
    ...{ overrides: { session: 'new' }, turns: 2, session_id: 's1', prompt: 'Do it', answer: 'done', gates: [] },
    ...{
      cost: 0.5,
      unknown_costs: 0,
      tokens: { in: 3, out: 4 },
      calls: [{ kind: 'agent', tool: 'claude', text: 'STEP: plan' }],
    },
  };
  const bare = {
    ...attempt,
    attempt: 2,
    agent: null,
    duration_ms: null,
    overrides: {},
    calls: [],
    prompt: null,
    answer: null,
  };
  const step = { run_id: 'r', path: 'plan', type: 'code', status: 'fail', attempts: [attempt, bare] };
  const lines = stepBlocks([step] as never, false, plain).flat();
  expect(lines.filter((line) => !line.startsWith('    event'))).toMatchInlineSnapshot(`
    [
      "plan  code, fail",
      "  attempt 1, claude: fail",
      "    held: session "new"",
      "    $0.50, 3 tokens in, 4 out, 2 turns, session s1",
      "    prompt",
      "      Do it",
      "    claude: no recorded outcome",
      "    answer",
      "      done",
      "  attempt 2: fail",
    ]
  `);
});
