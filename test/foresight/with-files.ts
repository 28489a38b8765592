/** Compiles a program of a test with tools, a plan and a schema beside it. */

import { compileProgram } from '../../src/app/project/compile-program.js';
import type { Machine } from '../../src/machine/machine.js';
import { memoryHost } from '../project/memory-host.js';

const FILES: Readonly<Record<string, string>> = {
  'tools.yaml':
    'get: { run: [./get] }\nput: { module: ./put.mjs#put }\npay: { module: ./put.mjs#pay }\nask: { agent: dear, prompt: "Do it." }\ncheap: { agent: dear, prompt: "Do it." }\n',
  'any.json': '{}',
  'workflows/judge.yaml':
    'steps:\n  - name: v\n    type: validate\n    agent: cheap\n    prompt: "Is {spec} good?"\n    retry: [{ exit: 2 }]\n',
  'workflows/sub.yaml': [
    'max_budget: 0.15',
    'steps:',
    '  - name: one',
    '    type: artifact',
    '    agent: dear',
    '    prompt: "Make {spec}."',
    '    gate: [{ bash: "npm test" }]',
    '    retry: [{ not: gate.bash, agent: cheap, session: new }, { exit: 2 }]',
    '  - name: two',
    '    agent: cheap',
    '    prompt: "More."',
  ].join('\n'),
  'asks.json': JSON.stringify({
    calls: [
      { _tool: 'get', go: '†state.approvals.go', _outputPath: '†state.user' },
      { _tool: 'put', name: '†state.user', _outputPath: '†state.letter || †state.refused' },
    ],
    output: '†state.letter || †state.refused',
  }),
  'two.json': JSON.stringify({
    calls: [
      { _tool: 'get', _outputPath: '†state.user' },
      { _tool: 'put', name: '†state.user.name', _outputPath: '†state.letter' },
    ],
    output: '†state.letter',
  }),
};

/** Null: the program has errors. */
export async function machineWithFiles(text: string): Promise<Machine | null> {
  const host = memoryHost((name) => FILES[name]);
  const { machine, diagnostics } = await compileProgram(host, { name: 'p.dsl', text }, { cwd: process.cwd() });
  return diagnostics.some(({ severity }) => severity === 'error') ? null : machine;
}
