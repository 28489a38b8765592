/** Gates by hand: how the end of a command is judged, what is on record of it, and what the next attempt finds. */
import { describe, expect, test } from 'vitest';
import { agentLookup } from '../../src/app/project/settings.js';
import type { Outcome } from '../../src/interpreter/events/event.js';
import { noConfiguration } from '../../src/runtime/configuration/load-configuration.js';
import { printed } from './machine-builder.js';
import { ScriptedProgram } from './scripted-program.js';

const lookups = { gate: (name: string) => ({ command: `run ${name}`, timeoutMs: 5000 }) };

function begun(gate: string, more = '', restored = false): ScriptedProgram {
  const text = `STEP: one type=artifact\n  DO: work\n  GATE: ${gate}\n${more}RETURN: "{one.output}"\n`;
  return new ScriptedProgram(text, { restored, lookups, clockMs: 1000 });
}

/** What a gate came to: on record, and as `{one.gate.NAME.error}`. */
function judged(gate: string, outcome: Outcome) {
  const run = begun(gate);
  run.end('work', 'done\n').end(run.waiting[0] ?? '', outcome);
  const event = run.events.find(({ type }) => type === 'gate_result');
  if (event?.type !== 'gate_result') throw new Error('the gate has no result');
  return { pass: event.pass, message: event.message, error: run.run.steps.keys.get(`one.gate.${event.gate}.error`) };
}

const exited = (exit: number | null, stdout: string, stderr: string, more: object = {}): Outcome =>
  ({ ...printed(stdout, exit ?? 0, stderr), exit, ...more }) as Outcome;
const passed = { pass: true, message: undefined };

describe('the end of a command', () => {
  test.each([
    ['succeeds', exited(0, 'all is well\n', 'warning\n'), { ...passed, error: '' }],
    ['fails and says why', exited(1, '', 'one\ntwo\n'), { pass: false, message: 'two', error: 'one\ntwo' }],
    ['prints to both', exited(1, 'out\n', 'err\n'), { pass: false, message: 'out', error: 'err' }],
    ['prints only its output', exited(1, 'out\n', ''), { pass: false, message: 'out', error: 'out' }],
    ['says nothing', exited(3, '', ''), { pass: false, message: 'exit 3', error: 'exit 3' }],
    [
      'was killed',
      exited(null, '', '', { signal: 'SIGKILL' }),
      { pass: false, message: 'killed by SIGKILL', error: 'killed by SIGKILL' },
    ],
    ['is a function that says no', { kind: 'value', value: false }, { pass: false, message: 'false', error: 'false' }],
    ['is a function that returns nothing', { kind: 'value', value: null }, { ...passed, error: '' }],
    [
      'cannot be started',
      { kind: 'not-started', reason: 'no bash' },
      { pass: false, message: 'no bash', error: 'no bash' },
    ],
    [
      'is in doubt',
      { kind: 'failed', error_type: 'in_doubt', message: 'unknown' },
      { pass: false, message: 'unknown', error: 'unknown' },
    ],
  ] as [string, Outcome, object][])('that %s', (_, outcome, wanted) => {
    expect(judged('bash "check" as g', outcome)).toEqual(wanted);
  });

  test('that took too long has what it had printed', () => {
    const late = { ...printed('', 0, 'half\n'), kind: 'timed-out', timeout_ms: 5 } as unknown as Outcome;
    expect(judged('bash "check" as g', late)).toEqual({
      ...{ pass: false, message: 'timed out after 5 ms' },
      error: 'half\ntimed out after 5 ms',
    });
  });

  test('whose output is elsewhere has the end of it, and both artifacts are known by that of its errors', () => {
    const stdout = { tail: 'the end\n', bytes: 100_000, artifact: 'o1' };
    const failed = (more: object): Outcome => ({ ...exited(1, '', '', more), stdout }) as Outcome;
    expect(judged('bash "check" as g', failed({}))).toEqual({ pass: false, message: 'the end', error: 'the end' });
    const artifactOf = (outcome: Outcome) => {
      const result = begun('bash "check" as g').end('work', 'done\n').end('check', outcome).events;
      return result.flatMap((event) => (event.type === 'gate_result' ? [event.artifact] : []));
    };
    expect([artifactOf(failed({})), artifactOf(failed({ stderr_artifact: 'e1' }))]).toEqual([['o1'], ['e1']]);
  });

  test('counts as coverage by the last percentage that it printed', () => {
    const coverage = (text: string) => judged('coverage 80', printed(text));
    expect(coverage('a: 20 %\nall: 80%\n')).toMatchObject(passed);
    expect(coverage('a: 90 %\nall: 79.9%\n')).toMatchObject({
      ...{ pass: false, message: 'coverage is 79.9 %, but must be at least 80 %' },
      error: 'a: 90 %\nall: 79.9%\ncoverage is 79.9 %, but must be at least 80 %',
    });
    expect(coverage('done\n').message).toBe('its output contains no percentage of coverage');
    // Read once, and not again from each of its digits: that would take minutes.
    expect(coverage(`${'7'.repeat(300_000)}\nall: 81 %\n`)).toMatchObject(passed);
  });

  test('counts as no tests only if it found none at all', () => {
    const found = (text: string) => judged('tests_found', printed(text)).pass;
    expect([found('no tests found\n'), found('5 passed\n'), found('a: 0 tests passed\nb: 3 tests passed\n')]).toEqual([
      ...[false, true, true],
    ]);
  });
});

