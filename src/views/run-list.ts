/** The list of runs as a table. */
import { alignedLines, type Cell, type Column } from './drawing/aligned.js';
import { dollars, localTime } from './drawing/amounts.js';
import { duration } from './drawing/duration.js';
import type { Paint } from './drawing/paint.js';
import { visibleLine } from './drawing/visible-text.js';

interface RunLine {
  readonly run_id: string;
  readonly machine: string | null;
  readonly status: string;
  readonly state: string | null;
  readonly started_at: string;
  readonly duration_ms: number | null;
  readonly cost: number | null;
  readonly effects: number | null;
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

export function drawRunList(runs: readonly RunLine[], paint: Paint): string {
  if (runs.length === 0) return '';
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
  ]);
  return `${alignedLines(HEAD, rows, paint.faint).join('\n')}\n`;
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
