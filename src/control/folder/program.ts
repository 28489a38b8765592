/** The program of a run as it was stored when the run started, or when it was resumed in an edited one. */
import { recoveryContextOf } from '../../runtime/run/again/prepare-recovery.js';
import { type StoredRun, storedMachine, storedSources } from '../../runtime/store/stored-run.js';
import type { RunProgram } from '../runs.js';

/** Secrets of the run are replaced. Throws a `RunRefused`. */
export function programOf(stored: StoredRun, digest = stored.about.digest): RunProgram {
  const { redactor } = recoveryContextOf(stored, {});
  const { run_id, program } = stored.about;
  const sources = digest === stored.about.digest ? storedSources(stored) : [];
  const known = { machine: storedMachine(stored, digest), sources };
  const shown = redactor === null ? known : (redactor.value(known as never) as unknown as typeof known);
  return { run_id, program, ...shown };
}
