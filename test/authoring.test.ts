/** The authoring benchmark: its judges accept right programs and refuse wrong ones, and recorded answers are graded. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, watch, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { grade, readSets, tableOf } from '../bench/authoring/answers.js';
import { type CommandLine, checkAnswer, endingOf, judge, readTasks, type Task } from '../bench/authoring/judge.js';
import { isLong, longTest } from './amount.js';
import { commandLine } from './harness/command-line.js';
import { cli, root, start } from './harness/process.js';
import { seed } from './random.js';

const folder = join(root, 'bench/authoring');
const solutions = join(folder, 'solutions');
const tasks = readTasks(join(folder, 'tasks'));

/** They show that the judge works; the long tests try all. */
const FEW = ['ask-before-delete', 'build-label'];
const few = tasks.filter(({ name }) => FEW.includes(name));
/** Answers on record are judged again: an eighth in the long tests, another one for each seed. */
const drawn = isLong ? tasks.filter((_, at) => at % 8 === seed % 8) : few;
const others = tasks.filter(({ name }) => !FEW.includes(name));

/** In this process, unless the process has to be killed. */
const statedsl: CommandLine = async (words, { cwd, env, killAt }) => {
  if (killAt === undefined) return await commandLine(words, { cwd, env });
  const child = start(process.execPath, [cli, ...words], { cwd, env });
  const watcher = watch(dirname(killAt), (_, name) => {
    if (name === basename(killAt)) child.kill('SIGKILL');
  });
  const ended = await child.end;
  watcher.close();
  return ended;
};

const fileOf = (task: Task, kind = '') => join(solutions, `${task.name}${kind}${endingOf(task)}`);
const isRefutable = (task: Task) => existsSync(fileOf(task, '.wrong'));

async function accepts(task: Task): Promise<void> {
  const text = readFileSync(fileOf(task), 'utf8');
  const { isValid, printed } = await checkAnswer(task, text, statedsl);
  expect(isValid, printed).toBe(true);
  expect(await judge(task, text, statedsl)).toEqual([]);
}

async function refuses(task: Task): Promise<void> {
  expect(await judge(task, readFileSync(fileOf(task, '.wrong'), 'utf8'), statedsl)).not.toEqual([]);
}

describe('the tasks', () => {
  test('are forty, and each has a right program', () => {
    const count = (level: Task['level']) => tasks.filter((task) => task.level === level).length;
    expect([count('small'), count('medium'), count('large')]).toEqual([14, 18, 8]);
    const wanted = tasks.flatMap((task) => [fileOf(task), ...(isRefutable(task) ? [fileOf(task, '.wrong')] : [])]);
    expect(readdirSync(solutions).sort()).toEqual(wanted.map((path) => basename(path)).sort());
  });

  test.each(few)('$name: the judge accepts a right program', accepts);
  longTest.each(others)('$name: the judge accepts a right program', accepts);
  test.each(few.filter(isRefutable))('$name: the judge refuses a wrong one', refuses);
  longTest.each(others.filter(isRefutable))('$name: the judge refuses a wrong one', refuses);
});

describe('sets of answers', () => {
  const scratch = mkdtempSync(join(tmpdir(), 'statedsl-answers-'));
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));
  const write = (set: string, files: Readonly<Record<string, string>>): string => {
    mkdirSync(join(scratch, set, 'one'), { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(scratch, set, 'one', name), text);
    return join(scratch, set);
  };
  const about = JSON.stringify({ model: 'a model', date: '2026-11-28', given: 'none' });
  const solution = (name: string) => readFileSync(join(solutions, name), 'utf8');

  test('are graded round by round', async () => {
    const [set] = readSets(
      write('graded', {
        'set.json': about,
        'build-label.dsl': 'GOTO: NOWHERE\n',
        'build-label.2.dsl': solution('build-label.dsl'),
        'ask-before-delete.dsl': solution('ask-before-delete.wrong.dsl'),
      }),
      tasks,
    );
    if (set === undefined) throw new Error('the set was not read');
    const grades = [];
    for (const task of few) grades.push(await grade(task, set.answers.get(task.name) ?? [], statedsl));
    expect(grades.map(({ rounds, behaves, isSilent }) => ({ rounds, behaves, isSilent }))).toEqual([
      { rounds: 1, behaves: false, isSilent: true },
      { rounds: 2, behaves: true, isSilent: false },
    ]);
    expect(tableOf(set, grades)).toContain('| small | 2 | 1 | 1.5 | 1 | 0 | 1 |');
  });

  test('say what was given, and answer tasks that exist', () => {
    expect(readSets(join(scratch, 'nowhere'), tasks)).toEqual([]);
    expect(() => readSets(write('unsaid', { 'set.json': '{"model": "a model"}' }), tasks)).toThrow('"given"');
    const strange = write('strange', { 'set.json': about, 'biuld-label.dsl': '', 'build-label.3.dsl': '' });
    expect(() => readSets(strange, tasks)).toThrow('biuld-label.dsl, build-label.3.dsl');
  });

  test('on record behave as their set says', async () => {
    const sets = readSets(join(folder, 'answers'), tasks);
    expect(sets.filter(({ wrong }) => wrong === undefined).map(({ name }) => `${name}: use --update`)).toEqual([]);
    for (const { name, answers, wrong } of sets) {
      const tried = drawn.filter((task) => answers.has(task.name));
      const bad: string[] = [];
      for (const task of tried)
        if (!(await grade(task, answers.get(task.name) ?? [], statedsl)).behaves) bad.push(task.name);
      expect(bad, name).toEqual(wrong?.filter((one) => tried.some((task) => task.name === one)));
    }
  });
});
