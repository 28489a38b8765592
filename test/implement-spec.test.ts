/**
 * The example of a workflow with agents, gates and retries is run in both of its spellings, in a copy of its project.
 * `expected/VARIANT.json` next to it has the programs and options, and what their steps must leave in state.json: who
 * did it, at which attempt, what the gates said. UPDATE=1 rewrites what follows the options.
 */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { some } from './amount.js';
import { commandLine } from './harness/command-line.js';
import { git, output, type Result, root } from './harness/process.js';

const example = join(root, 'examples/implement-spec');
const scratch = mkdtempSync(join(tmpdir(), 'statedsl-implement-spec-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

interface Report {
  readonly run_id: string;
  readonly error: { readonly kind: string; readonly message: string } | null;
}

interface Variant {
  readonly programs: readonly string[];
  readonly options: string;
}

const statedsl = (args: readonly string[], cwd: string): Promise<Result> =>
  commandLine(args, { cwd, env: process.env });

/** A copy of the project as a reader would make it. */
function copy(): string {
  const env = { ...process.env, TMPDIR: scratch };
  return output('sh', [join(example, 'copy.sh')], { env }).trim();
}

/** What differs from run to run, or only repeats the script of an agent, is not part of a record. */
const LEFT_OUT = /^input\.|\.(duration|diff|session_id|tokens_in|tokens_out|cache_read|cache_write)$|\.state\./;

function stateOf(folder: string, { run_id }: Report): Record<string, string> {
  const file = join(folder, '.statedsl/runs', run_id, 'state.json');
  const state = Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>);
  return Object.fromEntries(
    state.filter(([key, text]) => !LEFT_OUT.test(key) && text !== '' && !text.startsWith('diff --git')),
  );
}

async function record(program: string, { programs, options }: Variant): Promise<string> {
  const folder = copy();
  const args = ['run', program, '--worktree', ...options.split(' ').filter(Boolean), '--json'];
  const { code: exit, stdout } = await statedsl(args, folder);
  const report = JSON.parse(stdout) as Report;
  const error = report.error === null ? null : `${report.error.kind}: ${report.error.message}`;
  expect(git(folder, 'status', '--porcelain')).toBe('');
  return `${JSON.stringify({ programs, options, exit, error, state: stateOf(folder, report) }, null, 2)}\n`;
}

const BUILT = 'built.json';
const others = readdirSync(join(example, 'expected')).filter((name) => name !== BUILT);

/** The usual end in all spellings; each of the other ends in each spelling is a matter of the long tests. */
const variants = [BUILT, ...some(others, 2)].flatMap((name) => {
  const path = join(example, 'expected', name);
  const variant = JSON.parse(readFileSync(path, 'utf8')) as Variant;
  const programs = name === BUILT ? variant.programs : some(variant.programs, 1);
  return programs.map((program) => ({ title: `${name} ${program}`, path, program, variant }));
});

describe('the workflow that implements a specification', () => {
  it.concurrent.for(variants)('$title', async ({ path, program, variant }, { expect }) => {
    const actual = await record(program, variant);
    if (process.env.UPDATE === '1') writeFileSync(path, actual);
    expect(actual).toBe(readFileSync(path, 'utf8'));
  });

  it('does the same in the other spelling, and is applied to the project', async () => {
    const folder = copy();
    const converted = join(scratch, 'converted.dsl');
    const { stdout } = await statedsl(['convert', 'workflow.yaml'], folder);
    writeFileSync(converted, stdout);
    const ran = await statedsl(['run', converted, '--worktree', '-i', 'spec=@spec.md', '--json'], folder);
    const { state } = JSON.parse(readFileSync(join(example, 'expected/built.json'), 'utf8'));
    expect({ code: ran.code, state: stateOf(folder, JSON.parse(ran.stdout)) }).toEqual({ code: 0, state });
    expect(readdirSync(join(folder, 'src'))).toEqual(['lines.sh']);
    expect(await statedsl(['apply'], folder)).toMatchObject({ code: 0 });
    expect(readdirSync(join(folder, 'src'))).toEqual(['count.sh', 'lines.sh', 'longest.sh']);
    expect(output('sh', ['tools/test.sh', 'count', 'longest'], { cwd: folder })).toBe('');
  });

  it('runs where it lies, in a folder of a larger repository', async () => {
    const repository = join(scratch, 'larger');
    mkdirSync(repository);
    cpSync(example, join(repository, 'examples/implement-spec'), { recursive: true });
    git(repository, 'init', '-q');
    git(repository, 'add', '.');
    git(repository, '-c', 'user.name=a', '-c', 'user.email=a@localhost', 'commit', '-qm', 'all');
    const where = join(repository, 'examples/implement-spec');
    const { code, stdout } = await statedsl(['run', 'workflow.yaml', '-i', 'spec=@spec.md', '--json'], where);
    expect({ code, state: stateOf(where, JSON.parse(stdout)) }).toMatchObject({
      code: 0,
      state: {
        'plan/count/build.agent': 'senior',
        'plan/count/build.attempt': '3',
        'plan/count/build.files': 'src/count.sh',
        'quality.status': 'pass',
      },
    });
  });

  it('has nothing that the checker or the formatter would say something about', async () => {
    const folder = copy();
    const programs = ['workflow.yaml', 'workflows/review.yaml', 'flow.dsl', 'one-task.dsl'];
    const checked = await statedsl(['check', '--strict', ...programs], folder);
    expect({ code: checked.code, stderr: checked.code === 0 ? '' : checked.stderr }).toEqual({ code: 0, stderr: '' });
    expect(await statedsl(['fmt', '--check', 'flow.dsl', 'one-task.dsl'], folder)).toMatchObject({ code: 0 });
  });
});
