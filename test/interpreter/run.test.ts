/** Runs of small machines: states, tracked variables, effects, failures and limits. */
import { describe, expect, test } from 'vitest';
import { costOf } from '../../src/interpreter/control/budget.js';
import type { Outcome } from '../../src/interpreter/events/event.js';
import { advance, exceed, link, settle, startRun } from '../../src/interpreter/run.js';
import {
  type Code,
  call,
  check,
  constant,
  done,
  drive,
  emit,
  entry,
  execute,
  field,
  goto,
  hole,
  local,
  machine,
  OPTIONS,
  printed,
  say,
  set,
  shell,
  tracked,
  World,
} from './machine-builder.js';

const ERROR_NAMES = ['error_type', 'tool', 'error', 'exit_code', 'from_state', 'line', 'file'];
const errorState = (code: Code[] = [done(entry(2, 'error'), true)]) => ({ entry: ERROR_NAMES, code });
const fail = printed('', 3, 'first\nno luck\n\n');

describe('states', () => {
  test('locals are fresh, entry values stay until they are passed again', () => {
    const program = machine({
      A: { code: [goto(1, { x: constant(1), y: constant(2) })] },
      B: {
        locals: ['l'],
        entry: ['x', 'y'],
        code: [
          say('x=', hole(entry(0)), ' y=', hole(entry(1)), ' l=', hole(local(0), '{l}')),
          set(0, constant(1)),
          {
            op: 'unless',
            condition: { op: 'compare', operator: '==', left: entry(0), right: constant(1) },
            to: 4,
            text: 'x == 1',
          },
          goto(1, { x: constant(5) }),
          done(entry(0)),
        ],
      },
    });
    const { lines } = execute(program);
    const warning =
      'WARN `local0` has no value here: no instruction on the way to this line has bound it, so the text keeps `{l}`';
    expect(lines).toEqual([
      'STATE A',
      'STATE B {"x":1,"y":2}',
      warning,
      '"x=1 y=2 l={l}"',
      'STATE B {"x":5}',
      warning,
      '"x=5 y=2 l={l}"',
      'RETURN 5',
    ]);
  });

  test('tracked variables are created once and survive GOTO', () => {
    const program = machine(
      {
        A: {
          code: [
            { op: 'track', slot: 0, value: constant(3) },
            { op: 'increment', to: { in: 'tracked', slot: 0 }, name: 'n', by: constant(-0.5) },
            {
              op: 'unless',
              condition: { op: 'compare', operator: '<=', left: tracked(0), right: constant(2) },
              to: 4,
              text: 'n <= 2',
            },
            done(tracked(0)),
            goto(0),
          ],
        },
      },
      { tracked: ['n'] },
    );
    const { lines, run } = execute(program);
    expect(lines).toEqual(['STATE A', 'n = 3', 'n = 2.5', 'STATE A', 'n = 2', 'RETURN 2']);
    expect(run.tracked).toEqual({ n: 2 });
    expect(run.states).toEqual(['A', 'A']);
  });

  test('auto events report entries and transitions', () => {
    const program = machine({ A: { code: [goto(1)] }, B: { code: [done()] } });
    expect(execute(program, {}, { autoEvents: true }).lines).toEqual([
      'STATE A',
      'STATE_ENTRY {"state":"A"}',
      'PHASE_TRANSITION {"from":"A","to":"B"}',
      'STATE B',
      'STATE_ENTRY {"state":"B"}',
      'RETURN null',
    ]);
  });

  test('a start state may be given with its entry values', () => {
    const program = machine({ A: { code: [done()] }, B: { entry: ['x'], code: [done(entry(0))] } });
    expect(execute(program, {}, { start: { state: 1, with: { x: [1] } } }).lines).toEqual([
      'STATE B {"x":[1]}',
      'RETURN [1]',
    ]);
  });

  test('inputs have defaults, and a given null is a value', () => {
    const inputs = [
      { name: 'a', value: 1 },
      { name: 'b', value: 2 },
    ];
    const program = machine({ A: { code: [done()] } }, { inputs });
    const { events } = execute(program, {}, { inputs: { b: null } });
    expect(events[0]).toMatchObject({ type: 'run_started', inputs: { a: 1, b: null } });
  });

  test('a GOTO with a value as its target', () => {
    const dynamic = (value: string): Code => ({
      op: 'goto-dynamic',
      target: constant(value),
      args: [{ name: 'x', value: constant(1) }],
    });
    const to = (name: string) => machine({ A: { code: [dynamic(name)] }, B: { entry: ['x'], code: [done(entry(0))] } });
    expect(execute(to('B')).lines).toEqual(['STATE A', 'STATE B {"x":1}', 'RETURN 1']);
    expect(execute(to('C')).run.result?.error?.message).toBe(
      'GOTO failed: there is no state `C`; the states are `A`, `B`',
    );
  });
});

