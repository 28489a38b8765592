/** Lists of runs: those of a store, and those that were removed from it or would be. */

import { countOf, dollars, duration, localTime, size } from './drawing/amounts.js';
import { alignedLines, type Cell, type Column } from './drawing/columns.js';
import type { Paint } from './drawing/paint.js';
import { visibleLine } from './drawing/visible-text.js';

interface OldRun {
  readonly run_id: string;
  readonly machine: string | null;
  readonly status: string;
  readonly bytes?: number;
}

interface RemovalText {
  readonly removed: readonly OldRun[];
  readonly kept: readonly OldRun[];
  readonly worktrees: readonly { readonly directory: string; readonly branch: string }[];
  /** Folders that an interrupted removal left behind. */
  readonly leftovers: readonly string[];
  readonly bytes: number;
  /** Outcomes of the memo. */
  readonly memo?: number;
  readonly dry_run: boolean;
}

export function drawRemoval(removal: RemovalText, paint: Paint): string {
  const { removed, kept, worktrees, leftovers, bytes, memo = 0, dry_run } = removal;
  const gone = dry_run ? 'would remove' : 'removed';
  const rows = [
    ...removed.map((run) => row(gone, run, paint)),
    ...kept.map((run) => row(dry_run ? 'would keep' : 'kept', run, paint)),
  ];
  const head = [{ title: '' }, { title: '' }, { title: '' }, { title: '' }, { title: '', right: true as const }];
  const files = [
    ...worktrees.map(({ directory, branch }) => `${gone}  worktree ${pathText(directory)} and branch ${branch}`),
    ...(memo === 0 ? [] : [`${gone}  ${countOf(memo, 'remembered outcome')}`]),
    ...leftovers.map((path) => `${gone}  ${pathText(path)}, left behind by an earlier gc`),
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
}

const HEAD: readonly Column[] = [
  { title: 'RUN' },
  { title: 'MACHINE' },
  { title: 'STATUS' },
  { title: 'STATE' },
  { title: 'STARTED' },
  { title: 'TIME', right: true },
  { title: 'COST', right: true },
  { title: 'EFFECTS', right: true },
];
/** Shown for values that are known only after the run. */
const OPEN = '-';

/** The list of runs as a table. */
export function drawRunList(runs: readonly RunLine[], paint: Paint): string {
  if (runs.length === 0) return '';
  // Most stores have no run with a key.
  const hasKeys = runs.some(({ key }) => key !== undefined);
  const head = hasKeys ? [...HEAD, { title: 'KEY' }] : HEAD;
  const rows = runs.map((run): Cell[] => [
    run.run_id,
    visibleName(run.machine),
    { text: run.status, paint: statusPaint(run.status, paint) },
    visibleName(run.state),
    localTime(run.started_at),
    run.duration_ms === null ? OPEN : duration(run.duration_ms),
    // If the number of effects is missing, nothing was counted, which differs from an unknown cost.
    run.effects === null ? OPEN : dollars(run.cost),
    run.effects === null ? OPEN : String(run.effects),
    ...(hasKeys ? [run.key === undefined ? '' : visibleLine(run.key)] : []),
  ]);
  return `${alignedLines(head, rows, paint.faint).join('\n')}\n`;
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
