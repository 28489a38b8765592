/** The authoring benchmark: its judges accept right programs and refuse wrong ones, and recorded answers are graded. */
import { existsSync, readdirSync, readFileSync, watch } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type AnswerSet, type Grade, grade, readSets, tableOf } from '../bench/authoring/answers.js';
import { type CommandLine, checkAnswer, endingOf, judge, readTasks, type Task } from '../bench/authoring/judge.js';
import { isLong } from './amount.js';
import { commandLine } from './harness/command-line.js';
import { cli, root, start } from './harness/process.js';

const folder = join(root, 'bench/authoring');
const tasks = readTasks(join(folder, 'tasks'));

/** A few of them say that the judge works; the long tests try all. */
const FEW = ['deploy-message', 'two-approvals-fixture'];

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

const solutions = join(folder, 'solutions');
const right = (task: Task) => readFileSync(join(solutions, `${task.name}${endingOf(task)}`), 'utf8');
