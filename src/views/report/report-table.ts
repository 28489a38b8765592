/** Tables and costs as reports print them. */
import { countOf, dollars, duration } from '../drawing/amounts.js';
import { alignedLines, type Cell, type Column } from '../drawing/columns.js';
import type { Paint } from '../drawing/paint.js';
import type { Spending } from './undo-rows.js';

/** A column with the function that returns its cell for a row. */
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

/** Costs in words, for people. */
export function spendingWords({ cost, unknown_costs, tokens }: Spending): string {
  const known = cost === null ? [] : [dollars(cost)];
  const unknown = unknown_costs === 0 ? [] : [`${countOf(unknown_costs, 'call')} of unknown cost`];
  const used = tokens.in + tokens.out === 0 ? [] : [`${tokens.in} tokens in`, `${tokens.out} out`];
  return [[...known, ...unknown].join(' and '), ...used].join(', ');
}

/** For a table: the known cost, marked if there are also unknown costs. */
export function costCell({ cost, unknown_costs }: Pick<Spending, 'cost' | 'unknown_costs'>): string {
  return cost !== null && unknown_costs > 0 ? `${dollars(cost)} + unknown` : dollars(cost);
}
