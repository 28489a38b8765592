/** Runs with a worktree of their own: what they leave alone, what survives, and how their work is taken over. */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { randomNumbers, seed } from '../random.js';
import { deadlyGit, project, reportOf, workflow } from './repository.js';
import { ended, projectFolder } from './statedsl.js';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('the repository of the user', () => {
  test('does not change until the work is applied', async () => {
    const one = project({
      'w.yaml': workflow(['one', 'echo new > ünew; rm old'], ['two', 'echo more >> ünew']),
      old: 'x\n',
    });
    const before = one.look();
    const report = reportOf(await one.run(['run', 'w.yaml', '--json']));
    const branch = `statedsl/${report.run_id}`;
    expect(report).toMatchObject({ status: 'returned', worktree: { branch, changed: true } });
    expect(one.look()).toEqual(before);
    expect(one.git('log', '--format=%s', `main..${branch}`)).toBe('two, attempt 1\none, attempt 1\n');
    expect(reportOf(await one.run(['runs', '--json'])).runs).toMatchObject([{ branch }]);
    expect(reportOf(await one.run(['show', '--json']))).toMatchObject({ worktree: { branch } });
    expect((await one.run(['report'])).stdout).toContain(branch);
    expect((await one.run(['apply'])).stderr).toContain('2 files');
    expect(readFileSync(join(one.folder, 'ünew'), 'utf8')).toBe('new\nmore\n');
    expect(one.git('--no-optional-locks', 'status', '--porcelain')).toBe('');
    expect(one.git('branch', '--format=%(refname:short)')).toBe('main\n');
  });

  test('keeps a worktree away from programs, unless one is asked for', async () => {
    const one = project({ 'p.dsl': 'DO: pwd > where\n', 'w.yaml': workflow(['one', 'pwd > where']) });
    const where = (): string => readFileSync(join(one.folder, 'where'), 'utf8').trim();
    expect((await one.run(['run', 'p.dsl'])).code).toBe(0);
    expect(where()).toBe(one.folder);
    rmSync(join(one.folder, 'where'));
    expect((await one.run(['run', '--worktree', 'p.dsl'])).code).toBe(0);
    expect(readFileSync(one.worktree('where'), 'utf8').trim()).toBe(one.worktree().replace(/\/$/, ''));
    expect((await one.run(['run', 'p.dsl'], { env: { STATEDSL_WORKTREE: 'on' } })).code).toBe(0);
    expect(one.git('branch', '--format=%(refname:short)').split('\n')).toHaveLength(4);
    expect((await one.run(['run', 'w.yaml', '--worktree=off'])).code).toBe(0);
    expect(where()).toBe(one.folder);
  });
});

describe('a run is refused', () => {
  test('where files are not committed, and names them', async () => {
    const one = project({ 'w.yaml': workflow(['one', 'true']) });
    writeFileSync(join(one.folder, 'a b'), '');
    const refused = await one.run(['run', 'w.yaml', '--json']);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('`a b` is not committed') });
    expect(reportOf(refused)).toMatchObject({ status: 'invalid', diagnostics: [{ code: 'worktree' }] });
    expect((await one.run(['run', 'w.yaml', '--worktree=off'])).code).toBe(0);
  });

  test('where there is no commit, and works in place where there is no repository', async () => {
    const one = projectFolder({ 'p.dsl': 'DO: echo x > made\n' });
    const inPlace = await one.run(['run', 'p.dsl', '--worktree']);
    expect(inPlace).toMatchObject({ code: 0, stderr: expect.stringContaining('not in a git repository') });
    expect(readFileSync(join(one.folder, 'made'), 'utf8')).toBe('x\n');
    await one.runProcess(['run', '-'], { input: 'DO: git init -q\n' });
    const refused = await one.run(['run', 'p.dsl', '--worktree=on']);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('has no commit yet') });
  });

  test('with a word that is neither on nor off', async () => {
    const one = projectFolder({ 'p.dsl': 'RETURN: 1\n' });
    expect(await one.run(['run', 'p.dsl', '--worktree=maybe'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('must be on or off'),
    });
  });
});

