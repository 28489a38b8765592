/** Files that a program or a person names and that are none of the project: what is read, and what is written. */
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
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
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain('it is outside of');
  expect(refused.stdout + refused.stderr).not.toContain(SECRET);
  expect((await one.run(['run', 'p.dsl', '--allow-outside', '--quiet'])).stdout).toContain(SECRET);
  const judged = step
    .replace(/CONTEXT: .*\n {2}/, '')
    .replace('RETURN', `  GATE: schema "${join(one.outside, 'shadow')}"\nRETURN`);
  one.file('r.dsl', judged);
  const unread = await one.run(['run', 'r.dsl']);
  // Before the agent is called.
  expect([unread.code, unread.stdout]).toEqual([2, '']);
  expect(unread.stderr).toMatch(/missing-context.*the schema .* cannot be read: it is outside of/);
  one.file('q.dsl', `INPUT: p = "pipe"\n${step.replace(/CONTEXT: .*\n/, 'CONTEXT: file="{p}"\n')}`);
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

describe('files that commands write', () => {
  const PROGRAM = 'STATE: A\n  DO: x = echo hi\n  IF: x == "no" → FAIL: bad\n  RETURN: {x}\n';
  const TESTS = 'TESTS: "./q.dsl"\nTEST: t\n  MOCK: "echo*" → "hi"\n  EXPECT: snapshot\n';
  const CASSETTE = 'TESTS: "./q.dsl"\nTEST: c\n  CASSETTE: "./c.yaml"\n';
  /** The command, and the name that it writes. */
  const doors = {
    snapshots: [['test', 'q.test.dsl'], 'q.test.dsl.snap'],
    'suggested tests': [['test', 'q.test.dsl', '--suggest'], 'q.suggested.test.dsl'],
    coverage: [['test', 'q.test.dsl', '--coverage=lcov:made'], 'made'],
    'coverage as a picture': [['test', 'q.test.dsl', '--coverage=svg:made'], 'made'],
    'tests of traces': [['verify', 'q.dsl', '--write-tests', 'w'], 'w/q.verified.test.dsl'],
    'a recording': [['run', 'q.dsl', '--record', 'made', '--overwrite'], 'made'],
    'a page': [['report', '--html', 'made'], 'made'],
    'a cassette': [['test', 'c.test.dsl', '--update-cassettes', '--no-offline'], 'c.yaml'],
  } as const;

  function repository(): ReturnType<typeof placed> {
    const one = placed({ 'q.dsl': PROGRAM, 'q.test.dsl': TESTS, 'c.test.dsl': CASSETTE, 'w/keep': '' });
    mkdirSync(join(one.folder, '.git'));
    return one;
  }

  test.each(Object.entries(doors))('%s: not through a link', async (_, [args, name]) => {
    for (const target of ['new', 'shadow']) {
      const one = repository();
      if (args[0] === 'report') await one.run(['run', 'q.dsl', '--quiet']);
      symlinkSync(join(one.outside, target), join(one.folder, name));
      const { code, stderr } = await one.run([...args]);
      expect(code, stderr).not.toBe(0);
      expect(stderr).toMatch(/symbolic link|outside of/);
      expect(readdirSync(one.outside).sort()).toEqual(['p.dsl', 'shadow']);
      expect(readFileSync(join(one.outside, 'shadow'), 'utf8')).toBe(`${SECRET}\n`);
    }
  });

  test.each(Object.entries(doors))(
    '%s: not into a folder that a link of the project leads to',
    async (_, [args, name]) => {
      const one = repository();
      if (args[0] === 'report') await one.run(['run', 'q.dsl', '--quiet']);
      const names = ['q.dsl', 'q.test.dsl', 'c.test.dsl'];
      for (const file of names) copyFileSync(join(one.folder, file), join(one.outside, file));
      rmSync(join(one.folder, 'w'), { recursive: true });
      symlinkSync(one.outside, join(one.folder, 'w'));
      const inside = args.map((word) => (names.includes(word) ? `w/${word}` : word.replace('made', 'w/made')));
      const { code, stderr } = await one.run(inside);
      expect(code, stderr).not.toBe(0);
      expect(stderr).toContain('outside of');
      expect(readdirSync(one.outside).sort()).toEqual(['c.test.dsl', 'p.dsl', 'q.dsl', 'q.test.dsl', 'shadow']);
      if (name !== 'made' || args[0] === 'test') return;
      expect((await one.run([...inside, '--allow-outside'])).stderr).not.toContain('outside of');
      expect(readdirSync(one.outside)).toContain('made');
    },
  );

  test('nor where a test file says', async () => {
    const one = repository();
    one.file('c.test.dsl', CASSETTE.replace('./c.yaml', `${one.outside}/c.yaml`));
    const { code, stderr } = await one.run(['test', 'c.test.dsl', '--update-cassettes', '--no-offline']);
    expect(code).toBe(2);
    expect(stderr).toContain('outside of');
    expect(readdirSync(one.outside)).not.toContain('c.yaml');
  });

  test('the folder of large values is a folder, and no other is emptied', async () => {
    const one = repository();
    one.file('big.dsl', 'DO: x = head -c 100000 /dev/zero | tr "\\0" a\nRETURN: ok\n');
    one.file('c.test.dsl', CASSETTE.replace('q.dsl', 'big.dsl'));
    for (const args of [
      ['run', 'big.dsl', '--record', 'made', '--overwrite'],
      ['test', 'c.test.dsl', '--update-cassettes', '--no-offline'],
    ]) {
      symlinkSync(one.outside, join(one.folder, 'made.large'));
      symlinkSync(one.outside, join(one.folder, 'c.yaml.large'));
      await one.run(args);
      expect(readdirSync(one.outside).sort()).toEqual(['p.dsl', 'shadow']);
      for (const link of ['made.large', 'c.yaml.large'])
        rmSync(join(one.folder, link), { recursive: true, force: true });
    }
  });

  test('a link to a file of the project stays a link, and the file is changed', async () => {
    const one = repository();
    one.file('real.dsl', 'DO:    true\n');
    symlinkSync('real.dsl', join(one.folder, 'x.dsl'));
    expect((await one.run(['fmt', 'x.dsl'])).code).toBe(0);
    expect(readFileSync(join(one.folder, 'real.dsl'), 'utf8')).toBe('DO: true\n');
    writeFileSync(join(one.outside, 'p.dsl'), 'DO:    true\n');
    symlinkSync(join(one.outside, 'p.dsl'), join(one.folder, 'y.dsl'));
    for (const args of [['fmt'], ['check', '--fix']]) {
      const { code, stderr } = await one.run([...args, 'y.dsl']);
      expect(code).toBe(2);
      expect(stderr).toContain('cannot read `y.dsl`: it is outside of');
      expect(readFileSync(join(one.outside, 'p.dsl'), 'utf8')).toBe('DO:    true\n');
    }
    expect((await one.run(['fmt', '--allow-outside', 'y.dsl'])).code).toBe(0);
    expect(readFileSync(join(one.outside, 'p.dsl'), 'utf8')).toBe('DO: true\n');
  });

  test('the answer of an agent', async () => {
    const one = repository();
    one.file('a.dsl', 'DO: Task(a) "x" > out.txt\n');
    one.file('m.yaml', 'agents: { a: [evil] }\n');
    symlinkSync(join(one.outside, 'shadow'), join(one.folder, 'out.txt'));
    const { code, stderr } = await one.run(['run', 'a.dsl', '--mock', 'm.yaml']);
    expect(code).toBe(1);
    expect(stderr).toContain("cannot write the agent's answer to `out.txt`: it is a symbolic link");
    expect(readFileSync(join(one.outside, 'shadow'), 'utf8')).toBe(`${SECRET}\n`);
  });
});

