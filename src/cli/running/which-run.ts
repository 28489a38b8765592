/**
 * The run that `resume` without a name resumes: the newest of this directory, if it is not over. Otherwise, the
 * possible runs are listed, and a person at a terminal chooses.
 */
import { Buffer } from 'node:buffer';
import { closeSync, fstatSync, readSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { openOwn } from '../../runtime/store/own-file.js';
import { RunRefused } from '../../runtime/store/run-refused.js';
import {
  hasBegun,
  openStoredRun,
  type RunStatus,
  readIndex,
  runIds,
  runStatus,
} from '../../runtime/store/stored-run.js';
import { alignedLines } from '../../views/drawing/aligned.js';
import { duration } from '../../views/drawing/duration.js';
import { cut, visibleLine } from '../../views/drawing/visible-text.js';
import { stderr } from '../terminal/streams.js';
import { canAsk } from './drive-on-command-line.js';

/** The maximum number of listed runs. */
const LISTED = 10;
const WHY_WIDTH = 60;
const TAIL_BYTES = 256 * 1024;

const COLUMNS = ['', 'run', 'program', 'state', 'begun', 'why it stopped'].map((title) => ({ title }));

interface Known {
  readonly id: string;
  readonly status: RunStatus;
  readonly isOver: boolean;
  readonly state: string | null;
  readonly error: string | null;
}

/** The id of the run. Throws a `RunRefused` if there is none or the choice is not clear. */
export async function runToResume(store: string): Promise<string> {
  const runs = runsHere(store);
  const [newest] = runs;
  if (newest !== undefined && !newest.isOver && newest.status !== 'running') return newest.id;
  const others = runs.filter(({ isOver, status }) => !isOver && status !== 'running');
  const help =
    newest?.status === 'running' ? `run \`${newest.id}\` is still running` : 'list the runs: `statedsl runs`';
  if (others.length === 0) throw new RunRefused('unknown', `there is no unfinished run in \`${store}\``, help);
  const why = newest?.status === 'running' ? 'is still running' : 'is over';
  const shown = others.slice(0, LISTED);
  const rows = shown.map((run, index) => cellsOf(store, run, index + 1));
  const lines = alignedLines(COLUMNS, rows);
  stderr.write(
    `the newest run of this directory, ${newest?.id}, ${why}; these can be resumed:\n${lines.map((line) => `  ${line}\n`).join('')}`,
  );
  const chosen = canAsk() ? await choose(shown.length) : null;
  if (chosen !== null) return (shown[chosen - 1] as Known).id;
  throw new RunRefused(
    'unknown',
    'several runs can be resumed',
    `name one of them: \`statedsl resume ${shown[0]?.id}\``,
  );
}

/** Runs that were started in this directory, newest first. A store in this directory has no others. */
function runsHere(store: string): Known[] {
  const index = readIndex(store);
  const here = process.cwd();
  return runIds(store)
    .reverse()
    .filter((id) => hasBegun(store, id) && (dirname(store) === here || isFrom(store, id, here)))
    .map((id) => {
      const entry = index.get(id);
      const status = runStatus(store, id, entry);
      const isOver = status === 'returned' || entry?.cancelled === true;
      return { id, status, isOver, state: entry?.state ?? null, error: entry?.error ?? null };
    });
}

function isFrom(store: string, id: string, here: string): boolean {
  try {
    const { cwd, settings } = openStoredRun(store, id).about;
    return cwd === here || settings.here === here;
  } catch (cause) {
    // An unreadable run is skipped.
    if (cause instanceof RunRefused) return false;
    throw cause;
  }
}

/** Number, id, program, state, age, and why it stopped. */
function cellsOf(store: string, { id, status, state, error }: Known, number: number): string[] {
  const { journal, about } = openStoredRun(store, id);
  const { program, machine, started_at } = about;
  const name = program === null || program === '<stdin>' ? machine : basename(program);
  const age = `${duration(Math.max(0, Date.now() - Date.parse(started_at)))} ago`;
  const why = status === 'killed' ? 'its process died' : error === null ? status : `${status}: ${error}`;
  return [`${number}.`, id, name, state ?? lastState(journal), age, why].map((cell) =>
    cut(visibleLine(cell), WHY_WIDTH),
  );
}

/** The last state of a run whose process died, if the end of its journal contains it. */
function lastState(journal: string): string {
  let fd: number | null = null;
  try {
    fd = openOwn(journal, 'r');
    const { size } = fstatSync(fd);
    const buffer = Buffer.alloc(Math.min(size, TAIL_BYTES));
    readSync(fd, buffer, 0, buffer.length, size - buffer.length);
    const entered = [...buffer.toString('utf8').matchAll(/"type":"state_entered","state":("(?:[^"\\]|\\.)*")/g)];
    return JSON.parse(entered.at(-1)?.[1] ?? '""') as string;
  } catch {
    return '';
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

async function choose(count: number): Promise<number | null> {
  const { askOnTerminal } = await import('./ask.js');
  const choices = Array.from({ length: count }, (_, index) => String(index + 1));
  const question = { question: 'Which one should be resumed?', choices, default: null };
  const reply = await askOnTerminal(question, new AbortController().signal);
  return typeof reply === 'string' ? null : Number(reply.answer);
}