describe('a run that was killed', () => {
  test('takes back what an agent did by half, and nothing else', async () => {
    const slow = 'echo two >> log; [ -e ../../../go ] || sleep 60';
    const one = project({ 'w.yaml': workflow(['one', 'echo one >> log'], ['two', slow]) });
    const child = one.start(['run', 'w.yaml', '--quiet']);
    const log = (): string => {
      try {
        return readFileSync(one.worktree('log'), 'utf8');
      } catch {
        return '';
      }
    };
    while (!log().includes('two')) await pause(50);
    child.kill('SIGKILL');
    await ended(child);
    writeFileSync(join(one.folder, 'go'), '');
    expect(reportOf(await one.run(['resume', '--json']))).toMatchObject({ status: 'returned' });
    expect(log()).toBe('one\ntwo\n');
  });

  test('comes to the same end, whichever call of git was the last', async () => {
    const steps = workflow(['one', 'echo one >> log; echo x > gone'], ['two', 'echo two >> log; rm gone']);
    const number = 1 + Math.floor(randomNumbers(seed)() * 14);
    for (const when of ['before', 'after'] as const) {
      const one = project({ 'w.yaml': steps });
      const env = deadlyGit(one, number, when);
      const first = await one.runProcess(['run', 'w.yaml', '--json'], { env });
      const began = (await one.run(['runs', '--json'])).stdout.includes('run_id');
      const how = `${when} call ${number}`;
      // Killed while the worktree was made, there is no run yet, and a new one is not hindered.
      const again = began ? ['resume'] : ['run', 'w.yaml'];
      const report = reportOf(first.code === null ? await one.runProcess([...again, '--json'], { env }) : first);
      expect(report, how).toMatchObject({ status: 'returned' });
      expect(readFileSync(one.worktree('log'), 'utf8'), how).toBe('one\ntwo\n');
      expect(one.git('ls-tree', '--name-only', report.worktree.branch), how).toBe(
        'agent.sh\nlog\nstatedsl.config.yaml\nw.yaml\n',
      );
      expect(reportOf(await one.run(['replay', report.run_id, '--json'])), how).toMatchObject({ status: 'same' });
    }
  });
});

test('replaying from a step begins with the files of that point, in a worktree of its own', async () => {
  const one = project({ 'w.yaml': workflow(['one', 'echo one >> log'], ['two', 'echo two >> log']) });
  const { run_id } = reportOf(await one.run(['run', 'w.yaml', '--json']));
  const old = one.worktree('log');
  const again = reportOf(await one.run(['replay', run_id, '--from', 'two', '--json']));
  expect(again).toMatchObject({ status: 'returned', worktree: { branch: `statedsl/${again.run_id}` } });
  expect(one.worktree('log')).not.toBe(old);
  for (const log of [old, one.worktree('log')]) expect(readFileSync(log, 'utf8')).toBe('one\ntwo\n');
  expect(one.git('log', '--format=%s', `main..statedsl/${again.run_id}`)).toBe('two, attempt 1\none, attempt 1\n');
  expect((await one.run(['replay', run_id, '--from', 'two#2'])).stderr).toContain('the step `two` had 1 attempt');
});

test('a repository without the commits of a run says how to get them', async () => {
  const one = project({ 'w.yaml': workflow(['one', 'echo one >> log'], ['two', 'echo two >> log']) });
  const { run_id, worktree } = reportOf(await one.run(['run', 'w.yaml', '--json']));
  one.git('worktree', 'remove', '--force', worktree.directory);
  one.git('branch', '-D', worktree.branch);
  one.git('-c', 'gc.reflogExpire=now', 'gc', '-q', '--prune=now');
  const again = await one.run(['replay', run_id, '--from', 'two']);
  expect(again.code).toBe(1);
  expect(again.stderr).toMatch(
    /does not have the commit `[0-9a-f]{12}` with the files of that point\n.*git fetch REPOSITORY/,
  );
});

