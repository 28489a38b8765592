/** The runs that were removed from a store, or would be: one line each, and the total. */
import { alignedLines, type Cell } from './drawing/aligned.js';
import { countOf, size } from './drawing/amounts.js';
import type { Paint } from './drawing/paint.js';
import { visibleLine } from './drawing/visible-text.js';
import { statusPaint } from './run-list.js';

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
  readonly dry_run: boolean;
}

export function drawRemoval(removal: RemovalText, paint: Paint): string {
  const { removed, kept, worktrees, leftovers, bytes, dry_run } = removal;
  const gone = dry_run ? 'would remove' : 'removed';
  const rows = [
    ...removed.map((run) => row(gone, run, paint)),
    ...kept.map((run) => row(dry_run ? 'would keep' : 'kept', run, paint)),
  ];
  const head = [{ title: '' }, { title: '' }, { title: '' }, { title: '' }, { title: '', right: true as const }];
  const files = [
    ...worktrees.map(({ directory, branch }) => `${gone}  worktree ${pathText(directory)} and branch ${branch}`),
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
