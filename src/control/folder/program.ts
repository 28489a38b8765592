/** The program of a run as it was stored when the run started. */
import { recoveryContextOf } from '../../runtime/run/again/prepare-recovery.js';
import { type StoredRun, storedSources } from '../../runtime/store/stored-run.js';
import type { RunProgram } from '../runs.js';

/** Secrets of the run are replaced. Throws a `RunRefused`. */
export function programOf(stored: StoredRun): RunProgram {
  const { machine, redactor } = recoveryContextOf(stored, {});
  const { run_id, program } = stored.about;
  const known = { machine, sources: storedSources(stored) };
  const shown = redactor === null ? known : (redactor.value(known as never) as unknown as typeof known);
  return { run_id, program, ...shown };
}
