/**
 * Every shipped example is run as a user would run it, in its scenarios, and must produce the events in
 * `expected/VARIANT.events` next to it. Such a file begins with the command line and the exit code, so it is a record
 * that a reader can repeat. UPDATE=1 rewrites what follows the command line.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, relative } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { share, some } from './amount.js';
import { commandLine } from './harness/command-line.js';
import { output, type Result, root, runProgram } from './harness/process.js';

const scratch = mkdtempSync(join(tmpdir(), 'statedsl-examples-'));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));
// Some write where they are started, and other tests of this checkout may run them at the same time.
cpSync(join(root, 'examples'), join(scratch, 'examples'), { recursive: true });

/**
 * The stand-ins start Python often. A separate environment avoids the wrapper of a version manager at each start and
 * packages outside of the standard library: together they would take most of the time.
 */
function environment(): NodeJS.ProcessEnv {
  const folder = join(scratch, 'python');
  output('python3', ['-m', 'venv', '--without-pip', folder]);
  return { ...process.env, PATH: [join(folder, 'bin'), process.env.PATH].join(delimiter) };
}
const env = environment();

const node = (args: readonly string[]): Promise<Result> => runProgram(process.execPath, args, { cwd: root, env });
const statedsl = (args: readonly string[], cwd = scratch): Promise<Result> => commandLine(args, { cwd, env });

/** Words of a command line; quotes are only needed around values with blanks. */
function words(line: string): string[] {
  return [...line.matchAll(/(?:[^\s"]|"[^"]*")+/g)].map((match) => match[0].replaceAll('"', ''));
}

type Journalled = Record<string, unknown> & { readonly type: string };

function field([name, value]: [string, unknown]): string {
  return `${name}=${typeof value === 'string' && value !== '' && !/\s/.test(value) ? value : JSON.stringify(value)}`;
}

/** What a person would notice of an event; null for the rest. */
function visible(event: Journalled): string | null {
  switch (event.type) {
    case 'state_entered':
      return `STATE ${event.state}`;
    case 'emitted':
      return event.event === null
        ? `  ${JSON.stringify(event.message)}`
        : ['  EMIT', event.event, ...Object.entries(event.fields as object).map(field)].join(' ');
    case 'asked':
      return `  ASK ${event.question}`;
    case 'warned':
      return `  WARN ${event.message}`;
    case 'run_suspended':
      return 'SUSPENDED';
    case 'run_returned':
      return `RETURNED ${JSON.stringify(event.value)}`;
    case 'run_failed': {
      const error = event.error as { kind: string; message: string };
      return `FAILED ${error.kind}: ${error.message}`;
    }
    default:
      return null;
  }
}

/** Runs the command line of a record in a private folder and gives the record it makes. */
async function record(commandLine: string, name: string): Promise<string> {
  const [program, command, file, ...args] = words(commandLine);
  expect([program, command]).toEqual(['statedsl', 'run']);
  const home = join(scratch, name);
  const work = /^INPUT: work\b/m.test(readFileSync(join(root, file ?? ''), 'utf8')) ? ['-i', `work=${home}/work`] : [];
  const done = await statedsl(['run', file ?? '', ...args, ...work, '--events', '--dir', join(home, 'runs')]);
  const events = done.stdout
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Journalled);
  const lines = events.map(visible).filter((line) => line !== null);
  if (events.length === 0) lines.push(done.stderr);
  return `${[`$ ${commandLine}`, `exit ${done.code}`, ...lines].join('\n').replaceAll(`${home}/work`, 'WORK').replaceAll(`${scratch}/`, '')}\n`;
}

const records = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.events'))
  .sort()
  .map((path) => join(root, 'examples', path));

/** Examples in one of their scenarios; the long tests run all. */
const folders = [...new Set(records.map(dirname))];
const tried = share(folders).flatMap((folder) =>
  some(
    records.filter((path) => dirname(path) === folder),
    1,
  ),
);

describe('examples', () => {
  it.concurrent.for(tried.map((path) => relative(root, path)))('%s', async (path, { expect }) => {
    const expected = readFileSync(join(root, path), 'utf8');
    const commandLine = expected.slice(2, expected.indexOf('\n'));
    const actual = await record(commandLine, path.replaceAll(/\W/g, '-'));
    if (process.env.UPDATE === '1') writeFileSync(join(root, path), actual);
    expect(actual).toBe(readFileSync(join(root, path), 'utf8'));
  });

  it('survivor.mjs', async () => {
    const home = join(scratch, 'survivor');
    const first = await node(['examples/survivor/survivor.mjs', home]);
    expect(first).toMatchObject({ code: null, stdout: '' });
    const second = await node(['examples/survivor/survivor.mjs', home]);
    expect(second).toEqual({
      code: 0,
      stdout: 'returned: 4 letters sent\nto Ada\nto Grace\nto Edsger\nto Barbara\n',
      stderr: '',
    });
  });

  it('embed.mjs', async () => {
    const { code, stdout } = await node(['examples/embed/embed.mjs']);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout:
        'FORECAST {"city":"Lisbon","degrees":31}\nreturned: take a hat to Lisbon\n' +
        'FORECAST {"city":"Oslo","degrees":9}\nreturned: take a coat to Oslo\n',
    });
  });

  it('a release that waits for approval resumes when it is given', async () => {
    const store = ['--dir', join(scratch, 'approved')];
    const plan = 'examples/plans/release/release.json';
    const { stdout: hash } = await statedsl(['plan', 'approve', plan]);
    const first = ['run', plan, '-i', 'version=2.0.0', '--approved', hash.trim(), '--json', ...store];
    const suspended = await statedsl([...first]);
    expect(suspended.code).toBe(75);
    const { run_id, waiting } = JSON.parse(suspended.stdout);
    expect(waiting).toEqual([{ id: 'approvals.publish@1', kind: 'approval', path: 'approvals.publish' }]);
    const done = await statedsl(['answer', run_id, 'approvals.publish=true', ...store]);
    expect(done).toMatchObject({ code: 0, stdout: 'https://packages.example/release\n' });
  });

  it('every program has a record, and the checker has nothing to say about any', async () => {
    const files = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' });
    // Those of `implement-spec` have records of another form, and a test of their own.
    const programs = files
      .filter((path) => /\.dsl$|skill\.md$|^plans\/(\w+)\/\1\.json$/.test(path))
      .filter((path) => !path.startsWith('implement-spec/'))
      .map((path) => `examples/${path}`);
    const recorded = new Set(records.map((path) => words(readFileSync(path, 'utf8').slice(2))[2]));
    // A test file and the programs that use one pattern are run by their tests.
    const isTested = (path: string): boolean => path.endsWith('.test.dsl') || path.startsWith('examples/patterns/');
    expect(programs.filter((path) => !recorded.has(path) && !isTested(path))).toEqual([]);
    const { code, stdout, stderr } = await statedsl(['check', '--strict', ...programs]);
    expect({ code, stdout, stderr: code === 0 ? '' : stderr }).toEqual({ code: 0, stdout, stderr: '' });
  });

  it('every program and pattern has the layout of `fmt`', async () => {
    const files = ['examples', 'patterns'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((path) => /\.dsl$|skill\.md$/.test(path))
        .map((path) => `${folder}/${path}`),
    );
    expect(await statedsl(['fmt', '--check', ...files], root)).toMatchObject({ code: 0, stdout: '' });
  });
});
