/** What was removed from a store, or would be: a line for each run, and the sum. */
import { alignedLines, type Cell } from './drawing/aligned.js';
import { counted, size } from './drawing/amounts.js';
import type { Paint } from './drawing/paint.js';
import { escapeControls, oneLine } from './drawing/visible-text.js';
import { statusPaint } from './run-list.js';

interface OldRun {
  readonly run_id: string;
  readonly machine: string | null;
  readonly status: string;
  readonly bytes?: number;
}

export interface RemovalText {
  readonly removed: readonly OldRun[];
  readonly kept: readonly OldRun[];
  readonly bytes: number;
  readonly dry_run: boolean;
}

export function drawRemoval({ removed, kept, bytes, dry_run }: RemovalText, paint: Paint): string {
  const rows = [
    ...removed.map((run) => row(dry_run ? 'would remove' : 'removed', run, paint)),
    ...kept.map((run) => row(dry_run ? 'would keep' : 'kept', run, paint)),
  ];
  const head = [{ title: '' }, { title: '' }, { title: '' }, { title: '' }, { title: '', right: true as const }];
  const sum =
    removed.length === 0
      ? 'nothing to remove'
      : `${dry_run ? 'would remove' : 'removed'} ${counted(removed.length, 'run')}, ${size(bytes)}`;
  return `${[...alignedLines(head, rows).slice(1), sum].join('\n')}\n`;
}

function row(what: string, { run_id, machine, status, bytes }: OldRun, paint: Paint): Cell[] {
  return [
    what,
    run_id,
    machine === null ? '-' : escapeControls(oneLine(machine)),
    { text: status, paint: statusPaint(status, paint) },
    bytes === undefined ? '' : size(bytes),
  ];
}
