/** Executes a run that is on disk, or a copy of it, with what flags, files and the configuration say about it. */

import { sourcesOf } from '../../project/stored-program.js';
import type { ResumeOptions } from '../../runtime/run/again/resume-options.js';
import type { RunReport } from '../../runtime/run/report.js';
import { openStoredRun, storedMachine } from '../../runtime/store/stored-run.js';
import type { ExitCode } from '../exit-code.js';
import { storeOf } from '../reading/kept-runs.js';
import { prepareResume, type ResumeFlags } from '../reading/prepare-resume.js';
import { executeRun, personName } from './execute.js';

/** `execute` gets the options of the command. `background`: no person can be asked. Rejects with a `RunRefused`. */
export async function executeStored(
  id: string,
  flags: ResumeFlags,
  background: boolean,
  execute: (options: ResumeOptions) => Promise<RunReport>,
): Promise<ExitCode> {
  const stored = openStoredRun(storeOf(flags), id);
  const machine = storedMachine(stored, stored.about.digest);
  const prepared = await prepareResume(stored, machine, flags, sourcesOf(stored));
  if ('code' in prepared) return prepared.code;
  return executeRun({
    flags,
    background,
    program: machine,
    sources: prepared.sources,
    execute: (shown) => execute({ person: personName(), ...prepared.options(background), ...shown }),
  });
}
