/**
 * The run that `resume` without a name resumes: the newest of this directory, if it is not over. Otherwise, the
 * possible runs are listed, and a person at a terminal chooses.
 */

import { basename } from 'node:path';
import { unwrap } from '../../app/result.js';
import type { Runs } from '../../app/runs.js';
import type { ListedRun } from '../../runtime/list-runs.js';
import { RunRefused } from '../../runtime/store/store-error.js';
import { duration } from '../../views/drawing/amounts.js';
import { alignedLines } from '../../views/drawing/columns.js';
import { cut, visibleLine } from '../../views/drawing/visible-text.js';
import { stderr } from '../terminal/streams.js';
import { canAsk } from './drive-on-command-line.js';
import { runsOf, type StoreFlags, storeOf } from './stored-runs.js';

/** The maximum number of listed runs. */
const LISTED = 10;
const WHY_WIDTH = 60;

const COLUMNS = ['', 'run', 'program', 'state', 'begun', 'why it stopped'].map((title) => ({ title }));

/** The id of the run. Throws a `RunRefused` if there is none or the choice is not clear. */
export async function runToResume(flags: StoreFlags): Promise<string> {
  const runs = await runsOf(flags);
  const { runs: here } = unwrap(await runs.list({ begunIn: process.cwd() }));
  const [newest] = here;
  const isRunning = newest?.status === 'running';
  if (newest !== undefined && !isOver(newest) && !isRunning) return newest.run_id;
  const others = here.filter((run) => !isOver(run) && run.status !== 'running');
  const help = isRunning ? `run \`${newest.run_id}\` is still running` : 'list the runs: `statedsl runs`';
  if (others.length === 0) throw new RunRefused('unknown', `there is no unfinished run in \`${storeOf(flags)}\``, help);
  const shown = others.slice(0, LISTED);
  const rows: string[][] = [];
  for (const [at, run] of shown.entries()) rows.push(await cellsOf(runs, run, at + 1));
  const lines = alignedLines(COLUMNS, rows);
  const why = isRunning ? 'is still running' : 'is over';
  stderr.write(
    `the newest run of this directory, ${newest?.run_id}, ${why}; these can be resumed:\n${lines.map((line) => `  ${line}\n`).join('')}`,
  );
  const chosen = canAsk() ? await choose(shown.length) : null;
  if (chosen !== null) return (shown[chosen - 1] as ListedRun).run_id;
  throw new RunRefused(
    'unknown',
    'several runs can be resumed',
    `name one of them: \`statedsl resume ${shown[0]?.run_id}\``,
  );
}

/** The only run that asks for one of these answers. Throws a `RunRefused` if there is none, or several are possible. */
export async function waitingRun(flags: StoreFlags, answers: readonly string[]): Promise<string> {
  const runs = await runsOf(flags);
  const { runs: all } = unwrap(await runs.list({}));
  const asked: string[] = [];
  for (const { run_id, status } of all) {
    if (status !== 'suspended' && status !== 'running') continue;
    const seen = await runs.inspect(run_id);
    if (seen.ok && seen.value.waiting.some(({ kind }) => kind === 'ask' || kind === 'approval')) asked.push(run_id);
  }
  const [only, ...others] = asked;
  if (only === undefined)
    throw new RunRefused(
      'unknown',
      `no run in \`${storeOf(flags)}\` waits for an answer`,
      'list the runs: `statedsl runs`',
    );
  if (others.length === 0) return only;
  const given = answers.map((answer) => (/^[\w.=:@/-]+$/.test(answer) ? answer : `'${answer}'`)).join(' ');
  throw new RunRefused(
    'unknown',
    `${asked.length} runs wait for an answer: ${asked.slice(0, LISTED).join(', ')}`,
    `name one of them: \`statedsl answer ${only} ${given}\``,
  );
}

/** A run that ended just when its process died has no end in the list: its result may not have been printed. */
export const isOver = ({ status, cancelled, ended_at }: ListedRun): boolean =>
  (status === 'returned' && ended_at !== null) || cancelled === true;

/** Number, id, program, state, age, and why it stopped. */
async function cellsOf(runs: Runs, { run_id, status, state, machine, started_at }: ListedRun, number: number) {
  const [found, seen] = [await runs.find(run_id), await runs.inspect(run_id)];
  const program = found.ok ? found.value.program : null;
  const name = program === null ? (machine ?? '') : basename(program);
  const age = `${duration(Math.max(0, Date.now() - Date.parse(started_at)))} ago`;
  const error = seen.ok ? seen.value.error : null;
  const [because = ''] = (error?.message ?? '').split('\n', 1);
  const why = status === 'killed' ? 'its process died' : error === null ? status : `${status}: ${because}`;
  return [`${number}.`, run_id, name, state ?? '', age, why].map((cell) => cut(visibleLine(cell), WHY_WIDTH));
}

async function choose(count: number): Promise<number | null> {
  const { askOnTerminal } = await import('./ask.js');
  const choices = Array.from({ length: count }, (_, index) => String(index + 1));
  const question = { question: 'Which one should be resumed?', choices, default: null };
  const reply = await askOnTerminal(question, new AbortController().signal);
  return typeof reply === 'string' ? null : Number(reply.answer);
}
