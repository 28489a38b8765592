/** Lists of runs: those of a store, and those that were removed from it or would be. */
import type { Waiting } from '../interpreter/events/event.js';
import { countOf, dollars, duration, localTime, size } from './drawing/amounts.js';
import { alignedLines, type Cell, type Column } from './drawing/columns.js';
import type { Paint } from './drawing/paint.js';
import { cut, visibleLine } from './drawing/visible-text.js';
import { waitingLine } from './log/event-line.js';

interface OldRun {
  readonly run_id: string;
  readonly machine: string | null;
  readonly status: string;
  readonly bytes?: number;
}

interface RemovalText {
  readonly removed: readonly OldRun[];
  readonly kept: readonly OldRun[];
  readonly worktrees: readonly { readonly directory: string; readonly branch: string | null }[];
  /** Folders that an interrupted removal left behind. */
  readonly leftovers: readonly string[];
  readonly bytes: number;
  /** Outcomes of the memo. */
  readonly memo?: number;
  readonly trials?: number;
  readonly dry_run: boolean;
}

export function drawRemoval(removal: RemovalText, paint: Paint): string {
  const { removed, kept, worktrees, leftovers, bytes, memo = 0, trials = 0, dry_run } = removal;
  const gone = dry_run ? 'would remove' : 'removed';
  const rows = [
    ...removed.map((run) => row(gone, run, paint)),
    ...kept.map((run) => row(dry_run ? 'would keep' : 'kept', run, paint)),
  ];
  const head = [{ title: '' }, { title: '' }, { title: '' }, { title: '' }, { title: '', right: true as const }];
  const files = [
    ...worktrees.map(
      ({ directory, branch }) =>
        `${gone}  worktree ${pathText(directory)}${branch === null ? '' : ` and branch ${branch}`}`,
    ),
    ...(memo === 0 ? [] : [`${gone}  ${countOf(memo, 'remembered outcome')}`]),
    ...(trials === 0 ? [] : [`${gone}  ${countOf(trials, 'trial')}`]),
    ...leftovers.map((path) => `${gone}  ${pathText(path)}, left by an earlier \`gc\``),
  ];
  const others = worktrees.length === 0 ? '' : `, ${countOf(worktrees.length, 'worktree')}`;
  const sum =
    removed.length === 0 && files.length === 0
      ? 'nothing to remove'
      : `${gone} ${countOf(removed.length, 'run')}, ${size(bytes)}${others}`;
  return `${[...alignedLines(head, rows).slice(1), ...files, sum].join('\n')}\n`;
}

function pathText(path: string): string {
  return visibleLine(path);
}

function row(what: string, { run_id, machine, status, bytes }: OldRun, paint: Paint): Cell[] {
  return [
    what,
    run_id,
    machine === null ? '-' : visibleLine(machine),
    { text: status, paint: statusPaint(status, paint) },
    bytes === undefined ? '' : size(bytes),
  ];
}

interface RunLine {
  readonly run_id: string;
  readonly machine: string | null;
  readonly status: string;
  readonly state: string | null;
  readonly started_at: string;
  readonly duration_ms: number | null;
  readonly cost: number | null;
  readonly effects: number | null;
  readonly key?: string;
  readonly title?: string | null;
  readonly error?: string;
  readonly result?: string;
  readonly waiting?: readonly Waiting[];
}

const TITLE: Column = { title: 'TITLE' };
const HEAD: readonly Column[] = [
  { title: 'MACHINE' },
  { title: 'STATUS' },
  { title: 'STATE' },
  { title: 'STARTED' },
  { title: 'TIME', right: true },
  { title: 'COST', right: true },
  { title: 'EFFECTS', right: true },
  { title: 'RUN' },
];
/** The longest title, and the longest result, in a line of a list. */
const LONGEST_TITLE = 48;
const LONGEST_RESULT = 100;
/** Shown for values that are known only after the run. */
const OPEN = '-';

/** The list of runs as a table, each with its result or error below it. Titles are there if one says more than a program. */
export function drawRunList(runs: readonly RunLine[], paint: Paint): string {
  if (runs.length === 0) return '';
  const hasTitles = runs.some(({ title, machine }) => title != null && title !== machine);
  // Most stores have no run with a key.
  const hasKeys = runs.some(({ key }) => key !== undefined);
  const columns = [
    ...(hasTitles ? [TITLE] : []),
    ...HEAD.slice(0, -1),
    ...(hasKeys ? [{ title: 'KEY' }] : []),
    ...HEAD.slice(-1),
  ];
  const rows = runs.map((run): Cell[] => [
    ...(hasTitles ? [{ text: cut(visibleName(run.title ?? run.machine), LONGEST_TITLE), paint: paint.strong }] : []),
    visibleName(run.machine),
    { text: run.status, paint: statusPaint(run.status, paint) },
    visibleName(run.state),
    localTime(run.started_at),
    run.duration_ms === null ? OPEN : duration(run.duration_ms),
    // If the number of effects is missing, nothing was counted, which differs from an unknown cost.
    run.effects === null ? OPEN : dollars(run.cost),
    run.effects === null ? OPEN : String(run.effects),
    ...(hasKeys ? [run.key === undefined ? '' : visibleLine(run.key)] : []),
    { text: run.run_id, paint: paint.faint },
  ]);
  const [head = '', ...lines] = alignedLines(columns, rows, paint.faint);
  return `${[head, ...lines.flatMap((line, at) => [line, ...outcomeLine(runs[at] as RunLine, paint)])].join('\n')}\n`;
}

function outcomeLine({ error, result, waiting = [] }: RunLine, paint: Paint): string[] {
  // A run of a service that did not begin has an object.
  if (typeof error === 'string') return [`  ${paint.error(cut(visibleLine(error), LONGEST_RESULT))}`];
  if (waiting.length > 0)
    return waiting.map((one) => `  ${paint.faint(cut(`waits for ${waitingLine(one, localTime)}`, LONGEST_RESULT))}`);
  return result === undefined || result === '' ? [] : [`  ${paint.faint(cut(visibleLine(result), LONGEST_RESULT))}`];
}

/** The color of a status, which all views share. */
export function statusPaint(status: string, paint: Paint): (text: string) => string {
  if (status === 'returned') return paint.success;
  if (status === 'failed') return paint.error;
  return status === 'running' ? paint.strong : paint.warning;
}

function visibleName(name: string | null): string {
  return name === null ? OPEN : visibleLine(name);
}