describe('EMIT', () => {
  test('a lone value keeps its type, a printed number its text', () => {
    const program = machine({
      A: {
        locals: ['n'],
        code: [
          check('price', 0),
          emit('E', { n: [hole(local(0))], text: ['n=', hole(local(0))], list: [hole(constant([1, null]))] }),
          say(hole(local(0))),
          done(local(0)),
        ],
      },
    });
    expect(execute(program, { price: '1.10\n' }).lines).toEqual([
      'STATE A',
      'E {"n":1.1,"text":"n=1.10","list":[1,null]}',
      '"1.10"',
      'RETURN 1.1',
    ]);
  });

  test('an optional field vanishes without a value, others keep the braces', () => {
    const fields = [
      { name: 'gone', value: [hole(local(0))], optional: true },
      { name: 'missing', value: [hole(field(constant({ a: 1 }), 'b'))], optional: true },
      { name: 'kept', value: [hole(local(0), '{x}')], optional: false },
      { name: 'none', value: [hole(constant(null))], optional: true },
    ];
    const program = machine({
      A: { locals: ['x'], code: [{ op: 'emit', event: 'E', fields, message: null }, done()] },
    });
    expect(execute(program).lines[2]).toBe('E {"kept":"{x}","none":null}');
  });

  test('a missing field is a failure', () => {
    const program = machine({ A: { code: [say(hole(field(constant({ a: 1 }), 'b')))] } });
    expect(execute(program).lines).toEqual([
      'STATE A',
      'TOOL_FAILURE {"tool":null,"error":"`…` has no field `b`; it has `a`","exit":null}',
      'FAILED bad_value: `…` has no field `b`; it has `a`',
    ]);
  });
});

