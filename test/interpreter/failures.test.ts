/** Failures by hand: which one counts as the cause, who handles it, and what is left of it when the run ends. */
import { describe, expect, test } from 'vitest';
import type { RunEvent } from '../../src/interpreter/events/event.js';
import type { EffectRequest } from '../../src/interpreter/request.js';
import { exceed } from '../../src/interpreter/run.js';
import { beginRollback } from '../../src/interpreter/undo/rollback.js';
import { ScriptedProgram } from './scripted-program.js';

/** The numbers of the effects that made an instruction fail, as the record has them. */
const causesIn = (events: readonly RunEvent[]) =>
  events.flatMap((event) =>
    event.type === 'instruction_failed'
      ? [event.causes.map(({ number, effects }) => [number, ...(effects ?? [])])]
      : [],
  );

describe.each([
  { mode: 'as it is', restored: false },
  { mode: 'restored after each step', restored: true },
])('a run $mode', ({ restored }) => {
  const start = (text: string) => new ScriptedProgram(text, { restored });

  test('a failure of a handler has the cause of the failure that it handles', () => {
    const run = start(`STATE: A
  DO: work
  RETURN
  ON ERROR: → DO: mend, RETURN: mended
`);
    run.fail('work').fail('mend');
    expect(causesIn(run.events)).toEqual([[[1, '1']], [[1, '1']]]);
    expect(run.lines.at(-1)).toMatch(/^FAILED/);
  });

  test('the exit code of a member that was stopped or failed is missing, with the reason', () => {
    const text = (how: string) =>
      `STATE: A\n  DO: in PARALLEL [${how}]:\n    - a = one\n    - b = two\n  IF: exit_code(b) == 0 → RETURN: well\n  RETURN: ill\n`;
    const stopped = start(text('quorum=1')).end('one', '1');
    expect(stopped.lines.at(-1)).toMatchInlineSnapshot(
      `"FAILED bad_value: \`exit_code(b)\` has no value: the member that binds \`b\` was stopped"`,
    );
    const failed = start(text('on_failure=keep')).end('one', '1').fail('two');
    expect(failed.lines.at(-1)).toMatchInlineSnapshot(
      `"FAILED bad_value: \`exit_code(b)\` has no value: the member that binds \`b\` failed"`,
    );
  });

  test('a failure in a state after the one that handled a failure has its own cause', () => {
    const run = start(`STATE: A
  DO: work
  RETURN
  ON ERROR: → GOTO: B
STATE: B
  DO: more
  RETURN
`);
    run.fail('work').fail('more');
    expect(causesIn(run.events)).toEqual([[[1, '1']], [[2, '2']]]);
  });

  test('a failure of an attempt counts when failures are numbered', () => {
    const run = start(`STATE: A
  STEP: one
    DO: work
    GATE: bash "check"
    RETRY:
      EXIT 2
  DO: after
  RETURN
`);
    for (let guard = 0; guard < 9 && !run.waiting.includes('after'); guard++) {
      const [next = ''] = run.waiting;
      if (next === 'clock') run.end('clock', { kind: 'value', value: 1000 });
      else if (next === 'work' && run.started.filter((name) => name === 'work').length === 1) run.fail('work');
      else run.end(next);
    }
    run.fail('after');
    expect(causesIn(run.events).map((causes) => causes.map(([number]) => number))).toEqual([[2]]);
  });

  test('no handler of a state handles what fails in a handler of its pattern', () => {
    const run = start(`PATTERN: tried
  DO: work
  ON ERROR: → DO: mend
STATE: A
  USE: tried
  RETURN
  ON ERROR: → RETURN: handled
`);
    run.fail('work').fail('mend');
    expect(run.lines.at(-1)).toMatch(/^FAILED/);
  });

  test('the end of a run in ERROR has what its FAIL passed', () => {
    const run = start(`STATE: A
  FAIL: "no" with a=1
STATE: ERROR
  RETURN: {error}
`);
    expect(run.run.result?.error).toMatchObject({ message: 'no', with: { a: 1 } });
  });

  test('a run that returned has nothing to undo', () => {
    const run = start('STATE: A\n  DO: work\n  UNDO: back\n  DO: more\n  RETURN\n');
    expect(run.end('work').run.undo.entries).toHaveLength(1);
    expect(run.end('more').run.undo.entries).toHaveLength(0);
  });

  test('no limit ends the rollback of a failed run, and afterwards the run has its former end', () => {
    const run = start('STATE: A\n  DO: work\n  UNDO: back\n  DO: more\n  RETURN\n');
    run.end('work').fail('more');
    const { result } = run.run;
    beginRollback(run.run, 'ann');
    run.signal('nothing', 0);
    exceed(run.run, 'time', 1, 2);
    expect(run.run.result).toBeNull();
    run.end('back');
    expect(run.run.result).toEqual(result);
  });

  const LIMITS =
    'timeout={wait} idle={pause} cwd={word} env.K={word} env.L=l ok={codes} retry={tries} retry_on={kinds}';
  const FOR_CALLS = 'timeout={wait} retry={tries} retry_on={kinds}';

  test.each([
    { work: 'DO: plain', text: 'plain', attempts: 1 },
    {
      work: `DO [${LIMITS}]: show {word} {list} {word:json} {word:path} {list:file} $K`,
      text: 'show a b ["x","y z"] "a b" a b ["x","y z"] $K',
      attempts: 3,
    },
    { work: 'DO [ok=any retry=1 retry_on=timeout]: show {list*}', text: 'show x y z', attempts: 1 },
    { work: `DO [${LIMITS}]: ["show", {word}, {n}]`, text: 'show a b 1.50', attempts: 3 },
    { work: `DO [${LIMITS}]: told {word} {list*} {n} x{n}`, text: 'told a b x y z 1.50 x1.50', attempts: 3 },
    {
      work: `DO [${LIMITS}]: Task(helper) "say {word}" with n={n}, list={list} > {n}.md`,
      text: 'Task(helper) "say a b"',
      attempts: 3,
    },
    { work: 'DO: Task(helper) with n={n}', text: 'Task(helper)', attempts: 1 },
    {
      work: `CALL [${FOR_CALLS}]: tool with n={n}, list={list}`,
      text: 'CALL tool with n="1.50", list=["x","y z"]',
      attempts: 3,
    },
    { work: 'CALL [retry=1 retry_on=timeout]: tool', text: 'CALL tool', attempts: 1 },
  ])('an UNDO does what the instruction above it did, whatever has changed: $work', ({ work, text, attempts }) => {
    const undo = work.startsWith('CALL') ? work.replace(/^CALL(.*?): /, 'UNDO$1: CALL ') : work.replace(/^DO/, 'UNDO');
    const run = new ScriptedProgram(
      `STATE: A
  TRACK: word = "a b"
  TRACK: list = ["x", "y z"]
  TRACK: n = "1.50"
  TRACK: wait = "5m"
  TRACK: pause = "70s"
  TRACK: codes = [0, 3]
  TRACK: tries = 2
  TRACK: kinds = ["timeout", "exit:1"]
  ${work}
  ${undo}
  SET: word = "c"
  SET: list = []
  SET: n = 2
  SET: wait = "1s"
  SET: pause = "2s"
  SET: codes = 9
  SET: tries = 0
  SET: kinds = "exit:2"
  DO: after
  FAIL: no
STATE: ERROR
  ROLLBACK
  RETURN: {rollback}
`,
      { restored, functions: ['told'], files: { 'tools.yaml': 'tool: { run: ["cat"] }\n' }, clockMs: 0 },
    );
    const [open = ''] = run.waiting;
    run.end(open);
    expect(run.run.undo.entries.map((entry) => entry.text)).toEqual([text]);
    run.end('after');
    const [done, , undone] = run.requests.filter(({ kind }) => kind !== 'clock').map(whatItDoes);
    expect(undone).toEqual(done);
    for (let left = 9; left > 0 && run.run.result === null; left--) run.fail(open);
    expect(run.started.filter((name) => name === open)).toHaveLength(1 + attempts);
  });
});

/** A request without what says where it comes from; of shell text, which values are paths or in files. */
function whatItDoes(request: EffectRequest): object {
  const same = { ...request, effect: '', line: 0, state: '', text: '' };
  if (request.kind !== 'shell') return same;
  const { parts, ...template } = request.template;
  const filters = parts.map((part) => (typeof part === 'string' ? part : /^(file|path)$/.exec(part.filter ?? '')?.[0]));
  return { ...same, template, filters };
}