describe('replaying from a state', () => {
  const PROGRAM = `STATE: A
  DO: echo a >> log
  CHECK: n = wc -l < log
  GOTO: B
STATE: B
  DO: echo b >> log
  GOTO: C
STATE: C
  DO: echo c >> log
  RETURN: 1
`;

  test('begins with the files of its entry, also in a run that was replayed itself', async () => {
    const one = project({ 'p.dsl': PROGRAM });
    const first = reportOf(await one.run(['run', 'p.dsl', '--worktree', '--json']));
    expect(one.git('log', '--format=%s', `main..${first.worktree.branch}`)).toBe(
      'end of the run\nbefore C\nbefore B\n',
    );
    const again = async (run: string, from: string) => {
      const report = reportOf(await one.run(['replay', run, '--from', from, '--json']));
      expect(report.status).toBe('returned');
      expect(one.git('show', `${report.worktree.branch}:log`), from).toBe('a\nb\nc\n');
      return report.run_id as string;
    };
    const second = await again(first.run_id, 'C');
    await again(first.run_id, 'B');
    await again(first.run_id, 'A');
    await again(await again(second, 'C'), 'B');
  });

  test('says so where an event begins with other files', async () => {
    const one = project({ 'p.dsl': PROGRAM });
    const first = reportOf(await one.run(['run', 'p.dsl', '--worktree', '--json']));
    // After the DO of the state A, before its CHECK.
    const replayed = await one.run(['replay', first.run_id, '--from', '5']);
    expect(replayed.stderr).toMatch(/warning: the worktree has the files of the beginning of the run, .* and event 5;/);
  });
});

test('gc keeps what was not applied, and says so', async () => {
  const one = project({ 'w.yaml': workflow(['one', 'echo one >> log']) });
  const { run_id } = reportOf(await one.run(['run', 'w.yaml', '--json']));
  const kept = await one.run(['gc', '--keep-last', '0']);
  expect(kept.stderr).toContain(`run ${run_id} is kept because its changes have not been applied`);
  expect(one.git('branch')).toContain(run_id);
  expect((await one.run(['apply', run_id])).code).toBe(0);
  expect((await one.run(['gc', '--keep-last', '0'])).stdout).toContain('removed 1 run');
  expect((await one.run(['run', 'w.yaml'])).code).toBe(0);
  expect((await one.run(['gc', '--keep-last', '0', '--all'])).stdout).toContain('removed 1 run');
  expect(one.git('branch', '--format=%(refname:short)')).toBe('main\n');
});

test('what could not be committed is neither applied in part nor removed', async () => {
  // Git takes no file of this name.
  const one = project({ 'p.dsl': 'DO: echo x > fine; echo y > "git~1"\n', 'q.dsl': 'DO: echo x > fine; false\n' });
  const ran = await one.run(['run', 'p.dsl', '--worktree', '--json', '--log']);
  expect(ran.code).toBe(0);
  expect(ran.stderr).toMatch(/its latest changes are only in \S+: .*\n {2}try again with: statedsl apply /);
  const { run_id } = reportOf(ran);
  const before = one.look();
  expect(await one.run(['apply', run_id])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('cannot be committed'),
  });
  expect(one.look()).toEqual(before);
  const failed = reportOf(await one.run(['run', 'q.dsl', '--worktree', '--json']));
  expect((await one.run(['gc', '--keep-last', '0'])).stdout).toBe(
    `kept  ${failed.run_id}  q  failed\nkept  ${run_id}  p  returned\nnothing to remove\n`,
  );
  const worktree = join(one.folder, '.statedsl/worktrees', run_id);
  expect(readFileSync(join(worktree, 'git~1'), 'utf8')).toBe('y\n');
  renameSync(join(worktree, 'git~1'), join(worktree, 'other'));
  expect(await one.run(['apply', run_id])).toMatchObject({ code: 0, stderr: expect.stringContaining('2 files') });
  expect(existsSync(worktree)).toBe(false);
});

