/** The state of a run of a folder, now or after any of its events. */
import { inspectRun } from '../../runtime/inspect-run.js';
import { RecordScan } from '../../runtime/record-scan.js';
import { openStoredRun } from '../../runtime/store/stored-run.js';
import type { Inspected } from '../runs.js';
import { findRun } from './find-run.js';

/** The number of runs with cached records, because the same runs are often read repeatedly. */
const KEPT = 32;

/** Scans of records by run; those that were used last are at the end. */
export type KnownRecords = Map<string, RecordScan>;

/** Throws a `RunRefused` or a `StoreError`. */
export function inspectFolderRun(
  directory: string,
  run: string | null,
  at: number | null,
  known: KnownRecords,
): Inspected {
  const id = findRun(directory, run);
  const { journal } = openStoredRun(directory, id);
  const { run: value, recent } = inspectRun(directory, id, at, scanOf(known, id, journal));
  return { ok: true, value, recent };
}

function scanOf(known: KnownRecords, id: string, journal: string): RecordScan {
  let scan = known.get(id);
  if (scan === undefined || !scan.update()) {
    scan = new RecordScan(journal);
    scan.update();
  }
  known.delete(id);
  known.set(id, scan);
  const [oldest] = known.keys();
  if (known.size > KEPT && oldest !== undefined) known.delete(oldest);
  return scan;
}