describe('files that a person names', () => {
  const commands = [
    ['check', 'l.dsl'],
    ['run', 'l.dsl'],
    ['fmt', 'l.dsl'],
    ['convert', 'l.dsl'],
    ['graph', 'l.dsl'],
    ['disassemble', 'l.dsl'],
    ['verify', 'l.dsl'],
    ['plan', 'check', 'l.json'],
    ['test', 'l.test.dsl'],
    ['run', 'p.dsl', '--mock', 'l.yaml'],
    ['run', 'own.dsl', '--cassette', 'l.yaml'],
    ['run', 'p.dsl', '--input-file', 'l.json'],
    ['run', 'p.dsl', '-i', 'n=@l.yaml'],
    ['check', 'p.dsl', '--tools', 'l.yaml'],
  ];

  test.each(commands.map((args) => [args.join(' '), args] as const))(
    '%s: no link leads out of the project',
    async (_, args) => {
      const one = placed({ 'own.dsl': 'RETURN: 1\n', 'p.dsl': 'INPUT: n = "x"\nCALL: a → †state.x\nRETURN: {n}\n' });
      for (const name of ['l.dsl', 'l.json', 'l.test.dsl', 'l.yaml'])
        symlinkSync('../'.concat(`${basename(one.outside)}/shadow`), join(one.folder, name));
      const { code, stdout, stderr } = await one.run(args);
      expect(code).toBe(2);
      expect(stdout + stderr).toContain('outside of');
      expect(stdout + stderr).not.toContain(SECRET);
    },
  );

  test('they may be anywhere, also where links of the person lead', async () => {
    const one = placed({ 'p.dsl': 'RETURN: 1\n' });
    mkdirSync(join(one.outside, 'real'));
    writeFileSync(join(one.outside, 'real/q.dsl'), 'RETURN: 2\n');
    symlinkSync('real', join(one.outside, 'linked'));
    expect((await one.run(['run', '--quiet', join(one.outside, 'linked/q.dsl')])).stdout).toBe('2\n');
    symlinkSync('q.dsl', join(one.outside, 'real/r.dsl'));
    expect((await one.run(['run', '--quiet', join(one.outside, 'linked/r.dsl')])).stdout).toBe('2\n');
  });
});