test('a difference of any size is kept once, and is there again after a crash', async () => {
  const commands = 'seq 1 40000 > numbers';
  const one = project({ 'w.yaml': workflow(['one', commands], ['two', 'exit 3']) });
  const { run_id } = reportOf(await one.run(['run', 'w.yaml', '--json']));
  const folder = join(one.folder, '.statedsl/runs', run_id);
  const journal = readFileSync(join(folder, 'journal.ndjson'), 'utf8');
  expect(journal.length).toBeLessThan(30_000);
  const artifacts = readdirSync(join(folder, 'artifacts')).map((name) => join(folder, 'artifacts', name));
  expect(artifacts.filter((path) => readFileSync(path, 'utf8').includes('+40000\n'))).toHaveLength(1);
  rmSync(join(folder, 'checkpoint.json'), { force: true });
  expect(reportOf(await one.run(['replay', run_id, '--json']))).toMatchObject({ status: 'same' });
});

describe('parallel tasks', () => {
  const TASKS = `steps:
  - name: build
    type: split
    get: { prompt: "cp tasks.json $STATEDSL_OUT/plan.json" }
    run: { agent: coder }
    parallel: true
    each:
      - name: work
        type: code
        get: { prompt: "{task.description}" }
        run: { agent: coder }
  - name: after
    type: code
    get: { prompt: "tr '\\n' ' ' < list > joined" }
    run: { agent: coder }
`;
  const list = 'a\nb\nc\nd\ne\nf\n';
  const tasks = (...commands: string[]): string =>
    JSON.stringify(commands.map((description, index) => ({ name: `t${index}`, description })));
  const edits = (first: string, second: string) => ({
    'w.yaml': TASKS,
    list,
    'tasks.json': tasks(`echo t0 >> ../../log; sed -i ${first} list`, `echo t1 >> ../../log; sed -i ${second} list`),
  });
  const workDone = (folder: string): string[] =>
    readFileSync(join(folder, '.statedsl/log'), 'utf8').trim().split('\n').sort();

  test('work apart, and come together in their order', async () => {
    const one = project(edits('1s/.*/one/', '6s/.*/two/'));
    const report = reportOf(await one.run(['run', 'w.yaml', '--json']));
    expect(report).toMatchObject({ status: 'returned' });
    expect(readFileSync(one.worktree('joined'), 'utf8')).toBe('one b c d e two ');
    expect(one.git('log', '--first-parent', '--format=%s', `main..${report.worktree.branch}`)).toBe(
      'after, attempt 1\nmerge task build/t1\nbuild/t0/work, attempt 1\n',
    );
  });

  test('that cannot be merged fail the run, which can be resumed after a person has merged them', async () => {
    const one = project(edits('1s/.*/one/', '1s/.*/two/'));
    const report = reportOf(await one.run(['run', 'w.yaml', '--json']));
    expect(report).toMatchObject({ status: 'failed', error: { kind: 'merge_conflict' } });
    for (const named of ['`build/t0`', '`build/t1`', '`list`']) expect(report.error.message).toContain(named);
    expect(readFileSync(one.worktree('list'), 'utf8')).toBe(list);
    expect(reportOf(await one.run(['resume', '--json']))).toMatchObject({ status: 'failed' });
    const [, branch = ''] = /branch `(.*?)`/.exec(report.error.message) ?? [];
    const inside = ['-C', join(one.folder, '.statedsl/worktrees', branch.slice('statedsl/'.length))];
    one.git(...inside, 'merge', '-q', '-s', 'ours', '--no-edit', one.git('branch', '--list', '*t0*').slice(2).trim());
    expect(reportOf(await one.run(['resume', '--json']))).toMatchObject({ status: 'returned' });
    expect(readFileSync(one.worktree('joined'), 'utf8')).toBe('two b c d e f ');
    expect(workDone(one.folder)).toEqual(['t0', 't1']);
  });

  test.each([
    ['', { kind: 'merge_conflict' }],
    ['ON ERROR merge_conflict: → RETURN: in conflict', undefined],
  ])('that are steps of a group fail with the same kind (%s)', async (handler, error) => {
    const step = (name: string): string => `    STEP: ${name}\n      DO: sed -i 1s/.*/${name}/ list`;
    const inner = ['  STEP: both parallel', step('one'), step('two')].join('\n');
    const program = `STATE: A\n  STEP: all\n${inner.replace(/^/gm, '  ')}\n  DO: head -n 1 list\n  RETURN\n${handler === '' ? '' : `  ${handler}\n`}`;
    const one = project({ 'w.dsl': program, list });
    const report = reportOf(await one.run(['run', 'w.dsl', '--worktree', '--json']));
    if (error === undefined) {
      expect(report).toMatchObject({ status: 'returned', returned: 'in conflict' });
      return;
    }
    expect(report).toMatchObject({ status: 'failed', error });
    const [, branch = ''] = /into the branch `(.*?)`/.exec(report.error.message) ?? [];
    const inside = ['-C', join(one.folder, '.statedsl/worktrees', branch.slice('statedsl/'.length))];
    one.git(...inside, 'merge', '-q', '-s', 'ours', '--no-edit', one.git('branch', '--list', '*one*').slice(2).trim());
    expect(reportOf(await one.run(['resume', '--json']))).toMatchObject({ status: 'returned' });
  });

  test('come to the same end, whichever call of git was the last', async () => {
    const random = randomNumbers(seed);
    const number = 6 + Math.floor(random() * 16);
    const when = random() < 0.5 ? 'before' : 'after';
    const one = project(edits('1s/.*/one/', '6s/.*/two/'));
    const env = deadlyGit(one, number, when);
    const first = await one.runProcess(['run', 'w.yaml', '--json'], { env });
    const report = reportOf(first.code === null ? await one.runProcess(['resume', '--json'], { env }) : first);
    expect(report, `${when} call ${number}`).toMatchObject({ status: 'returned' });
    expect(readFileSync(one.worktree('joined'), 'utf8'), `${when} call ${number}`).toBe('one b c d e two ');
  });
});

