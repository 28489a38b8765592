/** Files that a program names and that are none of its project. */
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { output, runProgramSync } from '../harness/process.js';
import { cli, type ProjectFolder, projectFolder } from './statedsl.js';

const SECRET = 'root:5e884898da28047151d0e56f8dc62927';

/** A folder, and next to it a file that is none of its own. */
function placed(files: Readonly<Record<string, string>>): ProjectFolder & { readonly outside: string } {
  const one = projectFolder(files);
  const outside = `${one.folder}-outside`;
  mkdirSync(outside);
  onTestFinished(() => rmSync(outside, { recursive: true }));
  writeFileSync(join(outside, 'shadow'), `${SECRET}\n`);
  writeFileSync(join(outside, 'p.dsl'), 'PATTERN: P\n  DO: true\n');
  symlinkSync(join(outside, 'shadow'), join(one.folder, 'link'));
  output('mkfifo', [join(one.folder, 'pipe')]);
  return { ...one, outside };
}

test.each([
  ['shadow', 'it is outside of'],
  ['link', 'it is outside of'],
  ['pipe', 'it is a named pipe'],
  ['/dev/zero', 'it is a device'],
])('an import of %s', async (name, why) => {
  const one = placed({});
  const path = name === 'shadow' ? join(one.outside, name) : name;
  one.file('p.dsl', `IMPORT: "${path}"\nDO: true\n`);
  const { code, stderr } = await one.run(['check', 'p.dsl']);
  expect(code).toBe(2);
  expect(stderr).toContain(`cannot import \`${path}\`: ${why}`);
  expect(stderr).not.toContain(SECRET);
});

test('a repository is one project, and everything is allowed where a person says so', () => {
  const one = placed({ 'lib/a.dsl': 'PATTERN: A\n  DO: true\n', 'flows/p.dsl': 'IMPORT: "../lib/a.dsl"\nUSE: A\n' });
  mkdirSync(join(one.folder, '.git'));
  const check = (...words: string[]): number | null =>
    runProgramSync(process.execPath, [cli, 'check', ...words], { cwd: one.outside }).code;
  expect(check(join(one.folder, 'flows/p.dsl'))).toBe(0);
  rmSync(join(one.folder, '.git'), { recursive: true });
  expect(check(join(one.folder, 'flows/p.dsl'))).toBe(2);
  expect(check('--allow-outside', join(one.folder, 'flows/p.dsl'))).toBe(0);
});

test('context and schemas of a step', async () => {
  const one = placed({ 'statedsl.config.yaml': 'agents:\n  a: { adapter: command, run: [cat] }\n' });
  const step = `STEP: s type=artifact\n  CONTEXT: file=${join(one.outside, 'shadow')}\n  PROMPT: "x"\n  AGENT: a\nRETURN: "{s.output}"\n`;
  one.file('p.dsl', step);
  const refused = await one.run(['run', 'p.dsl']);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('it is outside of');
  expect(refused.stdout + refused.stderr).not.toContain(SECRET);
  expect((await one.run(['run', 'p.dsl', '--allow-outside', '--quiet'])).stdout).toContain(SECRET);
  one.file('q.dsl', step.replace(/CONTEXT: .*\n/, 'CONTEXT: file=pipe\n'));
  expect((await one.run(['run', 'q.dsl'])).stderr).toContain('it is a named pipe');
});

test('what a person names may be a stream, and no other device', () => {
  const one = placed({});
  const shell = (text: string) => runProgramSync('bash', ['-c', text], { cwd: one.folder });
  const run = `${process.execPath} ${cli} run --quiet`;
  expect(shell(`${run} <(echo 'RETURN: 1')`).stdout).toBe('1\n');
  expect(shell(`echo 'RETURN: 2' | ${run} /dev/stdin`).stdout).toBe('2\n');
  expect(shell(`${run} pipe; ${run} /dev/zero`).stderr).toBe(
    'error: cannot read `pipe`: it is a named pipe\nerror: cannot read `/dev/zero`: it is a device\n',
  );
});

test.each([
  ['link', 2, 'cannot be used: it is outside of'],
  ['pipe', 2, 'cannot be used: it is a named pipe'],
  ['/dev/zero', 0, 'is ignored because everyone can write to it'],
])('a configuration that is %s is refused at once, and never quoted', async (target, exit, why) => {
  const one = placed({ 'p.dsl': 'DO: true\n' });
  symlinkSync(target, join(one.folder, 'statedsl.config.yaml'));
  const { code, stderr } = await one.run(['check', 'p.dsl']);
  expect(code).toBe(exit);
  expect(stderr).toContain(`statedsl.config.yaml\` ${why}`);
  expect(stderr).not.toContain(SECRET);
  expect((await one.run(['run', 'p.dsl'])).stderr).toContain(`statedsl.config.yaml\` ${why}`);
});

test('a mock and the script of a fake agent are files, or a stream that a person names', async () => {
  const one = placed({
    'p.dsl': 'DO: x = Task(a) "x"\nRETURN: {x}\n',
    'statedsl.config.yaml': 'agents:\n  a: { adapter: fake, model: pipe }\n',
  });
  const run = await one.run(['run', 'p.dsl']);
  expect(run.code).toBe(1);
  expect(run.stderr).toContain('pipe`: it is a named pipe');
  expect((await one.run(['run', 'p.dsl', '--mock', 'pipe'])).stderr).toContain(
    'cannot read `pipe`: it is a named pipe',
  );
  expect((await one.run(['run', 'p.dsl', '--mock', '/dev/zero'])).stderr).toContain(
    'cannot read `/dev/zero`: it is a device',
  );
  const text = `${process.execPath} ${cli} run --quiet p.dsl --mock <(echo 'agents: { a: [yes] }')`;
  expect(runProgramSync('bash', ['-c', text], { cwd: one.folder }).stdout).toBe('yes\n');
});

test('the log begins with the configuration that decides what is started', async () => {
  const one = projectFolder({
    'p.dsl': 'DO: true\n',
    'statedsl.config.yaml': 'agents:\n  claude-opus: { adapter: fake, model: a.yaml }\ngates: { test: "true" }\n',
  });
  const { stderr } = await one.run(['run', 'p.dsl']);
  expect(stderr).toContain('warning[configuration]: the configuration replaces the built-in agent `claude-opus`');
  expect(stderr).toContain('\nconfiguration statedsl.config.yaml: agents claude-opus; gates test\n→ MAIN\n');
  expect((await one.run(['check', 'p.dsl', 'p.dsl'])).stderr.match(/replaces the built-in agent/g)).toHaveLength(1);
  expect((await one.run(['run', '--quiet', 'p.dsl'])).stderr).toBe('');
  chmodSync(join(one.folder, 'statedsl.config.yaml'), 0o666);
  expect((await one.run(['run', 'p.dsl'])).stderr).toContain('is ignored because everyone can write to it');
});
