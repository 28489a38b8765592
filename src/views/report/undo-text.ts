/** What runs undid, for people: a table of UNDOs, a line for each ROLLBACK, and what is still registered. */
import { countOf, dollars, localTime } from '../drawing/amounts.js';
import type { Paint } from '../drawing/paint.js';
import { cut, visibleLine } from '../drawing/visible-text.js';
import { costCell, type Described, numbers, table, times } from './report-table.js';
import type { RollbackRow, UndoneRow, UndoReport } from './undo-rows.js';

const LONGEST_TEXT = 60;
/** A loop can register thousands of UNDOs. */
const MOST_ROWS = 50;

/** `several`: they belong to more than one run, so each names its run. */
export function undoBlocks({ undone, rollbacks, undo }: UndoReport, several: boolean, paint: Paint): string[][] {
  const rows = table(columns(several), undone.slice(0, MOST_ROWS), paint);
  const ends = rollbacks.map((one) => rollbackLine(one, several, paint));
  const left = undo.map(({ run_id, state, line, text }) => {
    const where = several ? `run ${run_id}, ` : '';
    return `registered, not undone: ${shorten(text)} (${where}${visibleLine(state)}, line ${line})`;
  });
  return [[...rows, ...more(undone.length)], ends, [...left.slice(0, MOST_ROWS), ...more(undo.length)]];
}

function more(count: number): string[] {
  return count > MOST_ROWS ? [`… ${count - MOST_ROWS} more`] : [];
}

function columns(several: boolean): Described<UndoneRow>[] {
  return [
    { title: 'UNDO', cell: ({ text }) => shorten(text) },
    ...(several ? [{ title: 'RUN', cell: ({ run_id }: UndoneRow) => run_id }] : []),
    { title: 'STATE', cell: ({ state }, paint) => ({ text: visibleLine(state), paint: paint.state }) },
    numbers('LINE', ({ line }) => line),
    numbers('EVENT', ({ seq }) => seq),
    { title: 'BEGAN', cell: ({ at }) => localTime(at) },
    { title: 'RESULT', cell: resultCell },
    numbers('ATTEMPTS', ({ attempts }) => attempts),
    { title: 'COST', right: true, cell: (row) => (row.kind === 'agent' ? costCell(row) : dollars(0)) },
    times('TIME', ({ time_ms }) => time_ms),
  ];
}

function resultCell({ ending, outcome }: UndoneRow, paint: Paint) {
  if (ending === 'succeeded') return 'undone';
  const words = visibleLine(cut(outcome ?? 'no recorded outcome', LONGEST_TEXT));
  return { text: `${ending}: ${words}`, paint: paint.warning };
}

function rollbackLine({ run_id, seq, at, by, done, failed }: RollbackRow, several: boolean, paint: Paint): string {
  const where = several ? `run ${run_id}, ` : '';
  const who = by === null ? '' : ` by ${visibleLine(by)}`;
  const came = failed.length === 0 ? `${done} undone` : `${done} undone, ${countOf(failed.length, 'UNDO')} failed`;
  const line = `rolled back${who}: ${came} (${where}event ${seq}, ${localTime(at)})`;
  return failed.length === 0 ? line : paint.error(line);
}

function shorten(text: string): string {
  return visibleLine(cut(text, LONGEST_TEXT));
}