test.each([
  ['t.test.dsl', 'TESTS: "OUT/shadow"\nTEST: t\n', 'outside of'],
  ['t.test.dsl', 'TESTS: "./link"\nTEST: t\n', 'outside of'],
  ['t.test.dsl', 'TESTS: "./plan.json"\nTEST: t\n', 'outside of'],
  ['t.test.dsl', 'TESTS: "./own.dsl"\nTEST: t\n  CASSETTE: "./link"\n', 'outside of'],
  ['t.test.dsl', 'TESTS: "./own.dsl"\nTEST: t\n  CASSETTE: "OUT/shadow"\n', 'outside of'],
  ['p.dsl', 'IMPORT: "-"\nDO: true\n', 'it is a stream'],
  ['p.dsl', 'IMPORT: "/dev/stdin"\nDO: true\n', 'it is a stream'],
  ['p.dsl', 'IMPORT: "./.git/config"\nDO: true\n', 'it belongs to git'],
  ['p.dsl', 'STEP: s type=artifact\n  CONTEXT: file=link\n  PROMPT: "x"\n  AGENT: claude\n', 'outside of'],
  ['p.dsl', 'STEP: s type=artifact\n  CONTEXT: file=OUT/shadow\n  PROMPT: "x"\n  AGENT: claude\n', 'outside of'],
  [
    'p.dsl',
    'STEP: s type=artifact\n  CONTEXT: file=.git/config\n  PROMPT: "x"\n  AGENT: claude\n',
    'it belongs to git',
  ],
  ['p.dsl', 'STEP: s type=artifact\n  CONTEXT: file=pipe\n  PROMPT: "x"\n  AGENT: claude\n', 'it is a named pipe'],
])('check refuses in %s: %s', async (name, text, why) => {
  const one = placed({ 'own.dsl': 'RETURN: 1\n', '.git/config': `${SECRET}\n` });
  symlinkSync(join(one.outside, 'shadow'), join(one.folder, 'plan.json'));
  one.file(name, text.replace('OUT', one.outside));
  const { code, stdout, stderr } = await one.run(['check', name, '--allow-outside'].slice(0, 2));
  expect(code).toBe(2);
  expect(stderr).toContain(why);
  expect(stdout + stderr).not.toContain(SECRET);
});

