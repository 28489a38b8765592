/**
 * Executes the program of a run case in memory, where a simple world answers: `echo`, `exit`, `true` and `false` do what they
 * do in a shell, everything else says its number. The `-- record --` of a case has, after each outcome, what the run recorded
 * (`+`) and requested (`?`), and what changed in what a checkpoint would hold (`~`). It is the same for a run that is restored
 * after each outcome. `-- script --` has what else happens: `answer NAME: value`, `signal NAME: value`, `rollback`,
 * `NAME: text` for one outcome, with `!text` as a failure and `{…}` as members of the outcome.
 */
import { expect } from 'vitest';
import type { Outcome } from '../../src/interpreter/events/event.js';
import { snapshotOf } from '../../src/interpreter/run.js';
import type { Json } from '../../src/machine/expression.js';
import { printed } from '../interpreter/machine-builder.js';
import { nameOf, ScriptedProgram } from '../interpreter/scripted-program.js';
import { type Case, filesOf, optionsOf, programOf, sectionText } from './case-file.js';

/** What a run waits for that only a script can end. */
const LEFT = /^(ask|signal|clock)\b/;
const MOST_OUTCOMES = 200;

export function recordInMemory(the: Case): string {
  const [plain, restored] = [false, true].map((isRestored) => record(the, isRestored)) as [string, string];
  expect(restored, `${the.path}: restored after each outcome`).toBe(plain);
  return plain;
}

function record(the: Case, restored: boolean): string {
  const { limits, commands = {}, jobs = 4, autoEvents } = optionsOf(the);
  const run = new ScriptedProgram(programOf(the).text, {
    restored,
    run: { ...(limits === undefined ? {} : { limits }), jobs, ...(autoEvents === undefined ? {} : { autoEvents }) },
    functions: Object.keys(commands),
    files: Object.fromEntries(filesOf(the)),
    clockMs: 1000,
  });
  const lines: string[] = [];
  let [events, requests, outcomes] = [0, 0, 0];
  let state: Tree = {};
  const note = (): void => {
    lines.push(...run.events.slice(events).map(({ type, ...facts }) => `+ ${type} ${JSON.stringify(facts)}`));
    const asked = run.requests.slice(requests).filter(({ kind }) => kind !== 'clock');
    lines.push(...asked.map((request) => `? ${nameOf(request)} ${factsOf(request)}`));
    [events, requests] = [run.events.length, run.requests.length];
    const now = treeOf(JSON.parse(JSON.stringify(snapshotOf(run.run)))) as Tree;
    lines.push(...changes(state, now));
    state = now;
  };
  const perform = (line: string, act: () => void): void => {
    lines.push('', line);
    act();
    note();
  };
  const goOn = (): void => {
    for (; outcomes < MOST_OUTCOMES; outcomes++) {
      const name = run.waiting.find((one) => !LEFT.test(one));
      if (name === undefined) return;
      const outcome = answerTo(name, outcomes);
      perform(`${name}: ${JSON.stringify(outcome)}`, () => run.end(name, outcome));
    }
  };
  note();
  goOn();
  for (const line of (sectionText(the, 'script') ?? '').split('\n').filter((one) => one !== '')) {
    perform(line, () => happen(run, line));
    goOn();
  }
  // Files that a program names are found from the directory of the tests.
  return lines.map((line) => `${line.replaceAll(`${process.cwd()}/`, '')}\n`).join('');
}

/** What the simple world says. */
function answerTo(name: string, outcomes: number): Outcome {
  if (/^(tool|function) /.test(name)) return { kind: 'value', value: { n: outcomes } };
  if (name.startsWith('agent ')) return { ...printed(`said ${outcomes}`), session_id: 's', cost: 0.25 } as Outcome;
  if (name === 'random') return { kind: 'value', value: 0.5 };
  const last =
    name
      .split(/;|&&|\n/)
      .at(-1)
      ?.trim() ?? '';
  const [, code] = /^(?:exit (\d+)|false)$/.exec(last) ?? [];
  if (last === 'false' || code !== undefined) return printed('', Number(code ?? 1));
  const [, said] = /^echo (.*)$/.exec(last) ?? [];
  return printed(said ?? (last === 'true' ? '' : `${outcomes}\n`));
}

function happen(run: ScriptedProgram, line: string): void {
  if (line === 'rollback') return void run.rollback();
  const [, verb, name = '', text = ''] = /^(answer |signal |)(.*?): ?(.*)$/.exec(line) ?? [];
  if (verb === 'answer ') run.answer(name, JSON.parse(text) as Json);
  else if (verb === 'signal ') run.signal(name, JSON.parse(text) as Json);
  else if (text.startsWith('!')) run.fail(name, text.slice(1));
  else run.end(name, text.startsWith('{') ? ({ ...printed(''), ...JSON.parse(text) } as Outcome) : text);
}

/** What says nothing. */
const isUsual = (value: unknown): boolean => ['null', 'false', '[]', '{}', '""', '0'].includes(JSON.stringify(value));

/** What a request says. */
function factsOf(request: object): string {
  const facts = Object.entries(request).filter(([name, value]) => name !== 'template' && !isUsual(value));
  return JSON.stringify(Object.fromEntries(facts));
}

interface Tree {
  readonly [name: string]: unknown;
}

/** A snapshot as objects, in an order that does not depend on when something was set, without what says nothing. */
function treeOf(value: unknown, name = ''): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const members = name === 'keys' ? (value as [string, unknown][]) : Object.entries(value);
  // The instruction of an UNDO is in its request.
  const said = members.flatMap(([key, member]): [string, unknown][] => {
    const made = treeOf(member, key);
    return isUsual(made) || key === 'by' ? [] : [[key, made]];
  });
  return Object.fromEntries(said.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const isTree = (value: unknown): value is Tree => typeof value === 'object' && value !== null;

function changes(before: Tree, now: Tree, path = ''): string[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(now)])].sort();
  return names.flatMap((name) => {
    const [was, is] = [before[name], now[name]];
    if (isTree(was) && isTree(is)) return changes(was, is, `${path}${name}.`);
    return was === is ? [] : [`~ ${path}${name}${is === undefined ? '' : ` ${JSON.stringify(is)}`}`];
  });
}