describe('effects', () => {
  const reading = (code: Code, answer: string | Outcome) => {
    const program = machine({
      A: { locals: ['x', 'exit'], code: [code, done({ op: 'list', items: [local(0), local(1)] })] },
    });
    const text = 'text' in code && typeof code.text === 'string' ? code.text : '';
    const { run } = execute(program, { [text]: answer });
    return run.result?.status === 'returned'
      ? run.result.value
      : `${run.result?.error?.kind}: ${run.result?.error?.message}`;
  };
  const bind = { slot: 0, exitSlot: 1 };
  const unreadable = (what: string): string => {
    const help = what.endsWith('nothing')
      ? '`x?` is null then, and `exit_code(x)` is its exit code'
      : 'bind its text with `DO [ok=any]: x = …`; `lines(x)` gives its lines';
    return `not_json: \`x\` cannot be read: its command in line 1 ${what}; ${help}`;
  };

  test.each([
    ['do', '{"a": 1.0}', [{ a: 1 }, 0]],
    ['do', ' [1]\n', [[1], 0]],
    ['do', '5\n', ['5', 0]],
    ['do', '{broken\n\n', ['{broken\n', 0]],
    ['do', 'a\r\n', ['a\r', 0]],
    ['do', '', ['', 0]],
    ['check', '5', [5, 0]],
    ['check', 'true\n', [true, 0]],
    ['check', '"x"', ['x', 0]],
    ['check', '12e45678', ['12e45678', 0]],
    ['check', 'word', unreadable('printed something that is not JSON: `word`')],
    ['check', ' \n', unreadable('printed nothing')],
    ['check', '{"a":1}\n{"a":2}\n', unreadable('printed something that is not JSON: `{"a":1} {"a":2}`')],
    ['check-named', 'word\n', ['word', 0]],
    ['check-named', 'a\nb\n', unreadable('printed several lines that are not JSON: `a b`')],
    ['check-named', '{"a": 1', unreadable('printed something that is not JSON: `{"a": 1`')],
    ['check-named', '[{"a": 1},]', unreadable('printed something that is not JSON: `[{"a": 1},]`')],
    ['check-named', '{"a": "}"} and more', ['{"a": "}"} and more', 0]],
    ['check-named', '[1/3] building', ['[1/3] building', 0]],
    ['check-named', '', unreadable('printed nothing')],
    ['capture', 'a\nb\n', ['a\nb', 0]],
    ['capture', 'true', [true, 0]],
  ] as const)('%s of %j', (kind, answer, expected) => {
    expect(reading(shell('cmd', { reading: kind, bind, ok: kind === 'do' ? [0] : 'any' }), answer)).toEqual(expected);
  });

  test('the exit code of CHECK is data, also when nothing was found to run', () => {
    expect(reading(check('cmd', 0, { bind }), printed('{"s":"timeout"}', 1))).toEqual([{ s: 'timeout' }, 1]);
    expect(reading(check('cmd', 0, { bind }), printed('5', 127))).toEqual([5, 127]);
    expect(reading(check('cmd', 0, { bind }), printed('', 127, 'bash: cmd: command not found\n'))).toBe(
      'not_json: `x` cannot be read: its command in line 1 printed nothing with exit code 127: bash: cmd: command not found; ' +
        '`x?` is null then, and `exit_code(x)` is its exit code',
    );
    const killed = { ...printed('5'), exit: null, signal: 'SIGKILL' } as Outcome;
    expect(reading(check('cmd', 0, { bind }), killed)).toBe('tool_failure: 5');
  });

  test('deep output cannot be bound, and unbound output is not read', () => {
    const deep = '['.repeat(201) + ']'.repeat(201);
    expect(reading(check('cmd', 0, { bind }), deep)).toBe('bad_value: the output is nested deeper than 200 levels');
    const program = machine({ A: { code: [shell('cmd'), done()] } });
    expect(execute(program, { cmd: deep }).run.result?.status).toBe('returned');
  });

  test('output over the size of a value fails only where it is bound', () => {
    const large = { ...printed(''), stdout: { artifact: 'abc', bytes: 20_000_000 } } as Outcome;
    expect(reading(check('cmd', 0, { bind }), large)).toMatch(/^value_too_large: the output has 20000000 bytes/);
    const program = machine({ A: { code: [shell('cmd'), shell('next', { piped: true }), done()] } });
    const run = startRun(link(program), OPTIONS);
    const world = new World({ cmd: large });
    let stdin: unknown;
    const answer = world.answer.bind(world);
    world.answer = (request) => {
      if ('stdin' in request && request.text === 'next') stdin = request.stdin;
      return answer(request);
    };
    drive(run, world);
    expect(stdin).toEqual({ artifact: 'abc', bytes: 20_000_000 });
  });

  test('retries are further tries, and only the last failure counts', () => {
    const program = machine({ A: { code: [shell('cmd', { retry: { times: 2, pauseMs: 50 } }), done()] } });
    const { events, run } = execute(program, { cmd: [fail, fail, printed('')] });
    expect(
      events
        .filter(({ type }) => type.startsWith('effect_'))
        .map((event) => `${event.type} ${'attempt' in event ? event.attempt : ''}`),
    ).toEqual([
      'effect_requested 1',
      'effect_settled 1',
      'effect_retried 1',
      'effect_requested 2',
      'effect_settled 2',
      'effect_retried 2',
      'effect_requested 3',
      'effect_settled 3',
    ]);
    expect(run.result?.status).toBe('returned');
    expect(run.usage.effects).toBe(1);
    expect(execute(program, { cmd: fail }).lines).toEqual([
      'STATE A',
      'RETRY 1 1 no luck',
      'RETRY 1 2 no luck',
      'TOOL_FAILURE {"tool":"cmd","error":"no luck","exit":3}',
      'FAILED tool_failure: no luck',
    ]);
  });

  test('other outcomes', () => {
    const of = (outcome: Outcome) => reading(check('cmd', 0, { bind }), outcome);
    const output = { stdout: { text: '', bytes: 0 }, stderr: '', duration_ms: 1 };
    expect(of({ kind: 'timed-out', timeout_ms: 30_000, ...output })).toBe('timeout: timed out after 30s');
    expect(of({ kind: 'not-started', reason: 'cannot start' })).toBe('tool_failure: cannot start');
    expect(of({ kind: 'failed', message: 'boom', error_type: 'in_doubt' })).toBe('in_doubt: boom');
    expect(of({ kind: 'value', value: { a: 1 } })).toEqual([{ a: 1 }, 0]);
    expect(of(printed('out\n', 0))).toEqual(['out', 0]);
  });

  test('requests carry evaluated values', () => {
    const template = {
      parts: [
        'echo ',
        { ...hole(constant({ a: 1 })), context: 'word' as const },
        ' ',
        { ...hole(constant(['x', 2])), context: 'word' as const, list: true as const },
      ],
      source: 'echo {a} {b*}',
    };
    const program = machine({
      A: {
        code: [
          {
            ...(shell('echo', {
              timeout: ['1.5', 's'],
              cwd: ['d'],
              env: [{ name: 'K', value: [hole(constant(5))] }],
            }) as Extract<Code, { op: 'shell' }>),
            template,
          },
          done(),
        ],
      },
    });
    const run = startRun(link(program), OPTIONS);
    drive(run, new World({ echo: { kind: 'failed', message: 'x' } }));
    const again = startRun(link(program), OPTIONS);
    const seen: unknown[] = [];
    const world = new World();
    const answer = world.answer.bind(world);
    world.answer = (request) => {
      seen.push(request);
      return answer(request);
    };
    const events = drive(again, world);
    expect(seen[0]).toMatchObject({
      kind: 'shell',
      effect: '1',
      attempt: 1,
      timeoutMs: 1500,
      cwd: 'd',
      env: { K: '5' },
      stdin: null,
      needsText: false,
      values: [{ text: '{"a":1}' }, { list: ['x', '2'] }],
    });
    expect(events.find(({ type }) => type === 'effect_requested')).toMatchObject({ args: ['{"a":1}', ['x', '2']] });
  });
});