test('a message about a file shows no secret of the environment, and nothing of a file that is no text', async () => {
  const one = placed({ 'p.dsl': 'DO: x = echo {hunter2secret}\nDOO: hunter2secret\n' });
  const env = { MY_TOKEN: 'hunter2secret' };
  for (const args of [
    ['check', 'p.dsl'],
    ['check', '--json', 'p.dsl'],
    ['fmt', 'p.dsl'],
    ['run', 'p.dsl'],
    ['graph', 'p.dsl'],
  ]) {
    const { code, stdout, stderr } = await one.run(args, { env });
    expect(code).toBe(2);
    expect(stdout + stderr).toContain('error');
    expect(stdout + stderr).not.toContain('hunter2');
  }
  // What `--fix` has replaced may be one, too.
  for (const more of [[], ['--json']]) {
    one.file('f.dsl', 'STATE: A\n  RETRUN: 1\n');
    const { code, stdout, stderr } = await one.run(['check', '--fix', 'f.dsl', ...more], {
      env: { MY_TOKEN: 'RETRUN' },
    });
    expect([code, readFileSync(join(one.folder, 'f.dsl'), 'utf8')]).toEqual([0, 'STATE: A\n  RETURN: 1\n']);
    expect(stdout + stderr).toContain('***');
    expect(stdout + stderr).not.toContain('RETRUN');
  }
  one.file('n.dsl', `${SECRET}\0more`);
  const { code, stderr } = await one.run(['check', 'n.dsl']);
  expect(code).toBe(2);
  expect(stderr).toContain(`n.dsl:1:${SECRET.length + 1}`);
  expect(stderr).not.toContain(SECRET.slice(0, 8));
});

describe('files that are found and not named', () => {
  const TOOLS = 'a:\n  run: ["echo", "1"]\n';
  const PLAN = '[{"_tool": "a", "_outputPath": "†state.x"}]\n';

  /** Another user can change it. Root gives it away; others let their group, which this process is not in, write to it. */
  function giveAway(path: string): void {
    if (process.getuid?.() === 0) chownSync(path, 65_534, 65_534);
    else {
      chmodSync(path, 0o664);
      const group = (process.getgid?.() ?? 0) + 1;
      vi.spyOn(process, 'getgid').mockReturnValue(group);
      onTestFinished(() => void vi.restoreAllMocks());
    }
  }

  test.each([
    ['tools.yaml', ['run', 'p.json'], 'belongs to another user|its group can write to it'],
    ['tools.yaml', ['plan', 'check', 'p.json'], 'belongs to another user|its group can write to it'],
    ['workflows/w.dsl', ['run', 'w'], 'cannot read `w`'],
    ['t.test.dsl', ['test'], 'is not run'],
    ['statedsl.config.yaml', ['run', 'q.dsl'], 'is ignored because'],
  ])('%s for %s', async (name, args, why) => {
    const files = {
      'tools.yaml': TOOLS,
      'p.json': PLAN,
      'q.dsl': 'RETURN: 1\n',
      'workflows/w.dsl': 'DO: echo ran\n',
      't.test.dsl': 'TESTS: "./q.dsl"\nTEST: t\n',
      'statedsl.config.yaml': 'gates: { test: "true" }\n',
    };
    const one = projectFolder(files);
    const before = await one.run(args);
    expect(before.code, before.stderr).toBe(0);
    giveAway(join(one.folder, name));
    const { code, stdout, stderr } = await one.run(args);
    expect(stdout + stderr).toMatch(new RegExp(why));
    if (!name.includes('config')) expect(code).not.toBe(0);
    // A person may name it.
    if (name === 'tools.yaml') expect((await one.run([...args, '--tools', 'tools.yaml'])).code).toBe(0);
    if (name === 't.test.dsl') expect((await one.run([...args, name])).code).toBe(0);
    if (name.startsWith('workflows')) expect((await one.run(['run', name])).code).toBe(0);
  });

  test('files of a group that is not the own one of the user', async () => {
    const one = projectFolder({ 'tools.yaml': TOOLS, 'p.json': PLAN });
    const file = join(one.folder, 'tools.yaml');
    chmodSync(file, 0o664);
    expect((await one.run(['run', 'p.json'])).code).toBe(0);
    const group = statSync(file).gid + 1;
    vi.spyOn(process, 'getgid').mockReturnValue(group);
    onTestFinished(() => void vi.restoreAllMocks());
    expect((await one.run(['run', 'p.json'])).stderr).toContain('its group can write to it');
    chmodSync(file, 0o644);
    chmodSync(one.folder, 0o770);
    expect((await one.run(['run', 'p.json'])).stderr).toContain('its group can write to its folder');
  });
});
