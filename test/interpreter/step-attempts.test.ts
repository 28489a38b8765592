/** The attempts of a step: what each begins with, what decides it, and what the next one does differently. */
import { describe, expect, test } from 'vitest';
import { agentLookup } from '../../src/app/project/settings.js';
import type { Outcome, RunEvent } from '../../src/interpreter/events/event.js';
import { grant } from '../../src/interpreter/run.js';
import { noConfiguration } from '../../src/runtime/configuration/load-configuration.js';
import { printed } from './machine-builder.js';
import { ScriptedProgram } from './scripted-program.js';

const agents = { worker: { adapter: 'fake' }, helper: { adapter: 'fake' } };
const lookups = { agents: agentLookup({ ...noConfiguration, agents } as typeof noConfiguration, {}) };
const start = (text: string, base?: string) =>
  new ScriptedProgram(text, {
    ...{ restored: false, lookups, clockMs: 1000 },
    ...(base === undefined ? {} : { run: { worktree: { base } } }),
  });
const said = (text: string, more: object = {}) => ({ ...printed(text), session_id: 's1', cost: 0.5, ...more });
const changed = (commit: string, ...files: string[]) =>
  ({ kind: 'changed', commit, files, stdout: { text: `diff of ${commit}`, bytes: 10 } }) as unknown as Outcome;
const ofType = <K extends RunEvent['type']>({ events }: ScriptedProgram, type: K) =>
  events.filter((event): event is Extract<RunEvent, { type: K }> => event.type === type);
const retries = (run: ScriptedProgram): string[] => run.lines.filter((line) => line.startsWith('RETRY'));

/** A step of an agent with one gate. */
const step = (retry = '', returned = 'well'): string =>
  `STEP: one type=artifact\n  AGENT: worker\n  PROMPT: "Do it."\n  GATE: bash "check" as g\n${retry}RETURN: "${returned}"\n`;
const RETRY = (...entries: string[]): string => `  RETRY:\n${entries.map((one) => `    ${one}\n`).join('')}`;

describe('without RETRY', () => {
  test('there is one attempt, and its failure names the step and the gate', () => {
    const run = start(`${step()}ON ERROR: → RETURN: "{error_type} {error}"\n`);
    run.end('agent worker', said('done')).fail('check', 'wrong');
    expect(run.calls).toHaveLength(1);
    expect(ofType(run, 'step_completed')).toMatchObject([
      { step: 'one', attempt: 1, status: 'fatal', retries: 0, cost: 0.5 },
    ]);
    expect(run.lines.at(-1)).toBe('RETURN "gate_failed step `one` failed: gate `g`: wrong"');
  });

  test('an agent that fails ends the step without its gates', () => {
    const run = start(step()).end('agent worker', printed('', 1, 'no such model'));
    expect(run.waiting).toEqual([]);
    expect(ofType(run, 'gate_result')).toEqual([]);
    expect(run.run.result?.error?.message).toContain('step `one` failed: ');
    expect(run.run.result?.error?.message).toContain('no such model');
  });

  test('an attempt that the user grants is made', () => {
    const run = start(step());
    grant(run.run, [{ step: 'one', attempt: 1 }]);
    run.end('agent worker', said('done')).fail('check', 'wrong');
    expect(run.calls).toHaveLength(2);
    run.end('agent worker', said('done')).end('check');
    expect(ofType(run, 'step_completed')).toMatchObject([{ attempt: 2, status: 'pass', retries: 1, cost: 1 }]);
  });
});

