/** Programs in the forms of other tools: what those read, and what cannot be said in them. */
import { describe, expect, test } from 'vitest';
import { createActor, createMachine, fromPromise } from 'xstate';
import { parse } from 'yaml';
import { compile } from '../../src/app/library/compile-text.js';
import type { Machine } from '../../src/machine/machine.js';
import { githubActionsOf } from '../../src/views/export/github-actions.js';
import { type Exported, xstateOf } from '../../src/views/export/xstate.js';

/** Not the beginning of a value of these texts. */
const dollar = '$';

function machineOf(text: string): Machine {
  const { machine, diagnostics } = compile(text, { name: 'a.dsl' });
  if (machine === null) throw new Error(JSON.stringify(diagnostics));
  return machine as unknown as Machine;
}

function textIn(exported: Exported): string {
  if ('problems' in exported) throw new Error(JSON.stringify(exported.problems));
  return exported.text;
}

const problemsIn = (exported: Exported) =>
  'problems' in exported ? exported.problems.map(({ message, location }) => [message, location?.line ?? null]) : [];

describe('xstate', () => {
  const REVIEW = `INPUT: n = 1
STATE: WORK
  CHECK: count = ./count.sh
  IF: count > n → GOTO: WORK
  IF: count == 0 → GOTO: a.b
  DO: ./risky.sh
  RETURN
  ON ERROR timeout:
    GOTO: WORK
STATE: a.b
  FAIL: "nothing"
STATE: ERROR
  RETURN: 1
`.replaceAll('a.b', 'EMPTY');

  async function endOf(works: Readonly<Record<string, () => void>>, holds: (guard: string) => boolean) {
    const config = JSON.parse(textIn(xstateOf(machineOf(REVIEW))));
    const guards: Record<string, () => boolean> = {};
    const sources = new Set<string>();
    JSON.stringify(config, (_, value) => {
      if (value?.guard !== undefined) guards[value.guard.type] = () => holds(value.guard.type);
      if (value?.src !== undefined) sources.add(value.src);
      return value;
    });
    const actors = Object.fromEntries([...sources].map((src) => [src, fromPromise(async () => works[src]?.())]));
    const actor = createActor(createMachine(config).provide({ guards, actors } as never));
    const states: string[] = [];
    actor.subscribe(({ value }) => states.push(String(value)));
    actor.start();
    await new Promise<void>((resolve) => actor.subscribe({ complete: () => resolve() }));
    return { states, guards: Object.keys(guards) };
  }

  test('is read by XState, which goes through the same states', async () => {
    const fail = () => {
      throw new Error('no');
    };
    // The work of a state with a FAIL always fails.
    const { guards, states } = await endOf({ EMPTY: fail }, (guard) => guard === 'count == 0');
    expect(guards).toEqual(expect.arrayContaining(['count > n', 'count == 0', 'error_type == "timeout"']));
    expect(states).toEqual(['WORK', 'EMPTY', 'ERROR', 'failed']);
    expect((await endOf({ WORK: fail }, () => false)).states).toEqual(['WORK', 'ERROR', 'failed']);
  });

  test('cannot say ROLLBACK', () => {
    const text = 'STATE: A\n  DO: true\n  UNDO: false\n  ROLLBACK\n  RETURN\n';
    expect(problemsIn(xstateOf(machineOf(text)))).toEqual([['XState has no ROLLBACK', 4]]);
  });
});