describe('requests of a run', () => {
  test('a list that was taken does not change later', () => {
    const run = startRun(link(machine({ A: { code: [shell('a'), shell('b'), done()] } })), OPTIONS);
    const before = run.takeRequests();
    advance(run);
    const first = run.takeRequests();
    const between = run.takeRequests();
    for (const { effect } of first) settle(run, effect, printed(''));
    advance(run);
    expect([before, between]).toEqual([[], []]);
    expect([first, run.takeRequests()].map((list) => list.map((one) => 'text' in one && one.text))).toEqual([
      ['a'],
      ['b'],
    ]);
  });
});

describe('agents', () => {
  const agent = (more: Partial<Extract<Code, { op: 'agent' }>> = {}): Code => ({
    op: 'agent',
    agent: 'scout',
    prompt: ['Look at ', hole(constant('src'))],
    args: [
      { name: 'files', value: constant(['a']) },
      { name: 'note', value: constant('n') },
    ],
    ok: [0],
    reading: 'do',
    bind: { slot: 0 },
    text: 'Task(scout) …',
    ...more,
  });
  const program = machine({ A: { locals: ['x'], code: [agent(), done(local(0))] } });
  const result = (more: object) =>
    `{"type":"system"}\n${JSON.stringify({ type: 'result', result: 'found', total_cost_usd: 0.25, num_turns: 3, session_id: 's', usage: { input_tokens: 10, output_tokens: 5, cache_read_input_tokens: 2 }, ...more })}\n`;

  test('the prompt ends with the values', () => {
    const { events } = execute(program, { scout: 'ok' });
    expect(events.find(({ type }) => type === 'effect_requested')).toMatchObject({
      prompt: 'Look at src\n\nfiles: ["a"]\nnote: n',
      tool: 'scout',
    });
  });

  test('a result object gives text, cost and tokens; plain output is the answer', () => {
    const { run, events } = execute(program, { scout: result({}) });
    expect(run.result?.value).toBe('found');
    expect([run.usage.cost, run.usage.tokens]).toEqual([0.25, { in: 10, out: 5, cache_read: 2, cache_write: 0 }]);
    expect(events.find(({ type }) => type === 'effect_settled')).toMatchObject({
      outcome: { cost: 0.25, session_id: 's', turns: 3 },
    });
    const plain = execute(program, { scout: '{"a":1}\n' }).run;
    expect([plain.result?.value, plain.usage.cost]).toEqual([{ a: 1 }, null]);
    expect(execute(program, { scout: { kind: 'value', value: 'x' } }).run.usage.cost).toBe(0);
  });

  test('an agent that reported an error has failed', () => {
    const said = 'FAILED tool_failure: no budget';
    expect(execute(program, { scout: result({ is_error: true, result: 'no budget' }) }).lines.at(-1)).toBe(said);
    expect(execute(program, { scout: printed(result({ is_error: true, result: 'no budget' }), 1) }).lines.at(-1)).toBe(
      said,
    );
  });

  test('cost and tokens have limits that end the run', () => {
    const error = { ...machine({ A: { locals: ['x'], code: [agent(), done()] }, ERROR: errorState() }) };
    expect(execute(error, { scout: result({}) }, { limits: { cost: 0.2 } }).lines).toEqual([
      'STATE A',
      'BUDGET cost 0.2 0.25',
      'FAILED limit: the limit of 0.2 US dollars is exceeded (0.25)',
    ]);
    expect(execute(error, { scout: result({}) }, { limits: { tokens: 14 } }).lines.at(-1)).toBe(
      'FAILED limit: the limit of 14 tokens is exceeded (15)',
    );
  });

  test('of two limits that are exceeded at once, the first ends the run', () => {
    expect(execute(program, { scout: result({}) }, { limits: { cost: 0.2, tokens: 14 } }).lines).toEqual([
      'STATE A',
      'BUDGET cost 0.2 0.25',
      'FAILED limit: the limit of 0.2 US dollars is exceeded (0.25)',
    ]);
  });

  test('a call that timed out has cost what it reported, and one that never began cost nothing', () => {
    const timedOut = { ...printed(''), kind: 'timed-out', timeout_ms: 1 } as unknown as Outcome;
    expect(costOf({ ...timedOut, cost: 0.5 } as Outcome)).toBe(0.5);
    expect(costOf(timedOut)).toBeNull();
    expect(costOf({ kind: 'not-started', reason: 'no program' })).toBe(0);
    expect(costOf({ kind: 'failed', message: 'broken' })).toBeNull();
  });

  test('what is used up exactly is within its limit', () => {
    const program = machine({ A: { locals: ['x'], code: [agent(), goto(1)] }, B: { code: [done()] } });
    for (const limits of [{ cost: 0.25 }, { tokens: 15 }, { transitions: 1 }])
      expect(execute(program, { scout: result({}) }, { limits }).lines.at(-1)).toBe('RETURN null');
    expect(execute(program, { scout: result({}) }, { limits: { transitions: 0 } }).lines.at(-1)).toBe(
      'FAILED limit: the limit of 0 transitions is exceeded',
    );
  });
});

