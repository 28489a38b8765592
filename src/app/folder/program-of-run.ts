/** The program of a run as it was stored when the run started, or when it was resumed in an edited one. */
import { join } from 'node:path';
import { recoveryContextOf } from '../../runtime/run/again/prepare-recovery.js';
import { entryAt } from '../../runtime/store/own-file.js';
import { RunRefused } from '../../runtime/store/store-error.js';
import { machineFile, type StoredRun, storedMachine, storedSources } from '../../runtime/store/stored-run.js';
import type { RunProgram } from '../runs.js';

/** Secrets of the run are replaced. Throws a `RunRefused`, also if the run was never executed with that program. */
export function programOf(stored: StoredRun, digest = stored.about.digest): RunProgram {
  if (entryAt(join(stored.path, machineFile(stored.about, digest))) === null && digest !== stored.about.digest)
    throw new RunRefused('unknown', `run \`${stored.about.run_id}\` was never resumed in a program \`${digest}\``);
  const { redactor } = recoveryContextOf(stored, {});
  const { run_id, program } = stored.about;
  const sources = digest === stored.about.digest ? storedSources(stored) : [];
  const known = { machine: storedMachine(stored, digest), sources };
  const shown = redactor === null ? known : (redactor.value(known as never) as unknown as typeof known);
  return { run_id, program, ...shown };
}