test('an agent that may write nothing is stopped when it does, in a worktree and in place', async () => {
  const steps = (commands: string): string =>
    `steps:\n  - name: look\n    type: code\n    get: { prompt: ${JSON.stringify(commands)} }\n    run: { agent: coder, guard: { no_write: true } }\n`;
  const one = project({ 'quiet.yaml': steps('cat known'), 'loud.yaml': steps('echo more >> known'), known: 'x\n' });
  for (const flag of ['--worktree', '--worktree=off']) {
    expect((await one.run(['run', 'quiet.yaml', flag])).code).toBe(0);
    const loud = await one.run(['run', 'loud.yaml', flag]);
    expect(loud.code).toBe(1);
    expect(loud.stderr).toContain('it changed `known`');
    if (flag === '--worktree') expect(readFileSync(one.worktree('known'), 'utf8')).toBe('x\n');
  }
});

test('changes before a step do not count as its changes, and stay when it is reverted', async () => {
  const commands = 'ls > seen; cat made';
  const one = project({
    'p.dsl': `DO: echo x > made
STEP: s type=code
  AGENT: coder
  PROMPT: "${commands}"
  GATE: bash "test $STATEDSL_ATTEMPT = 2" as second
  RETRY:
    ATTEMPT 2 → WORKTREE reset
    ATTEMPT 2 → PROMPT "${commands}"
    EXIT 3
RETURN: {s.files}
`,
  });
  const report = reportOf(await one.run(['run', 'p.dsl', '--worktree', '--json']));
  expect(report).toMatchObject({ status: 'returned', returned: 'seen' });
  expect(readFileSync(one.worktree('seen'), 'utf8')).toContain('made\n');
  expect(one.git('log', '--format=%s', `main..${report.worktree.branch}`)).toBe('s, attempt 2\nbefore s\n');
});
