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

/** The newest run of this directory. Throws a `RunRefused` if there is none. */
export async function newestRun(flags: StoreFlags): Promise<string> {
  const { runs } = unwrap(await (await runsOf(flags)).list({ begunIn: process.cwd() }));
  const [newest] = runs;
  if (newest !== undefined) return newest.run_id;
  throw new RunRefused('unknown', `there is no run of this directory in \`${storeOf(flags)}\``, 'name a run');
}

type WaitOfRun = Extract<Awaited<ReturnType<Runs['inspect']>>, { ok: true }>['value']['waiting'][number];

/** So many runs are examined to find the one that waits. */
const EXAMINED = 50;

/**
 * The run of this directory that waits for one of these names, or else for anything of these kinds. Throws a `RunRefused`
 * if there is none, or more than one. `command`: what is to be done with it.
 */
export async function waitingRun(
  flags: StoreFlags,
  wanted: { readonly kinds: readonly string[]; readonly names: readonly string[]; readonly command: string },
): Promise<string> {
  const runs = await runsOf(flags);
  const { runs: here } = unwrap(await runs.list({ begunIn: process.cwd() }));
  const open = here.filter((run) => !isOver(run) && run.status !== 'failed').slice(0, EXAMINED);
  const found: { readonly id: string; readonly names: readonly string[] }[] = [];
  const elsewhere: { readonly id: string; readonly wait: WaitOfRun }[] = [];
  for (const { run_id: id } of open) {
    const seen = await runs.inspect(id);
    const all = seen.ok ? seen.value.waiting : [];
    const waits = all.filter(({ kind }) => wanted.kinds.includes(kind));
    if (waits.length === 0 && all[0] !== undefined) elsewhere.push({ id, wait: all[0] });
    if (waits.length > 0)
      found.push({ id, names: waits.flatMap(({ id, name, path }) => [id ?? '', name ?? path ?? '']) });
  }
  const [otherwise] = elsewhere;
  const [single, second] = open;
  const isMistaken = wanted.names.includes(otherwise?.wait.name ?? otherwise?.wait.path ?? '');
  // A signal may come before its WAIT: the run keeps it.
  if (
    found.length === 0 &&
    wanted.kinds.includes('signal') &&
    single !== undefined &&
    second === undefined &&
    !isMistaken
  )
    return single.run_id;
  if (found.length === 0 && otherwise !== undefined && elsewhere.length === 1) {
    const { kind, name, path } = otherwise.wait;
    const what = name ?? path ?? '';
    const help = kind === 'signal' ? `statedsl signal ${what}` : `statedsl answer ${what}=VALUE`;
    if (kind !== 'time')
      throw new RunRefused(
        'unknown',
        `run \`${otherwise.id}\` waits for ${kind === 'signal' ? 'the signal' : 'an answer to'} \`${what}\` first`,
        `write \`${help}\``,
      );
  }
  const exact = found.filter(({ names }) => names.some((name) => wanted.names.includes(name)));
  const possible = exact.length > 0 ? exact : found;
  const [only, ...others] = possible;
  if (only === undefined)
    throw new RunRefused('unknown', 'no run of this directory waits for that', 'list the runs: `statedsl runs`');
  if (others.length === 0) return only.id;
  const ids = possible.map(({ id }) => `\`${id}\``);
  throw new RunRefused(
    'unknown',
    `${possible.length} runs of this directory wait: ${ids.join(', ')}`,
    `name one of them: \`statedsl ${wanted.command.replace(' ', ` ${only.id} `)}\``,
  );
}

/** Whether a word can be the id of a run, or the beginning of one. */
export const isLikeRun = (word: string): boolean => /^[0-9a-f]{2,8}(-[0-9a-f-]*)?$/.test(word);

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
