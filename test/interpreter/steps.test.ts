/** Steps, gates and retries by hand: what the next prompt says, which session continues, and which keys are written. */
import { describe, expect, test } from 'vitest';
import { agentLookup } from '../../src/app/project/settings.js';
import type { Outcome } from '../../src/interpreter/events/event.js';
import { costOfTally, costText } from '../../src/interpreter/steps/keys.js';
import { noConfiguration } from '../../src/runtime/configuration/load-configuration.js';
import { printed } from './machine-builder.js';
import { ScriptedProgram } from './scripted-program.js';

const agents = { worker: { adapter: 'fake' }, helper: { adapter: 'fake' } };
const lookups = { agents: agentLookup({ ...noConfiguration, agents } as typeof noConfiguration, {}) };
const said = (text: string, more: object = {}) => ({ ...printed(text), session_id: 's1', cost: 0.5, ...more });

describe.each([
  { mode: 'as it is', restored: false },
  { mode: 'restored after each step', restored: true },
])('a step in a run $mode', ({ restored }) => {
  const start = (text: string) => new ScriptedProgram(text, { restored, lookups, clockMs: 1000 });

  test('the text of the failed gates is in the next prompt, and the answer is in the keys', () => {
    const run = start(`STEP: one type=artifact
  AGENT: worker
  PROMPT: "Do it."
  GATE: bash "check one" as first
  GATE: bash "check two" as second
  RETRY:
    EXIT 3
RETURN: "{one.output} {one.status} {one.attempt} {one.gate.first} {one.gate.second}"
`);
    expect(run.calls.map(({ prompt }) => prompt)).toEqual(['Do it.']);
    run.end('agent worker', said('done')).fail('check one', 'one is wrong').fail('check two', 'two is wrong');
    expect(run.calls[1]).toMatchObject({
      session: 's1',
      prompt: `Do it.

## The attempt before this one did not pass
This is attempt 2; 1 more is left after it.

### What went wrong

first:
one is wrong

second:
two is wrong`,
    });
    run.end('agent worker', said('again')).end('check one').fail('check two', 'still wrong');
    expect(run.calls[2]?.prompt).toContain('This is attempt 3; it is the last one.');
    expect(run.calls[2]?.prompt).toContain('### What went wrong\n\nstill wrong');
    run.end('agent worker', said('at last')).end('check one').end('check two');
    expect(run.lines.at(-1)).toBe('RETURN "at last pass 3 true true"');
  });

  test('an agent that cannot be used is called again in the same attempt, and its cost counts', () => {
    const run = start(`STEP: one type=artifact
  AGENT: worker
  PROMPT: "Do it."
  RETRY:
    EXIT 2
RETURN: "{one.cost} {one.attempt} {one.session_id}"
`);
    const away = (untilMs: number | null, turns?: number) => ({
      ...printed('', 1),
      unavailable: { cause: 'usage', message: 'away', at_ms: 5000, until_ms: untilMs, account: 'a' },
      session_id: 's9',
      turns,
      cost: 0.25,
    });
    run.end('agent worker', away(null) as Outcome);
    const retried = { effect: '2', attempt: 1, error: 'away', delay_ms: 1000, until_ms: 6000, account: 'a' };
    expect(run.events.filter(({ type }) => type === 'effect_retried')).toEqual([
      { type: 'effect_retried', ...retried },
    ]);
    expect(run.requests.at(-1)).toMatchObject({ kind: 'timer', ms: 1000, until: 6000 });
    run.end('timer', { kind: 'value', value: 6000 });
    expect(run.calls.at(-1)).toMatchObject({ waits: 1, attempt: 1, stepAttempt: 1 });
    expect(run.calls.at(-1)?.session).toBeUndefined();
    run.end('agent worker', away(9000, 2) as Outcome);
    expect(run.requests.at(-1)).toMatchObject({ kind: 'timer', ms: 4000, until: 9000 });
    // It had done something, so its session continues.
    run.end('timer', { kind: 'value', value: 9000 });
    expect(run.calls.at(-1)).toMatchObject({ waits: 2, session: 's9' });
    run.end('agent worker', said('done'));
    expect(run.lines.at(-1)).toBe('RETURN "1.00 1 s1"');
  });

  test('the output of a step is that of its last command, and members of a PARALLEL have none', () => {
    const body = 'STEP: one type=artifact\n  DO: first\n';
    const returned = 'RETURN: "[{one.output}]"\n';
    expect(
      start(body + returned)
        .end('first', 'a')
        .lines.at(-1),
    ).toBe('RETURN "[a]"');
    const members = '  DO: in PARALLEL\n    - second\n';
    expect(
      start(body + members + returned)
        .end('first', 'a')
        .end('second', 'b')
        .lines.at(-1),
    ).toBe('RETURN "[]"');
  });

  test('another agent learns that it takes over, in a session of its own', () => {
    const run = start(`STEP: one type=artifact
  AGENT: worker
  PROMPT: "Do it."
  GATE: bash "check"
  RETRY:
    ATTEMPT 2 → AGENT helper
    EXIT 2
RETURN: "{one.agent} {one.status}"
`);
    run.end('agent worker', said('done')).fail('check', 'wrong');
    expect(run.calls[1]?.agent).toBe('helper');
    expect(run.calls[1]?.session).toBeUndefined();
    expect(run.calls[1]?.prompt).toContain('The attempt before was made by worker; you are helper and take over.');
    run.end('agent helper', said('better')).fail('check', 'wrong');
    expect(run.lines.filter((line) => line.startsWith('DONE'))).toEqual(['DONE one fatal 2 1']);
  });

  test('an answer that cannot be used is asked for once more, in the same session', () => {
    const run = start(`STEP: plan type=split
  AGENT: worker
  PROMPT: "Split it."
RETURN: {plan.output}
`);
    expect(run.calls[0]?.prompt).toMatch(/^Split it\.\n\nAnswer with a JSON list of tasks and nothing else:/);
    run.end('agent worker', said('no list'));
    expect(run.calls[1]?.prompt).toMatch(/^Your answer cannot be used: .*\n\nAnswer with a JSON list/s);
    expect(run.calls[1]?.session).toBe('s1');
    run.end('agent worker', said('Here: [{"name": "a", "description": "say \\"]\\" twice"}] as asked'));
    expect(JSON.parse(JSON.parse(run.lines.at(-1)?.slice('RETURN '.length) ?? ''))).toEqual([
      { name: 'a', description: 'say "]" twice', files: [] },
    ]);
  });

  test('names of tasks are unique', () => {
    const run = start(`STEP: plan type=split
  AGENT: worker
  PROMPT: "Split it."
RETURN: {plan.output}
`);
    run.end('agent worker', said('[{"name": "a", "description": "x"}, {"name": "a", "description": "y"}]'));
    expect(run.calls[1]?.prompt).toMatch(/^Your answer cannot be used: .*`a`/);
  });

  test('a later prompt continues the session that a step names', () => {
    const run = start(`STEP: one type=artifact
  AGENT: worker
  PROMPT: "Begin."
STEP: two type=artifact
  AGENT: worker
  SESSION: from=one
  PROMPT: "Continue."
RETURN: over
`);
    run.end('agent worker', said('begun'));
    expect(run.calls[1]).toMatchObject({ prompt: 'Continue.', session: 's1' });
    run.end('agent worker', said('done'));
    expect(run.lines.at(-1)).toBe('RETURN over');
  });

  test('a step begins at the commit of the step before it', () => {
    const text = ['one', 'two']
      .map((name) => `STEP: ${name} type=code\n  AGENT: worker\n  PROMPT: "Do it."\n`)
      .join('');
    const run = new ScriptedProgram(`${text}RETURN\n`, {
      ...{ restored, lookups, clockMs: 1000 },
      run: { worktree: { base: 'c0' } },
    });
    const changed = (commit: string) =>
      ({ kind: 'changed', commit, files: ['a'], stdout: { text: 'diff', bytes: 4 } }) as unknown as Outcome;
    run.end('agent worker', said('done')).end('worktree', changed('c1'));
    run.end('agent worker', said('done'));
    expect(run.actions).toMatchObject([
      { do: 'snapshot', onto: 'c0', from: 'c0' },
      { do: 'snapshot', onto: 'c1', from: 'c1' },
    ]);
    run.end('worktree', changed('c2'));
    expect(run.lines.at(-1)).toBe('RETURN');
  });
});

test.each([
  [null, 'unknown'],
  [0, '0.00'],
  [0.00456, '0.0046'],
  [0.0099, '0.0099'],
  [0.01, '0.01'],
  [0.5, '0.50'],
  [12.345, '12.35'],
])('a cost of %s is %s', (cost, text) => {
  expect(costText(cost)).toBe(text);
});

test('the cost of a step is unknown only if no call reported it', () => {
  const tally = { tokens: null, turns: null };
  const costs = [
    { cost: 0, unknown: true },
    { cost: 0, unknown: false },
    { cost: 1, unknown: true },
  ];
  expect(costs.map((one) => costOfTally({ ...tally, ...one }))).toEqual([null, 0, 1]);
});
