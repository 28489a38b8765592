/** Drives a stored run, or a copy of it, with the settings from flags, files and the configuration. */

import type { Result } from '../../control/result.js';
import type { Execution, ResumeRunOptions, Runs } from '../../control/runs.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { sourcesOf } from '../../project/stored-program.js';
import type { ResumeOptions } from '../../runtime/run/again/resume-options.js';
import { openStoredRun, storedMachine } from '../../runtime/store/stored-run.js';
import { prepareResume, type ResumeFlags } from '../preparation/prepare-resume.js';
import type { ExitCode } from '../terminal/exit-code.js';
import { driveOnCommandLine, personName } from './drive-on-command-line.js';
import { runsOf, storeOf, unwrap } from './stored-runs.js';

/**
 * `begin` executes the run with the options of the command. `background`: no person can be asked. Rejects as
 * `refusalsAsErrors` expects it.
 */
export async function driveStoredRun(
  id: string,
  flags: ResumeFlags,
  background: boolean,
  begin: (runs: Runs, options: ResumeRunOptions) => Promise<Result<Execution>>,
): Promise<ExitCode> {
  const stored = openStoredRun(storeOf(flags), id);
  const machine = storedMachine(stored, stored.about.digest);
  const prepared = await prepareResume(stored, machine, flags, sourcesOf(stored));
  if ('code' in prepared) return prepared.code;
  return driveOnCommandLine({
    flags,
    background,
    program: machine,
    sources: prepared.sources,
    drive: async (shown) => {
      const ask = prepared.ask(shown.ask ?? null);
      const options: ResumeOptions = {
        person: personName(),
        ...prepared.options(background),
        ...shown,
        ...omitUndefined({ ask: ask ?? undefined }),
      };
      const { report } = unwrap(await begin(await runsOf(flags), options as ResumeRunOptions));
      return report;
    },
  });
}