describe('a retry', () => {
  test('keeps its changes for all later attempts', () => {
    const run = start(step(RETRY('ATTEMPT 2 → AGENT helper', 'ATTEMPT 3 → PROMPT "Again."', 'EXIT 4')));
    for (const agent of ['worker', 'helper', 'helper']) run.end(`agent ${agent}`, said('done')).fail('check');
    expect(run.calls.map(({ agent }) => agent)).toEqual(['worker', 'helper', 'helper', 'helper']);
    expect(run.calls[3]?.prompt).toMatch(/^Again\./);
    expect(retries(run)).toEqual([
      'RETRY one 2 [0] {"agent":"helper","session":"new"}',
      'RETRY one 3 [0,1] {"agent":"helper","prompt":"Again.","session":"new"}',
      'RETRY one 4 [0,1] {"agent":"helper","prompt":"Again.","session":"new"}',
    ]);
  });

  test('with the agent that it has continues the session', () => {
    const run = start(step(RETRY('ATTEMPT 2 → AGENT worker', 'EXIT 2')));
    run.end('agent worker', said('done')).fail('check');
    expect(run.calls[1]).toMatchObject({ agent: 'worker', session: 's1' });
    expect(retries(run)).toEqual(['RETRY one 2 [0] {"agent":"worker"}']);
  });

  test('that begins anew has no session, with the same agent too', () => {
    const run = start(step(RETRY('ATTEMPT 2 → SESSION new', 'EXIT 2')));
    run.end('agent worker', said('done')).fail('check');
    expect(run.calls[1]?.session).toBeUndefined();
  });

  test('that depends on a gate looks at the last attempt only', () => {
    const run = start(step(RETRY('NOT gate.g → PROMPT "Mind the gate."', 'EXIT 4')));
    run.end('agent worker', said('done')).fail('check');
    run.end('agent worker', printed('', 1, 'crashed'));
    run.end('agent worker', said('done'));
    expect(retries(run)).toEqual([
      'RETRY one 2 [0] {"prompt":"Mind the gate."}',
      'RETRY one 3 [] {"prompt":"Mind the gate."}',
    ]);
  });

  test('learns all that the gate printed', () => {
    const run = start(step(RETRY('EXIT 2')));
    run.end('agent worker', said('done')).end('check', printed('out\n', 1, 'err\n'));
    expect(run.calls[1]?.prompt).toContain('### What went wrong\n\nerr\nout');
  });

  test('learns at most 2000 characters of what a gate printed', () => {
    const run = start(step(RETRY('EXIT 2')));
    run.end('agent worker', said('done')).fail('check', 'x'.repeat(2500));
    expect(run.calls[1]?.prompt?.split('### What went wrong\n\n')[1]).toHaveLength(2000);
  });

  test('reads what the attempt before it left, and its keys are those of this attempt', () => {
    const prompt = 'ATTEMPT 2 → PROMPT "{prev.output} {prev.gate.g} {attempt}"';
    const run = start(step(RETRY(prompt, 'EXIT 2'), '{one.output} {one.gate.g} {one.retries}'));
    run.end('agent worker', said('bad')).fail('check').end('agent worker', said('good'));
    expect(run.calls[1]?.prompt).toMatch(/^bad false 2/);
    run.end('check');
    expect(run.lines.at(-1)).toBe('RETURN "good true 1"');
  });
});

test('a step that is executed again has nothing of the last time', () => {
  const run = start(`STATE: A
  TRACK: n
  INCREMENT: n
  STEP: one type=artifact
    AGENT: worker
    PROMPT: "[{prev.output}]"
    GATE: bash "check" as g
    RETRY:
      EXIT 2
  IF: n < 2 → GOTO: A
  RETURN: {one.output}
`);
  run.end('agent worker', said('bad')).fail('check').end('agent worker', said('good')).end('check');
  expect(run.calls.map(({ prompt }) => prompt.split('\n')[0])).toEqual(['[]', '[bad]', '[]']);
});

test('a step without an answer of its own does not have that of a command before it', () => {
  const run = start('DO: before\nSTEP: one type=artifact\n  IF: 1 == 2 → DO: never\nRETURN: "[{one.output}]"\n');
  run.end('before', 'old');
  expect(run.lines.at(-1)).toBe('RETURN "[]"');
});

test('the session of another step is continued in a fork, and then it is a session of its own', () => {
  const run = start(`STEP: one type=artifact
  AGENT: worker
  PROMPT: "Begin."
STEP: two type=artifact
  AGENT: worker
  SESSION: from=one
  PROMPT: "Continue."
  GATE: bash "check"
  RETRY:
    ATTEMPT 3 → AGENT helper
    EXIT 3
RETURN: over
`);
  run.end('agent worker', said('begun', { adapter: 'fake' }));
  expect(run.calls[1]).toMatchObject({ session: 's1', sessionAdapter: 'fake', fork: true });
  run.end('agent worker', said('done', { session_id: 's2' })).fail('check');
  expect(run.calls[2]).toMatchObject({ session: 's2' });
  expect(run.calls[2]).not.toHaveProperty('fork');
  run.end('agent worker', said('done', { session_id: 's2' })).fail('check');
  expect(run.calls[3]).not.toHaveProperty('session');
  expect(run.calls[3]).not.toHaveProperty('fork');
});