describe('github-actions', () => {
  test('is a job with the commands and inputs of the program', () => {
    const text = `INPUT: who = "world"
INPUT: level: a | b = "a"
STATE: BUILD
  DO [timeout=90s cwd=web]: make "hello {who}" {level}
  GOTO: TEST
STATE: TEST
  DO:
    npm ci
    npm test
  RETURN
`.replace('level: a | b = "a"', 'level = "a"');
    const workflow = parse(textIn(githubActionsOf(machineOf(text))));
    expect(workflow.on.workflow_dispatch.inputs.who).toEqual({ type: 'string', required: false, default: 'world' });
    const [job] = Object.values(workflow.jobs) as { steps: Record<string, unknown>[] }[];
    expect(job?.steps.slice(1).map(({ name: _, ...step }) => step)).toEqual([
      {
        run: `make "hello ${dollar}{INPUT_WHO}" "$INPUT_LEVEL"`,
        shell: 'bash -eo pipefail {0}',
        'working-directory': 'web',
        'timeout-minutes': 2,
        env: { INPUT_WHO: `${dollar}{{ inputs.who }}`, INPUT_LEVEL: `${dollar}{{ inputs.level }}` },
      },
      { run: expect.stringMatching(/npm ci\nnpm test/), shell: 'bash -eo pipefail {0}' },
    ]);
  });

  test.each([
    ['STATE: A\n  DO: x = date\n  RETURN\n', 'a name for the output of a command', 2],
    ['STATE: A\n  DO [retry=2]: date\n  RETURN\n', '`retry=`', 2],
    ['STATE: A\n  ASK user: "ok?"\n  DO: date\n  RETURN\n', 'a question', 2],
    ['STATE: A\n  DO: date\n  GOTO: A\n', 'a loop of states', 3],
    ['STATE: A\n  DO: Task(claude) "x"\n  RETURN\n', 'a call of an agent', 2],
    ['INPUT: n = 1\nSTATE: A\n  IF: n > 1 → RETURN\n  DO: date\n  RETURN\n', 'a condition', 3],
    [
      `STATE: A\n  DO: echo '${dollar}{{ github.token }}'\n  RETURN\n`,
      `\`${dollar}{{\`, which GitHub would replace`,
      2,
    ],
    ['STATE: A\n  DO: in PARALLEL\n    - date\n    - true\n  RETURN\n', 'commands at the same time', 2],
    ['STATE: A\n  DO: date\n  RETURN\n  ON ERROR:\n    RETURN\n', 'ON ERROR', 5],
    ['STATE: A\n  RETURN\n', 'a program without commands', null],
    ['STATE: A\n  DO: date\n  RETURN\nSTATE: ERROR\n  EMIT: X\n  RETURN\n', 'a state ERROR', 5],
    ['STATE: A\n  DO: date\n  FOR EACH: x in [1]:\n    DO: date\n  RETURN\n', 'a loop', 3],
    ['STATE: A\n  STEP: s\n    DO: date\n    GATE: bash "date"\n  RETURN\n', 'a STEP', 2],
    ['STATE: A\n  TRACK: n = 1\n  DO: date\n  RETURN: {n}\n', 'a variable', 2],
    ['STATE: A\n  TRACK: n = 1\n  DO: date\n  RETURN: {n}\n', 'a result', 4],
    ['INPUT: a (secret)\nSTATE: A\n  DO: date\n  RETURN\n', 'the secret input `a`', null],
    ['INPUT: a (list)\nSTATE: A\n  DO: date\n  RETURN\n', 'the input `a`, which is a list', null],
    ['INPUT: a = {}\nSTATE: A\n  DO: date\n  RETURN\n', null, null],
  ])('cannot say %j', (text, what, line) => {
    const problems = problemsIn(githubActionsOf(machineOf(text)));
    const said = (of: string) => `a workflow of GitHub Actions cannot say this: ${of}`;
    if (what === null) expect(problems).toEqual([]);
    else expect(problems).toContainEqual([said(what), line]);
  });

  test('says each problem of a line once, in the order of the lines', () => {
    const text = 'STATE: A\n  IF: 1 == 1 → EMIT: X\n  EMIT: Y\n  RETURN\n';
    const two =
      'INPUT: a (secret)\nSTATE: A\n  ASK user: "x"\n  STEP: s\n    DO: date\n    GATE: bash "date"\n  RETURN\n';
    const lines = (of: string) =>
      problemsIn(githubActionsOf(machineOf(of))).map(([message, line]) =>
        `${line} ${message}`.replace(/a workflow.*: /, ''),
      );
    expect(lines(text)).toMatchInlineSnapshot(`
      [
        "2 a condition",
        "2 EMIT",
        "3 EMIT",
      ]
    `);
    expect(lines(two)).toMatchInlineSnapshot(`
      [
        "null the secret input \`a\`",
        "3 a question",
        "4 a STEP",
        "6 a STEP",
      ]
    `);
  });

  test('a result that is constant and an input that may be left out', () => {
    const text = 'INPUT: a\nINPUT: b = 2\nSTATE: A\n  DO: date\n  RETURN with true\n';
    const { on } = parse(textIn(githubActionsOf(machineOf(text))));
    expect(on.workflow_dispatch.inputs).toMatchObject({ a: { required: true }, b: { required: false, default: 2 } });
  });
});
