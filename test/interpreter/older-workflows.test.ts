/** Workflow files of the older dialect that are called: the tasks of another step, and answers that are left in a folder. */
import { expect, test } from 'vitest';
import { printed } from './machine-builder.js';
import { ScriptedProgram } from './scripted-program.js';

const called = (yaml: string) =>
  new ScriptedProgram('STEP: all\n  WORKFLOW: flow\nRETURN: done\n', {
    restored: true,
    files: { 'workflows/flow.yaml': yaml },
    clockMs: 1000,
  });

const TASKS = JSON.stringify([
  { name: 'one', description: 'first' },
  { name: 'two', description: 'second' },
]);

const tasksOf = (more: string) => `steps:
  - { name: plan, type: plan, agent: planner, prompt: Plan. }
  - name: build
    foreach: plan
${more}    steps:
      - { name: work, agent: maker, prompt: "Do {task.name}." }
`;

test('a step that only contains the tasks of another one is no step of the run', () => {
  const run = called(tasksOf('')).end('agent planner', TASKS).end('agent maker').end('agent maker');
  expect(run.calls.map(({ prompt }) => prompt)).toEqual([expect.stringContaining('Plan.'), 'Do one.', 'Do two.']);
  expect(run.lines.filter((line) => /^(?:STEP|DONE) .*build$/.test(line))).toEqual([]);
  expect(run.lines.at(-1)).toBe('RETURN done');
});

test('its gates judge all of the tasks, and its retry repeats them all', () => {
  const gated = tasksOf('    validate: [{ bash: ./judge }]\n    retry: { max_attempts: 2 }\n');
  const run = called(gated).end('agent planner', TASKS).end('agent maker').end('agent maker');
  expect(run.waiting).toEqual(['./judge']);
  run.fail('./judge').end('agent maker').end('agent maker').end('./judge');
  expect(run.started.filter((name) => name !== 'clock')).toEqual([
    ...['agent planner', 'agent maker', 'agent maker', './judge', 'agent maker', 'agent maker', './judge'],
  ]);
  expect(run.lines.at(-1)).toBe('RETURN done');
});

test('only a retry makes it a step, too', () => {
  const run = called(tasksOf('    retry: { max_attempts: 2 }\n')).end('agent planner', TASKS).end('agent maker');
  run
    .end('agent maker', printed('', 1, 'broken'))
    .end('agent maker')
    .end('agent maker');
  expect([run.calls.length, run.lines.at(-1)]).toEqual([5, 'RETURN done']);
});

test('an agent may leave its answer in the folder that a prompt of the file names', () => {
  const flow = (prompt: string) =>
    `inputs: []\nsteps:\n  - { name: a, type: artifact, agent: maker, prompt: ${prompt} }\n`;
  expect(called(flow('Write to .gump/out/artifact.txt.')).calls[0]).toMatchObject({ answerFolder: '.gump/out' });
  for (const prompt of ['Say it.', 'Leave .gump/output alone.'])
    expect(called(flow(prompt)).calls[0]).not.toHaveProperty('answerFolder');
});