describe('failures', () => {
  test('go to ERROR with the whole contract, and RETURN there fails the run', () => {
    const program = machine({ A: { code: [shell('tool x')] }, ERROR: errorState() });
    const { run, lines } = execute(program, { 'tool x': fail });
    const contract = {
      error_type: 'tool_failure',
      tool: 'tool',
      error: 'no luck',
      exit_code: 3,
      from_state: 'A',
      line: 1,
      file: 'test.dsl',
    };
    expect(lines).toEqual([
      'STATE A',
      'TOOL_FAILURE {"tool":"tool","error":"no luck","exit":3}',
      `STATE ERROR ${JSON.stringify(contract)}`,
      'FAILED tool_failure: no luck',
    ]);
    expect(run.result).toEqual({
      status: 'failed',
      value: 'no luck',
      state: 'ERROR',
      error: {
        kind: 'tool_failure',
        message: 'no luck',
        state: 'A',
        line: 1,
        file: 'test.dsl',
        tool: 'tool',
        exit_code: 3,
      },
    });
  });

  test('a run that leaves ERROR again returns', () => {
    const program = machine({
      A: { code: [shell('x')] },
      ERROR: errorState([goto(2)]),
      B: { code: [done(constant(1))] },
    });
    expect(execute(program, { x: fail }).run.result).toEqual({ status: 'returned', value: 1, error: null, state: 'B' });
  });

  test('in ERROR, or without it, they end the run where they are', () => {
    const program = machine({ A: { code: [shell('x')] }, ERROR: errorState([shell('y')]) });
    const { run } = execute(program, { x: fail, y: printed('', 5) });
    expect(run.result?.error).toMatchObject({ state: 'ERROR', exit_code: 5, message: 'exit 5' });
    expect(run.states).toEqual(['A', 'ERROR']);
    const alone = execute(machine({ A: { code: [shell('x')] } }), { x: fail }).run;
    expect([alone.result?.state, alone.states]).toEqual(['A', ['A']]);
  });

  test('GOTO ERROR takes what it passes and forgets the rest', () => {
    const program = machine({
      A: { code: [shell('x')] },
      ERROR: errorState([goto(2)]),
      B: { code: [goto(1, { error: constant('mine') })] },
    });
    const twice = machine({ ...{ A: { code: [goto(1, { error: constant('mine') })] } }, ERROR: errorState() });
    expect(execute(twice).run.result?.error).toMatchObject({ kind: 'failed', message: 'mine', state: 'A', line: 1 });
    expect(execute(program, { x: fail }, { limits: { transitions: 3 } }).lines).toContain(
      'STATE ERROR {"error":"mine"}',
    );
  });

  test('the built-in ERROR reports the failure and fails', () => {
    const program = machine({
      A: { code: [goto(1, { why: constant('w') })] },
      ERROR: { builtin: true, entry: ['why'], code: [] },
    });
    const { run, lines } = execute(program);
    expect(lines).toEqual([
      'STATE A',
      'STATE ERROR {"why":"w"}',
      'ERROR {"error_type":"failed","why":"w","from_state":"A","line":1}',
      'FAILED failed: why=w',
    ]);
    expect(run.states).toEqual(['A', 'ERROR']);
  });

  test('ON ERROR: the first that fits, with the contract; a failure inside goes to ERROR', () => {
    const names = { error_type: 0, error: 1 };
    const program = machine({
      A: {
        locals: ['t', 'e'],
        handlers: [
          { from: 0, to: 1, kind: 'timeout', pc: 2, names },
          { from: 0, to: 3, kind: null, pc: 3, names },
        ],
        code: [
          shell('x'),
          { op: 'fell-off' },
          done(constant('timeout')),
          say(hole(local(0)), ' ', hole(local(1))),
          shell('y'),
          done(),
        ],
      },
      ERROR: errorState(),
    });
    expect(execute(program, { x: fail }).lines).toEqual([
      'STATE A',
      'TOOL_FAILURE {"tool":"x","error":"no luck","exit":3}',
      '"tool_failure no luck"',
      'RETURN null',
    ]);
    expect(execute(program, { x: fail, y: printed('', 9) }).run.result?.error).toMatchObject({ message: 'exit 9' });
    const output = { stdout: { text: '', bytes: 0 }, stderr: '', duration_ms: 1 };
    expect(execute(program, { x: { kind: 'timed-out', timeout_ms: 90_000, ...output } }).run.result?.value).toBe(
      'timeout',
    );
  });

  test('falling off, conditions, and loops over a value that is not a list', () => {
    const one = (code: Code) =>
      execute(machine({ A: { locals: ['a', 'b', 'c'], code: [code, done()] } })).run.result?.error;
    expect(one({ op: 'fell-off' })).toMatchObject({
      kind: 'fell_off',
      message: 'the state `A` ended without GOTO or RETURN',
    });
    expect(one({ op: 'unless', condition: constant('x'), to: 1, text: 'name' })?.message).toBe(
      'the condition `name` is text, not true or false; test it with `is not empty`, or compare it',
    );
    expect(one({ op: 'each', list: constant({ a: 1 }), items: 0, index: 1 })?.message).toBe(
      'FOR EACH needs a list, not an object; `keys(…)` and `values(…)` give lists of it',
    );
    expect(one(shell('x', { timeout: ['30'] }))?.message).toBe(
      'the timeout: it has no unit; write a number and `ms`, `s`, `m`, `h` or `d`, as in `30s`',
    );
    expect(one({ op: 'increment', to: { in: 'local', slot: 0 }, name: 'n', by: constant(1) })?.message).toMatch(
      /^`n` has no value here/,
    );
  });
});

