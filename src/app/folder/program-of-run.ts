/** The program of a run as it was stored when the run started, or when it was resumed in an edited one. */
import { join } from 'node:path';
import { createRedactor } from '../../runtime/redact.js';
import { secretsOf } from '../../runtime/run/run-options.js';
import { entryAt } from '../../runtime/store/own-file.js';
import { RunRefused } from '../../runtime/store/store-error.js';
import { machineFile, type StoredRun, storedMachine, storedSources } from '../../runtime/store/stored-run.js';
import type { RunProgram } from '../runs.js';

/** Secrets of the run are replaced. Throws a `RunRefused`, also if the run was never executed with that program. */
export function programOf(stored: StoredRun, digest = stored.about.digest): RunProgram {
  if (entryAt(join(stored.path, machineFile(stored.about, digest))) === null && digest !== stored.about.digest)
    throw new RunRefused('unknown', `run \`${stored.about.run_id}\` was never resumed in a program \`${digest}\``);
  const { run_id, program, inputs, cwd, options } = stored.about;
  const machine = storedMachine(stored, digest);
  const sources = digest === stored.about.digest ? storedSources(stored) : [];
  const declared = storedMachine(stored, stored.about.digest);
  const folders = [...new Set([cwd, options.program_dir])];
  return shownProgram({ run_id, program, machine, sources, folders }, secretsOf(declared, { inputs }));
}

/** Secrets are replaced. */
export function shownProgram(
  { machine, sources, folders, ...about }: RunProgram,
  secrets: ReturnType<typeof secretsOf>,
): RunProgram {
  const redactor = createRedactor(secrets);
  const known = { machine, sources, folders };
  return { ...about, ...(redactor === null ? known : (redactor.value(known as never) as unknown as typeof known)) };
}
