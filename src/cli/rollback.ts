/** `statedsl rollback`: takes back what a run did that failed or was cancelled. */
import { resume } from '../runtime/run/again/resume.js';
import { findRunId, openStoredRun, storedMachine } from '../runtime/store/stored-run.js';
import { requireOwnStore } from '../runtime/store/whose-store.js';
import type { ExitCode } from './exit-code.js';
import { guarded, storeOf } from './reading/kept-runs.js';
import { prepareResume, type ResumeFlags, sourcesOf } from './reading/prepare-resume.js';
import { executeRun, flagProblem, personName } from './running/execute.js';

export async function rollbackCommand(name: string, flags: ResumeFlags): Promise<ExitCode> {
  const wrong = await flagProblem(flags);
  if (wrong !== null) return wrong;
  return guarded(async () => {
    await requireOwnStore(storeOf(flags));
    const id = findRunId(storeOf(flags), name);
    const stored = openStoredRun(storeOf(flags), id);
    const machine = storedMachine(stored, stored.about.digest);
    const prepared = await prepareResume(stored, machine, flags, sourcesOf(stored));
    if ('code' in prepared) return prepared.code;
    return executeRun({
      flags,
      background: false,
      program: machine,
      sources: prepared.sources,
      execute: (shown) => resume(id, { person: personName(), ...prepared.options(false), ...shown, rollback: true }),
    });
  });
}
