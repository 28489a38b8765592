/** Drives a stored run, or a copy of it, with the settings from flags, files and the configuration. */

import { omitUndefined } from '../../prelude/omit-undefined.js';
import { sourcesOf } from '../../project/stored-program.js';
import type { ResumeOptions } from '../../runtime/run/again/resume-options.js';
import type { RunReport } from '../../runtime/run/report.js';
import { openStoredRun, storedMachine } from '../../runtime/store/stored-run.js';
import { prepareResume, type ResumeFlags } from '../preparation/prepare-resume.js';
import type { ExitCode } from '../terminal/exit-code.js';
import { driveOnCommandLine, personName } from './drive-on-command-line.js';
import { storeOf } from './stored-runs.js';

/** `drive` gets the options of the command. `background`: no person can be asked. Rejects with a `RunRefused`. */
export async function driveStoredRun(
  id: string,
  flags: ResumeFlags,
  background: boolean,
  drive: (options: ResumeOptions) => Promise<RunReport>,
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
    drive: (shown) => {
      const ask = prepared.ask(shown.ask ?? null);
      return drive({
        person: personName(),
        ...prepared.options(background),
        ...shown,
        ...omitUndefined({ ask: ask ?? undefined }),
      });
    },
  });
}