describe('a step that changes files', () => {
  const code = (more = '', work = '  AGENT: worker\n  PROMPT: "Do it."\n') =>
    `STEP: one type=code\n${work}  GATE: bash "check" as g\n${more}RETURN: "{one.files} {one.output}"\n`;

  test('is asked for all its changes, and a retry may take them back', () => {
    const run = start(code(RETRY('ATTEMPT 3 → WORKTREE reset', 'EXIT 3')), 'c0');
    run
      .end('agent worker', said('done'))
      .end('worktree', changed('c1', 'a', 'b'))
      .fail('check');
    run.end('agent worker', said('more')).end('worktree', changed('c2', 'a')).fail('check');
    run.end('worktree', changed('c0')).end('agent worker', said('last')).end('worktree', changed('c3', 'z'));
    expect(run.actions).toEqual([
      { do: 'snapshot', onto: 'c0', from: 'c0', label: 'one, attempt 1' },
      { do: 'snapshot', onto: 'c1', from: 'c0', label: 'one, attempt 2' },
      { do: 'reset', to: 'c0' },
      { do: 'snapshot', onto: 'c0', from: 'c0', label: 'one, attempt 3' },
    ]);
    run.end('check');
    expect(run.lines.at(-1)).toBe('RETURN "z diff of c3"');
  });

  test('does not count what a command changed before it', () => {
    const run = start(`DO: before\n${code()}`, 'c0').end('before');
    expect(run.actions).toEqual([{ do: 'snapshot', onto: 'c0', from: 'c0', label: 'before one' }]);
    run.end('worktree', changed('c1')).end('agent worker', said('done'));
    expect(run.actions[1]).toEqual({ do: 'snapshot', onto: 'c1', from: 'c1', label: 'one, attempt 1' });
  });

  test('and has only gates is not asked for changes', () => {
    const run = start('DO: before\nSTEP: one\n  GATE: bash "check" as g\nRETURN: over\n', 'c0').end('before');
    expect(run.actions).toEqual([]);
    expect(run.end('check').lines.at(-1)).toBe('RETURN over');
  });

  test('loses what its agent did beyond a guard', () => {
    const run = start(code(RETRY('EXIT 2')), 'c0');
    run.end('agent worker', said('half', { guard: { name: 'max_turns', limit: 1 }, exit: 1 }) as unknown as Outcome);
    expect(run.actions).toEqual([{ do: 'reset', to: 'c0' }]);
  });

  const BROKEN: readonly Outcome[] = [
    { kind: 'failed', message: 'no room', error_type: 'worktree' },
    { kind: 'not-started', reason: 'no room', error_type: 'worktree' },
  ];

  test.each(BROKEN)('fails where its worktree does: $kind', (outcome) => {
    const tasks = 'STEP: plan type=split\n  AGENT: helper\n  PROMPT: "Split."\n  EACH [parallel]:\n';
    const each = `${tasks}${code().split('RETURN')[0]?.replace(/^/gm, '    ').trimEnd()}\nRETURN: over\n`;
    const split = () =>
      start(each, 'c0').end('agent helper', said('[{"name": "t", "description": "d"}]')).end('worktree', changed('c1'));
    const opened = { kind: 'value', value: { directory: '/t' } } as const;
    const moments = {
      'before its first attempt': start(`DO: before\n${code()}`, 'c0').end('before'),
      'after an attempt': start(code(), 'c0').end('agent worker', said('done')),
      'before a retry': start(code(RETRY('ATTEMPT 2 → WORKTREE reset', 'EXIT 2')), 'c0')
        .end('agent worker', said('done'))
        .end('worktree', changed('c1', 'a'))
        .fail('check'),
      'of a task': split(),
      'when the tasks are merged': split()
        .end('worktree', opened)
        .end('agent worker', said('done'))
        .end('worktree', changed('c2', 'a'))
        .end('check'),
    };
    const failures = Object.entries(moments).map(([moment, run]) => [
      moment,
      run.actions.at(-1)?.do,
      run.end('worktree', outcome).lines.at(-1),
    ]);
    expect(failures).toMatchInlineSnapshot(`
      [
        [
          "before its first attempt",
          "snapshot",
          "FAILED worktree: no room",
        ],
        [
          "after an attempt",
          "snapshot",
          "FAILED worktree: no room",
        ],
        [
          "before a retry",
          "reset",
          "FAILED worktree: no room",
        ],
        [
          "of a task",
          "fork",
          "FAILED worktree: no room",
        ],
        [
          "when the tasks are merged",
          "merge",
          "FAILED worktree: no room",
        ],
      ]
    `);
  });

  test('has what its gates may compare', () => {
    const gates = '  GATE: touched "src/**", untouched "test/**"\n';
    const passes = (...files: string[]) => {
      const run = start(`STEP: one type=code\n  AGENT: worker\n  PROMPT: "Do it."\n${gates}RETURN: over\n`, 'c0');
      run.end('agent worker', said('done')).end('worktree', changed('c1', ...files));
      return ofType(run, 'gate_result').map(({ pass, message }) => message ?? pass);
    };
    expect(passes('src/a')).toEqual([true, true]);
    expect(passes('a')).toEqual(['no file that matches `src/**` was changed', true]);
    expect(passes('src/a', 'test/a')).toEqual([true, 'these files must not change: test/a']);
  });
});

