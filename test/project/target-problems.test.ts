/** Why a tool of a plan cannot run here, in the words of its author. */
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { targetProblems } from '../../src/app/project/target-problem.js';
import type { ToolTarget } from '../../src/machine/plan.js';
import { temporaryFolder } from '../runtime/running.js';

test('programs, modules, agents and servers that are not there', () => {
  const dir = temporaryFolder();
  mkdirSync(join(dir, 'bin'));
  for (const name of ['bin/here', 'tool.sh', 'text']) writeFileSync(join(dir, name), '#!/bin/sh\n');
  for (const name of ['bin/here', 'tool.sh']) chmodSync(join(dir, name), 0o755);
  const explain = targetProblems({
    agentProgram: (name) => (name === 'inner' ? null : name),
    mcp: { good: { command: ['here'] }, bad: { command: ['gone', 'x'] } },
    cwd: '/',
    path: join(dir, 'bin'),
  });
  const problems = [
    ...[['here'], ['gone'], ['./tool.sh'], ['./gone.sh', 'x'], ['./text'], [join(dir, 'gone')], []].map((argv) => ({
      kind: 'run',
      argv,
    })),
    ...['text', 'gone.js'].map((file) => ({ kind: 'module', file })),
    ...['here', 'inner', 'gone'].map((agent) => ({ kind: 'agent', agent })),
    ...['good', 'bad', 'other'].map((server) => ({ kind: 'mcp', server })),
    { kind: 'plan' },
  ].map((target) => explain(target as unknown as ToolTarget, dir));
  expect(problems).toEqual([
    null,
    '`gone` is not on PATH',
    null,
    '`./gone.sh` does not exist',
    '`./text` is not a program',
    `\`${join(dir, 'gone')}\` does not exist`,
    null,
    null,
    'the module `gone.js` does not exist',
    null,
    null,
    'the program of the agent `gone` is missing: `gone` is not on PATH',
    null,
    'the program of the server `bad` is missing: `gone` is not on PATH',
    null,
    null,
  ]);
});
