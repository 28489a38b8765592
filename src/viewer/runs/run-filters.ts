/** The filters of the list as they stand in the address, and what they mean for the service. */
import type { RunQuery, ShownStatus } from '../data/run-data.js';

export const STATUSES: readonly ShownStatus[] = [
  'running',
  'suspended',
  'failed',
  'interrupted',
  'killed',
  'returned',
  'queued',
];

/** Periods before now, in hours. */
export const PERIODS: Readonly<Record<string, number>> = { hour: 1, day: 24, week: 168, month: 720 };

/** What the chart shows is a part of the address, too. */
export function hasFilters({ chart: _, ...query }: Readonly<Record<string, string>>): boolean {
  return Object.keys(query).length > 0;
}

export function queryOf({ q, status, program, period }: Readonly<Record<string, string>>): RunQuery {
  const hours = period === undefined ? undefined : PERIODS[period];
  const known = STATUSES.find((one) => one === status);
  return {
    ...(q === undefined ? {} : { q }),
    ...(known === undefined ? {} : { status: known }),
    ...(program === undefined ? {} : { machine: program }),
    ...(hours === undefined ? {} : { since: new Date(Date.now() - hours * 3_600_000).toISOString() }),
  };
}
