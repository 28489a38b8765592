/** `statedsl rollback`: undoes what a failed or cancelled run did. */

import { resume } from '../runtime/run/again/resume.js';
import { requireOwnStore } from '../runtime/store/store-ownership.js';
import { findRunId } from '../runtime/store/stored-run.js';
import type { ExitCode } from './exit-code.js';
import { refusalsAsErrors, storeOf } from './reading/kept-runs.js';
import type { ResumeFlags } from './reading/prepare-resume.js';
import { flagProblem } from './running/execute.js';
import { executeStored } from './running/execute-stored.js';

export async function rollbackCommand(name: string, flags: ResumeFlags): Promise<ExitCode> {
  const wrong = await flagProblem(flags);
  if (wrong !== null) return wrong;
  return refusalsAsErrors(async () => {
    await requireOwnStore(storeOf(flags));
    const id = findRunId(storeOf(flags), name);
    return executeStored(id, flags, false, (options) => resume(id, { ...options, rollback: true }));
  });
}
