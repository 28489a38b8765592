/** The state of a run of a folder, now or after any of its events. */
import { inspectRun } from '../../runtime/inspect-run.js';
import type { Inspected } from '../runs.js';
import { findRun } from './find-run.js';

/** Throws a `RunRefused` or a `StoreError`. */
export function inspectFolderRun(directory: string, run: string | null, at: number | null): Inspected {
  const { run: value, recent } = inspectRun(directory, findRun(directory, run), at);
  return { ok: true, value, recent };
}