test.each([false, true])('a command of a gate is a command of its step (restored: %s)', (restored) => {
  const retry = '  RETRY:\n    EXIT 2\n';
  const run = begun('test, bash "count {one.output}" as count', retry, restored);
  run.end('work', 'done\n');
  const artifacts = { stderr_artifact: 'e1' };
  run.end('run test', exited(1, '', 'bad', artifacts)).end('count done', exited(1, '', 'worse'));
  run.end('work', 'again\n');
  run.end('run test').end('count again');
  const results = run.events.filter((event) => event.type === 'gate_result');
  expect(results.map(({ gate, attempt, pass, artifact }) => [gate, attempt, pass, artifact])).toEqual([
    ['test', 1, false, 'e1'],
    ['count', 1, false, undefined],
    ['test', 2, true, undefined],
    ['count', 2, true, undefined],
  ]);
  expect(run.commands[1]).toMatchObject({ env: { STATEDSL_STEP: 'one' }, timeoutMs: 5000 });
  const requests = run.events.filter((event) => event.type === 'effect_requested' && event.kind === 'shell');
  expect(requests.slice(1, 3)).toMatchObject([{ step: 'one' }, { step: 'one', args: ['done'] }]);
  expect(requests[1]).not.toHaveProperty('args');
  expect(run.run.usage.effects).toBe(6);
  expect(run.lines.at(-1)).toBe('RETURN again');
});

test('gates compare the files that all attempts changed', () => {
  const text = `STEP: one type=code
  AGENT: worker
  PROMPT: "Do it."
  GATE: touched "src/**", untouched "docs/**"
  RETRY:
    EXIT 2
RETURN: "{one.output}"
`;
  const agents = { worker: { adapter: 'fake' } };
  const run = new ScriptedProgram(text, {
    ...{ restored: false, clockMs: 1000, run: { worktree: { base: 'c0' } } },
    lookups: { agents: agentLookup({ ...noConfiguration, agents } as typeof noConfiguration, {}) },
  });
  const changed = (commit: string, files: readonly string[]) =>
    ({ kind: 'changed', commit, files, stdout: { text: `diff ${commit}`, bytes: 7 } }) as unknown as Outcome;
  const results = () =>
    run.events.flatMap((event) => (event.type === 'gate_result' ? [[event.kind, event.pass, event.message]] : []));
  run.end('agent worker', printed('done')).end('worktree', changed('c1', ['docs/a', 'b']));
  expect(results()).toEqual([
    ['touched', false, 'no file that matches `src/**` was changed'],
    ['untouched', false, 'these files must not change: docs/a'],
  ]);
  run.end('agent worker', printed('done')).end('worktree', changed('c2', ['src/a']));
  expect(results().slice(2)).toEqual([
    ['touched', true, undefined],
    ['untouched', true, undefined],
  ]);
  expect(run.actions).toEqual([
    { do: 'snapshot', onto: 'c0', from: 'c0', label: 'one, attempt 1' },
    { do: 'snapshot', onto: 'c1', from: 'c0', label: 'one, attempt 2' },
  ]);
  expect(run.lines.at(-1)).toBe('RETURN "diff c2"');
});

describe('a schema', () => {
  test('is compared with the answer of the step', () => {
    const run = begun('schema "s.json"').end('work', 'done\n');
    expect(run.waiting).toEqual(['schema']);
    expect(run.requests.at(-1)).toMatchObject({ kind: 'schema', path: 's.json', text: 'done', attempt: 1, delayMs: 0 });
  });

  test.each([
    ['says nothing against it', { kind: 'value', value: null }, passed],
    ['has a complaint', { kind: 'value', value: 'no `a`' }, { pass: false, message: 'no `a`', error: 'no `a`' }],
    ['cannot be read', { kind: 'failed', message: 'no file' }, { pass: false, message: 'no file', error: 'no file' }],
    [
      'was not compared',
      { kind: 'not-started', reason: 'stopped' },
      { pass: false, message: 'it was not checked', error: 'it was not checked' },
    ],
  ] as [string, Outcome, object][])('that %s', (_, outcome, wanted) => {
    expect(judged('schema "s.json"', outcome)).toMatchObject(wanted);
  });
});
