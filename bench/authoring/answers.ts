/** Sets of recorded answers: what an author wrote for each task, round by round, and how it is graded and printed. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CommandLine, checkAnswer, endingOf, judge, type Task } from './judge.js';

/** `set.json` of a set. */
export interface AnswerSet {
  readonly name: string;
  readonly model: string;
  readonly date: string;
  /** What the author had read: `skill`, `readme`, `none`, or other words. */
  readonly given: string;
  /** The tasks for which the answer does not do what it should, as far as that is on record. */
  readonly wrong?: readonly string[];
  /** The answers by the name of the task, one for each round. */
  readonly answers: ReadonlyMap<string, readonly string[]>;
}

export interface Grade {
  readonly task: Task;
  /** How many rounds until `check` found no error; undefined if it always found one. */
  readonly rounds?: number;
  readonly behaves: boolean;
  /** `check` said nothing, and the behaviour is wrong. */
  readonly isSilent: boolean;
  readonly tokens: number;
  readonly problems: readonly string[];
}

export function readSets(folder: string, tasks: readonly Task[]): AnswerSet[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'set.json')));
  return names.sort().map((name) => readSet(join(folder, name), name, tasks));
}

function readSet(folder: string, name: string, tasks: readonly Task[]): AnswerSet {
  const about = JSON.parse(readFileSync(join(folder, 'set.json'), 'utf8')) as Partial<AnswerSet>;
  const { model, date, given, wrong } = about;
  if (!model || !date || !given) throw new Error(`${folder}/set.json needs "model", "date" and "given"`);
  const answers = new Map(tasks.map((task) => [task.name, roundsIn(folder, task)] as const));
  const known = new Set(tasks.flatMap((task) => (answers.get(task.name) ?? []).map((_, at) => fileOf(task, at + 1))));
  const strange = readdirSync(folder).filter((file) => file !== 'set.json' && !known.has(file));
  if (strange.length > 0) throw new Error(`${folder}: no task has an answer ${strange.join(', ')}`);
  const recorded = new Map([...answers].filter(([, rounds]) => rounds.length > 0));
  return { name, model, date, given, ...(wrong === undefined ? {} : { wrong }), answers: recorded };
}

/** The file of a round: `TASK.dsl`, `TASK.2.dsl`. */
export function fileOf(task: Task, round: number): string {
  return `${task.name}${round === 1 ? '' : `.${round}`}${endingOf(task)}`;
}

function roundsIn(folder: string, task: Task): string[] {
  const rounds: string[] = [];
  while (existsSync(join(folder, fileOf(task, rounds.length + 1))))
    rounds.push(readFileSync(join(folder, fileOf(task, rounds.length + 1)), 'utf8'));
  return rounds;
}

export async function grade(task: Task, rounds: readonly string[], statedsl: CommandLine): Promise<Grade> {
  const tokens = Math.ceil(rounds.join('').length / 4);
  for (const [at, answer] of rounds.entries()) {
    const { isValid, isClean } = await checkAnswer(task, answer, statedsl);
    if (!isValid) continue;
    const problems = await judge(task, answer, statedsl);
    const behaves = problems.length === 0;
    return { task, rounds: at + 1, behaves, isSilent: isClean && !behaves, tokens, problems };
  }
  return { task, behaves: false, isSilent: false, tokens, problems: ['no answer is valid'] };
}

/** A table in Markdown: a row for each level and one for all. */
export function tableOf({ name, model, date, given }: AnswerSet, grades: readonly Grade[]): string {
  const rows = (['small', 'medium', 'large'] as const).map((level) =>
    rowOf(
      level,
      grades.filter(({ task }) => task.level === level),
    ),
  );
  return [
    `## ${name}: ${model}, ${date}, given: ${given}`,
    '',
    '| Tasks | | Valid at first try | Rounds until valid | Behaves | Behaves at first try | Silent wrong meaning | Tokens |',
    '|---|---|---|---|---|---|---|---|',
    ...rows,
    rowOf('all', grades),
  ].join('\n');
}

function rowOf(what: string, grades: readonly Grade[]): string {
  const count = (which: (grade: Grade) => boolean) => grades.filter(which).length;
  const mean = (numbers: readonly number[], digits: number) =>
    numbers.length === 0 ? '–' : (numbers.reduce((sum, one) => sum + one, 0) / numbers.length).toFixed(digits);
  const rounds = grades.flatMap((one) => (one.rounds === undefined ? [] : [one.rounds]));
  const cells = [
    what,
    grades.length,
    count((one) => one.rounds === 1),
    mean(rounds, 1),
    count((one) => one.behaves),
    count((one) => one.behaves && one.rounds === 1),
    count((one) => one.isSilent),
    mean(
      grades.map((one) => one.tokens),
      0,
    ),
  ];
  return `| ${cells.join(' | ')} |`;
}
