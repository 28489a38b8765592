/** `statedsl run FILE --resume` and `--replay`: what `resume` and `replay` do, with the latest run of a program. */
import { resolve } from 'node:path';
import { unwrap } from '../../app/result.js';
import { RunRefused } from '../../runtime/store/store-error.js';
import { replayCommand } from '../commands/replay.js';
import { resumeRun } from '../commands/resume.js';
import type { ExitCode } from '../terminal/exit-code.js';
import type { RunFlags } from './run-flags.js';
import { refusalsAsErrors, runsOf, storeOf } from './stored-runs.js';
import { isOver } from './which-run.js';

export async function runAgain(file: string, flags: RunFlags): Promise<ExitCode> {
  return refusalsAsErrors(async () => {
    const { runs } = unwrap(await (await runsOf(flags)).list({ program: resolve(file) }));
    if (flags.replay) {
      const [latest] = runs;
      if (latest === undefined)
        throw new RunRefused('unknown', `there is no run of \`${file}\` in \`${storeOf(flags)}\``);
      return replayCommand(latest.run_id, { ...flags, fromFile: file });
    }
    const unfinished = runs.find((run) => !isOver(run) && run.status !== 'running');
    if (unfinished !== undefined) return resumeRun(unfinished.run_id, flags, []);
    const running = runs.find(({ status }) => status === 'running');
    const help =
      running === undefined ? 'list the runs: `statedsl runs`' : `run \`${running.run_id}\` is still running`;
    throw new RunRefused('unknown', `there is no unfinished run of \`${file}\` in \`${storeOf(flags)}\``, help);
  });
}
