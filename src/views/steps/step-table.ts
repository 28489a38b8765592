/** The table of steps in a report. Columns that would be empty for every step are left out. */
import type { AttemptStatus } from '../../runtime/record/step-stories.js';
import type { Paint } from '../drawing/paint.js';
import { visibleLine } from '../drawing/visible-text.js';
import { costCell, type Described, numbers, times } from '../report/report-table.js';
import type { StepRow } from './step-rows.js';

export function stepColumns(rows: readonly StepRow[]): Described<StepRow>[] {
  const several = new Set(rows.map(({ machine }) => machine)).size > 1;
  const columnIf = (has: (row: StepRow) => boolean, column: Described<StepRow>) => (rows.some(has) ? [column] : []);
  return [
    { title: 'STEP', cell: ({ path }, paint) => ({ text: visibleLine(path), paint: paint.state }) },
    ...(several ? [{ title: 'MACHINE', cell: ({ machine }: StepRow) => visibleLine(machine) }] : []),
    { title: 'TYPE', cell: ({ type }) => (type === 'none' ? '-' : type) },
    { title: 'AGENT', cell: ({ agent }) => (agent === null ? '-' : visibleLine(agent)) },
    {
      title: 'STATUS',
      cell: ({ status, copied }, paint) => ({
        text: copied ? `${status} (taken over)` : status,
        paint: stepPaint(status, paint),
      }),
    },
    numbers('ATTEMPT', ({ attempt }) => attempt),
    ...columnIf(
      ({ attempts, attempt }) => attempts !== attempt,
      numbers('IN ALL', ({ attempts }) => attempts),
    ),
    numbers('RETRIES', ({ retries }) => retries),
    ...columnIf(
      ({ escalations }) => escalations > 0,
      numbers('ESCALATIONS', ({ escalations }) => escalations),
    ),
    ...columnIf(({ guards }) => guards.length > 0, {
      title: 'STOPPED BY',
      cell: ({ guards }) => (guards.length === 0 ? '-' : guardWords(guards)),
    }),
    ...columnIf(
      ({ denied }) => denied !== undefined,
      numbers('DENIED', ({ denied = 0 }) => denied),
    ),
    { title: 'GATES', cell: ({ gates }) => gateWords(gates) },
    { title: 'COST', right: true, cell: costCell },
    numbers('TOKENS', ({ tokens }) => tokens.in + tokens.out),
    { title: 'TURNS', right: true, cell: ({ turns }) => (turns === null ? '-' : String(turns)) },
    times('TIME', ({ duration_ms }) => duration_ms),
  ];
}

/** The color of a step's status, which all views share. */
export function stepPaint(status: AttemptStatus, paint: Paint): (text: string) => string {
  if (status === 'pass') return paint.success;
  if (status === 'fatal') return paint.error;
  return status === 'running' ? paint.strong : paint.warning;
}

function guardWords(guards: readonly string[]): string {
  const words = [...new Set(guards)].map((name) => {
    const times = guards.filter((one) => one === name).length;
    return times === 1 ? name : `${name} ×${times}`;
  });
  return words.join(', ');
}

function gateWords({ passed, failed }: StepRow['gates']): string {
  if (passed + failed === 0) return '-';
  if (failed === 0) return `${passed} passed`;
  return passed === 0 ? `${failed} failed` : `${passed} passed, ${failed} failed`;
}
