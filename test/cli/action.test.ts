/** The steps of the GitHub Action, executed in a shell as a runner would do it. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { longTest } from '../amount.js';
import { type Result, root, runProgram } from '../harness/process.js';
import { cli, type ProjectFolder, projectFolder } from './statedsl.js';

interface ActionStep {
  readonly name: string;
  readonly if?: string;
  readonly run: string;
  readonly shell: string;
  readonly env?: Readonly<Record<string, string>>;
}

const folder = join(root, 'action');
const action = parse(readFileSync(join(folder, 'action.yml'), 'utf8')) as {
  readonly inputs: Readonly<Record<string, { readonly default: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly ActionStep[] };
};

/** The steps whose conditions hold, until one fails. */
async function runAction(one: ProjectFolder, given: Readonly<Record<string, string>>) {
  const command = `${process.execPath} ${cli}`;
  const defaults = Object.fromEntries(Object.entries(action.inputs).map(([name, input]) => [name, input.default]));
  const inputs: Readonly<Record<string, string>> = { ...defaults, command, ...given };
  const withInputs = (text: string): string =>
    text.replace(/\$\{\{ inputs\.([\w-]+)(?: \|\| '(\w+)')? \}\}/g, (_, name, other = '') => inputs[name] || other);
  one.file('out', '');
  one.file('summary', '');
  const files = { GITHUB_OUTPUT: join(one.folder, 'out'), GITHUB_STEP_SUMMARY: join(one.folder, 'summary') };
  const results = new Map<string, Result>();
  for (const step of action.runs.steps) {
    const [, name = '', operator] = /^inputs\.(\w+) (==|!=) ''$/.exec(step.if ?? '') ?? [];
    if ((inputs[name] === '') !== (operator === '==')) continue;
    const env = Object.fromEntries(Object.entries(step.env ?? {}).map(([key, text]) => [key, withInputs(text)]));
    const result = await runProgram('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', step.run], {
      cwd: one.folder,
      env: { ...process.env, ...files, RUNNER_TEMP: one.folder, GITHUB_ACTION_PATH: folder, ...env },
    });
    results.set(step.name, result);
    if (result.code !== 0) break;
  }
  const read = (name: string) => readFileSync(join(one.folder, name), 'utf8');
  return { results, outputs: read('out'), summary: read('summary') };
}

describe('the action', () => {
  test('checks with annotations, and an error ends the job', async () => {
    const one = projectFolder({
      'flows/a.dsl': 'GOTO: A1\n',
      'flows/b.dsl': 'STATE: A\n  RETURN\nSTATE: B\n  RETURN\n',
    });
    const { results } = await runAction(one, { check: 'flows/*.dsl', run: 'flows/b.dsl' });
    expect([...results.keys()]).toEqual(['Check']);
    const { code, stdout } = results.get('Check') as Result;
    expect(code).toBe(2);
    const lines = stdout.trim().split('\n');
    expect(lines[0]).toMatch(/^::error file=flows\/a\.dsl,line=1,col=7,endLine=1,endColumn=9,title=unknown-state::/);
    expect(lines[1]).toMatch(/^::warning file=flows\/b\.dsl,line=3,/);
  });

  longTest('tests and runs with inputs, and writes outputs and a summary', async () => {
    const one = projectFolder({
      'a.dsl':
        'INPUT: who\nINPUT: n = 1\nSTATE: A\n  DO: x = echo "{who} | {n}"\n  GOTO: B with x\nSTATE: B (x)\n  RETURN: {x}\n',
    });
    const { results, outputs, summary } = await runAction(one, {
      run: 'a.dsl',
      inputs: 'who=a $(touch bad) b\nn:=2\n',
    });
    expect(results.get('Run')).toMatchObject({ code: 0 });
    expect(outputs).toMatch(/^status<<(end-\S+)\nreturned\n\1\n/m);
    expect(outputs).toMatch(/^returned<<(end-\S+)\n"a \$\(touch bad\) b \| 2"\n\1\n/m);
    expect(summary).toContain('## `a`: returned');
    expect(summary).toContain('```mermaid\nstateDiagram-v2');
  });

  test('a failed run fails the job, and its summary says why', async () => {
    const one = projectFolder({ 'a.dsl': 'STATE: A\n  DO: echo "<b>" >&2; exit 4\n  RETURN\n' });
    const { results, outputs, summary } = await runAction(one, { run: 'a.dsl', arguments: '--max-transitions=5' });
    expect(results.get('Run')).toMatchObject({ code: 1, stderr: expect.stringContaining('exit 4') });
    expect(outputs).toContain('\nfailed\n');
    expect(summary).toContain('## `a`: failed');
    expect(summary).toContain('**Why it failed** (`tool_failure`, in the state `A`, at `a.dsl:2`)');
  });
});
