/** Tables of a report: each column has a function that returns its cell for a row. */
import { alignedLines, type Cell, type Column } from '../drawing/aligned.js';
import { duration } from '../drawing/duration.js';
import type { Paint } from '../drawing/paint.js';

export interface Described<Row> extends Column {
  readonly cell: (row: Row, paint: Paint) => Cell;
}

/** Returns no lines if there are no rows. */
export function table<Row>(columns: readonly Described<Row>[], rows: readonly Row[], paint: Paint): string[] {
  if (rows.length === 0) return [];
  const cells = rows.map((row) => columns.map(({ cell }) => cell(row, paint)));
  return alignedLines(columns, cells, paint.faint);
}

export const numbers = <Row>(title: string, of: (row: Row) => number): Described<Row> => ({
  title,
  right: true,
  cell: (row) => String(of(row)),
});

export const times = <Row>(title: string, of: (row: Row) => number | null): Described<Row> => ({
  title,
  right: true,
  cell: (row) => {
    const ms = of(row);
    return ms === null ? '-' : duration(ms);
  },
});
