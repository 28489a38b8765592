/** `statedsl rollback`: undoes what a failed or cancelled run did. */

import { requireOwnStore } from '../../runtime/store/store-ownership.js';
import { findRunId } from '../../runtime/store/stored-run.js';
import type { ResumeFlags } from '../preparation/prepare-resume.js';
import { flagProblem } from '../running/drive-on-command-line.js';
import { driveStoredRun } from '../running/drive-stored-run.js';
import { refusalsAsErrors, storeOf } from '../running/stored-runs.js';
import type { ExitCode } from '../terminal/exit-code.js';

export async function rollbackCommand(name: string, flags: ResumeFlags): Promise<ExitCode> {
  const wrong = await flagProblem(flags);
  if (wrong !== null) return wrong;
  return refusalsAsErrors(async () => {
    await requireOwnStore(storeOf(flags));
    const id = findRunId(storeOf(flags), name);
    return driveStoredRun(id, flags, false, (runs, options) => runs.resume(id, { ...options, rollback: true }));
  });
}
