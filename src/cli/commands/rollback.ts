/** `statedsl rollback`: undoes what a failed or cancelled run did. */

import { unwrap } from '../../control/result.js';
import type { ResumeFlags } from '../preparation/prepare-resume.js';
import { flagProblem } from '../running/drive-on-command-line.js';
import { driveStoredRun } from '../running/drive-stored-run.js';
import { refusalsAsErrors, runsOf } from '../running/stored-runs.js';
import type { ExitCode } from '../terminal/exit-code.js';

export async function rollbackCommand(name: string, flags: ResumeFlags): Promise<ExitCode> {
  const wrong = await flagProblem(flags);
  if (wrong !== null) return wrong;
  return refusalsAsErrors(async () => {
    const { run_id } = unwrap(await (await runsOf(flags)).find(name));
    return driveStoredRun(run_id, flags, false, (runs, options) => runs.resume(run_id, { ...options, rollback: true }));
  }, flags);
}
