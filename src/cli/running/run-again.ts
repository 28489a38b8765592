/** `statedsl run FILE --resume` and `--replay`: what `resume` and `replay` do, with the latest run of a program. */
import { resolve as resolvePath } from 'node:path';
import { programOf } from '../../project/stored-program.js';
import { latestRun } from '../../runtime/store/latest-run.js';
import { RunRefused } from '../../runtime/store/run-refused.js';
import { requireOwnStore } from '../../runtime/store/store-ownership.js';
import { openStoredRun } from '../../runtime/store/stored-run.js';
import { replayCommand } from '../commands/replay.js';
import { findLatestUnfinished, resumeRun } from '../commands/resume.js';
import type { ExitCode } from '../terminal/exit-code.js';
import { usageError } from '../terminal/usage.js';
import type { RunFlags } from './run-flags.js';
import { refusalsAsErrors, storeOf } from './stored-runs.js';

export async function runAgain(file: string, flags: RunFlags): Promise<ExitCode> {
  if (flags.resume && flags.replay)
    return usageError('`--resume` and `--replay` cannot be used together', 'choose one of them');
  return refusalsAsErrors(async () => {
    const path = resolvePath(file);
    const store = storeOf(flags);
    await requireOwnStore(store);
    const isOfFile = (id: string): boolean => {
      try {
        return programOf(openStoredRun(store, id)) === path;
      } catch (cause) {
        // An unreadable run is skipped.
        if (cause instanceof RunRefused) return false;
        throw cause;
      }
    };
    if (flags.resume) return resumeRun(findLatestUnfinished(store, isOfFile, file), flags, []);
    const id = latestRun(store, isOfFile);
    if (id === null) throw new RunRefused('unknown', `there is no run of \`${file}\` in \`${store}\``);
    return replayCommand(id, { ...flags, fromFile: file });
  });
}