describe('limits', () => {
  test('the initial entry is not a transition, and ERROR is not entered', () => {
    const program = machine({ A: { code: [goto(0)] }, ERROR: errorState() });
    const { run, lines } = execute(program, {}, { limits: { transitions: 2 } });
    expect(run.states).toEqual(['A', 'A', 'A']);
    expect(lines.slice(-2)).toEqual(['BUDGET transitions 2 3', 'FAILED limit: the limit of 2 transitions is exceeded']);
  });

  test('a limit measured outside ends the run and stops what runs', () => {
    const run = startRun(link(machine({ A: { code: [shell('x')] } })), OPTIONS);
    drive(run, { answer: () => null } as unknown as World);
    exceed(run, 'time', 1000, 1200);
    expect(run.takeCancellations()).toEqual(['1']);
    expect(run.result?.error).toMatchObject({ kind: 'limit', message: 'the limit of 1000 ms is exceeded (1200)' });
  });
});

describe('loops', () => {
  test('FOR EACH goes through the list as it was at the start', () => {
    const program = machine({
      A: {
        locals: ['$items', '$index', 'x', 'xs'],
        code: [
          set(3, constant([1, 2])),
          { op: 'each', list: local(3), items: 0, index: 1 },
          { op: 'next', items: 0, index: 1, variable: 2, exit: 6 },
          say('item ', hole(local(2))),
          set(3, { op: 'arithmetic', operator: '+', left: local(3), right: { op: 'list', items: [local(2)] } }),
          { op: 'jump', to: 2 },
          done({ op: 'list', items: [local(3), call('default', local(2), constant('unbound'))] }),
        ],
      },
    });
    expect(execute(program).lines).toEqual(['STATE A', '"item 1"', '"item 2"', 'RETURN [[1,2,1,2],"unbound"]']);
  });
});

test('a run without a record does the same and says nothing', () => {
  const setTracked: Code = { op: 'set', to: { in: 'tracked', slot: 0 }, name: 't', value: local(0) };
  const program = machine(
    {
      A: { locals: ['a'], code: [shell('one', { bind: { slot: 0 }, reading: 'do' }), say('E'), setTracked, goto(1)] },
      B: { code: [done(constant(1))] },
    },
    { tracked: ['t'] },
  );
  const world = (record: boolean) => {
    const run = startRun(link(program), { ...OPTIONS, record });
    const events = [...run.takeEvents()];
    while (advance(run) === 'more');
    const [request] = run.takeRequests();
    settle(run, request?.effect ?? '', printed('x'));
    while (advance(run) === 'more');
    return { result: run.result, effect: request?.effect, events: [...events, ...run.takeEvents()].length };
  };
  const [recorded, quiet] = [world(true), world(false)];
  expect(recorded.events).toBeGreaterThan(5);
  expect(quiet).toEqual({ ...recorded, events: 0 });
});
