/**
 * `npm run bench:authoring`: grades the recorded sets of answers; with `--agent`, first lets an agent of the configuration
 * write a set.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { cli, inScratch, root } from '../scratch.js';
import { type AnswerSet, fileOf, type Grade, grade, readSets, tableOf } from './answers.js';
import { type CommandLine, checkAnswer, type Ended, readTasks, type Task } from './judge.js';

const here = join(root, 'bench/authoring');

const USAGE = `npm run bench:authoring -- [options]
  --set NAME                   grades or writes only this set of bench/authoring/answers
  --tasks a,b                  only these tasks
  --agent NAME                 lets this agent of the configuration write the set NAME
  --with skill|readme|none     what the agent may read (default: skill)
  --rounds N                   how often it may correct its answer (default: 4)
  --why                        shows what is wrong with each answer
  --update                     writes into set.json which answers are wrong; the tests compare that`;

/** What an agent may read, besides the task. */
const GIVEN: Readonly<Record<string, string | null>> = {
  skill: 'skills/statedsl/SKILL.md',
  readme: 'README.md',
  none: null,
};

/** A program that neither ends nor waits is stopped. */
const LONGEST_MS = 60_000;

const statedsl: CommandLine = (words, { cwd, env, killAt }) =>
  runCli(words, { cwd, env, killAt, longestMs: LONGEST_MS });

interface CliOptions {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly killAt?: string | undefined;
  readonly longestMs?: number;
}

function runCli(words: readonly string[], { cwd, env, killAt, longestMs }: CliOptions): Promise<Ended> {
  const child = spawn(process.execPath, [cli, ...words], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const)
    child[stream].setEncoding('utf8').on('data', (chunk: string) => {
      printed[stream] += chunk;
    });
  const timer = longestMs === undefined ? undefined : setTimeout(() => child.kill('SIGTERM'), longestMs);
  const watcher =
    killAt === undefined
      ? undefined
      : watch(dirname(killAt), (_, name) => name === basename(killAt) && child.kill('SIGKILL'));
  return new Promise((resolve, reject) => {
    child.on('error', reject).on('close', (code) => {
      clearTimeout(timer);
      watcher?.close();
      resolve({ code, ...printed });
    });
  });
}

const { values: options } = parseArgs({
  options: {
    set: { type: 'string' },
    tasks: { type: 'string' },
    agent: { type: 'string' },
    with: { type: 'string', default: 'skill' },
    rounds: { type: 'string', default: '4' },
    why: { type: 'boolean', default: false },
    update: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

function reading(given: string): string {
  const file = GIVEN[given];
  if (file === undefined) throw new Error(`--with takes ${Object.keys(GIVEN).join(', ')}`);
  if (file === null) return '';
  if (!existsSync(join(root, file))) throw new Error(`--with ${given}: there is no ${file}`);
  return readFileSync(join(root, file), 'utf8');
}

const LAST_BLOCK = /^```[^\n]*\n([\s\S]*?)^```\s*$/gm;

/** The last block between fences, or all of it. */
function answerIn(text: string): string {
  return [...text.matchAll(LAST_BLOCK)].at(-1)?.[1] ?? `${text.trim()}\n`;
}

/** Asks through statedsl itself, so that any program of the configuration can be the author. */
async function ask(agent: string, prompt: string): Promise<string> {
  return await inScratch(async ({ path, write }) => {
    const program = write(
      'ask.dsl',
      `INPUT: prompt\nDO: answer = Task(${agent}) "{prompt}"\nRETURN: {string(answer)}\n`,
    );
    const file = write('prompt.txt', prompt);
    const words = ['run', program, '--json', '--dir', join(path, 'store'), '-i', `prompt=@${file}`];
    const { code, stdout, stderr } = await runCli(words, {
      cwd: process.env.INIT_CWD ?? process.cwd(),
      env: process.env,
    });
    if (code !== 0) throw new Error(`the agent ${agent} failed: ${stderr}`);
    return (JSON.parse(stdout) as { returned: string }).returned;
  });
}

async function write(agent: string, tasks: readonly Task[], folder: string): Promise<void> {
  const most = Number(options.rounds);
  if (!Number.isInteger(most) || most < 1) throw new Error('--rounds takes a whole number from 1 on');
  const guide = reading(options.with);
  mkdirSync(folder, { recursive: true });
  const about = { model: agent, date: new Date().toISOString().slice(0, 10), given: options.with };
  // An interrupted set goes on as what it began as.
  if (!existsSync(join(folder, 'set.json')))
    writeFileSync(join(folder, 'set.json'), `${JSON.stringify(about, null, 2)}\n`);
  for (const task of tasks) {
    if (existsSync(join(folder, fileOf(task, 1)))) continue;
    const first = `${guide}\n\n${task.request}\nAnswer with the content of \`${task.answer}\` in one fenced block, and nothing else.\n`;
    let prompt = first;
    for (let round = 1; round <= most; round++) {
      const answer = answerIn(await ask(agent, prompt));
      writeFileSync(join(folder, fileOf(task, round)), answer);
      const { isValid, printed } = await checkAnswer(task, answer, statedsl);
      if (isValid) break;
      prompt = `${first}\nYou wrote:\n\n\`\`\`\n${answer}\`\`\`\n\n\`statedsl check --json\` printed:\n\n${printed}\nCorrect it.\n`;
    }
    console.error(`${task.name}: written`);
  }
}

async function gradeSet(set: AnswerSet, tasks: readonly Task[]): Promise<void> {
  const grades: Grade[] = [];
  for (const task of tasks) {
    const rounds = set.answers.get(task.name);
    if (rounds === undefined) continue;
    const one = await grade(task, rounds, statedsl);
    grades.push(one);
    if (options.why && !one.behaves) console.error(`${task.name}: ${one.problems.join('\n  ')}`);
  }
  console.log(`${tableOf(set, grades)}\n`);
  if (!options.update) return;
  const tried = new Set(grades.map((one) => one.task.name));
  const wrong = grades.filter((one) => !one.behaves).map((one) => one.task.name);
  const { model, date, given } = set;
  const about = {
    model,
    date,
    given,
    wrong: [...(set.wrong ?? []).filter((name) => !tried.has(name)), ...wrong].sort(),
  };
  writeFileSync(join(here, 'answers', set.name, 'set.json'), `${JSON.stringify(about, null, 2)}\n`);
}

async function main(): Promise<void> {
  if (options.help) return console.log(USAGE);
  const all = readTasks(join(here, 'tasks'));
  const chosen = options.tasks?.split(',');
  const unknown = chosen?.filter((name) => all.every((task) => task.name !== name)) ?? [];
  if (unknown.length > 0) throw new Error(`there is no task ${unknown.join(', ')}`);
  const tasks = all.filter(({ name }) => chosen?.includes(name) ?? true);
  const folder = join(here, 'answers');
  if (options.agent !== undefined) {
    if (options.set === undefined) throw new Error('--agent needs --set, the name of the set that it writes');
    await write(options.agent, tasks, join(folder, options.set));
  }
  const sets = readSets(folder, all).filter(({ name }) => options.set === undefined || name === options.set);
  if (sets.length === 0) throw new Error(`no set of answers is recorded${options.set ? ` as ${options.set}` : ''}`);
  for (const set of sets) await gradeSet(set, tasks);
}

await main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 2;
});