describe('what an agent reports', () => {
  const failing = (more: object) => ({ ...printed('', 1, 'busy'), session_id: 's1', ...more }) as unknown as Outcome;

  test('counts, although its call is made again because its service was not there', () => {
    const run = start(step());
    const unavailable = { until_ms: 5000, at_ms: 1000, message: 'busy' };
    run
      .end('agent worker', failing({ unavailable, cost: 0.25, turns: 2 }))
      .end('timer', { kind: 'value', value: 5000 });
    expect(run.calls).toHaveLength(2);
    expect(run.calls[1]).toMatchObject({ session: 's1' });
    expect(run.calls[1]?.prompt).not.toBe(run.calls[0]?.prompt);
    run.end('agent worker', said('done')).end('check');
    expect(ofType(run, 'step_completed')).toMatchObject([{ attempt: 1, status: 'pass', cost: 0.75 }]);
  });

  test('is unknown if one call without a cost makes it so', () => {
    const run = start(step(RETRY('EXIT 2')));
    run
      .end('agent worker', printed('done'))
      .fail('check')
      .end('agent worker', said('done', { cost: 0 }))
      .end('check');
    expect(ofType(run, 'step_completed')).toMatchObject([{ status: 'pass', cost: null }]);
  });

  test('of tools that it was not allowed is of its last attempt', () => {
    const returned = '{one.denied}';
    const denied = [{ tool: 'Bash', input: 'rm x' }, { tool: 'Write' }];
    const once = start(step('', returned)).end('agent worker', said('done', { denied })).end('check');
    expect(once.lines.at(-1)).toBe('RETURN "Bash rm x\\nWrite"');
    const again = start(step(RETRY('EXIT 2'), returned))
      .end('agent worker', said('done', { denied }))
      .fail('check');
    expect(again.end('agent worker', said('done')).end('check').lines.at(-1)).toBe('RETURN ""');
  });

  test('may be that it could not continue the session', () => {
    const run = start(step(RETRY('EXIT 3')));
    run.end('agent worker', said('done')).fail('check');
    run.end('agent worker', { ...printed('done'), session_of: 'other', adapter: 'fake' } as unknown as Outcome);
    expect(run.lines).toContain('WARN `one` starts a new session, because `fake` cannot continue a session of `other`');
    run.fail('check');
    expect(run.calls[2]).not.toHaveProperty('session');
  });
});

test('an agent that was interrupted learns that it may have begun', () => {
  const run = new ScriptedProgram(step(), { restored: true, lookups, clockMs: 1000 });
  expect(run.repeated).toMatchObject([{ kind: 'agent', again: true }]);
  expect(run.calls[0]).not.toHaveProperty('again');
});

test('an agent without a prompt gets the inputs, and no secret one', () => {
  const run = new ScriptedProgram(
    'INPUT: topic\nINPUT: token (secret)\nSTEP: one type=artifact\n  AGENT: worker\nRETURN: over\n',
    { restored: false, lookups, clockMs: 1000, run: { inputs: { topic: 'birds', token: 'hunter2' } } },
  );
  expect(run.calls[0]?.prompt).toContain('birds');
  expect(run.calls[0]?.prompt).not.toContain('hunter2');
});

describe('a gate that cannot be asked', () => {
  test.each([
    ['bash "check {x.missing}" as g', 'missing'],
    ['expr "{x.missing} == 1" as g', 'missing'],
  ])('%s fails the attempt and not the run', (gate, why) => {
    const run = start(`TRACK: x = {"a": 1}\n${step().replace('bash "check" as g', gate)}`);
    run.end('agent worker', said('done'));
    expect(ofType(run, 'gate_result')).toMatchObject([
      { gate: 'g', pass: false, message: expect.stringContaining(why) },
    ]);
    expect(run.run.result?.error?.kind).toBe('gate_failed');
  });
});

test('what a command of a gate leaves behind is not a change of the next step', () => {
  const one = (name: string) =>
    `STEP: ${name} type=code\n  AGENT: worker\n  PROMPT: "Do it."\n  GATE: bash "check" as g\n`;
  const run = start(`${one('one')}${one('two')}RETURN: over\n`, 'c0');
  run.end('agent worker', said('done')).end('worktree', changed('c1')).end('check');
  expect(run.actions.at(-1)).toEqual({ do: 'snapshot', onto: 'c1', from: 'c1', label: 'before two' });
});
