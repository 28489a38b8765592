/** `statedsl runs`: what runs there are, newest first. */
import { listRuns } from '../runtime/list-runs.js';
import { drawRunList } from '../views/run-list.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { refusalsAsErrors, type StoreFlags, storeOf } from './stored-runs.js';
import { stderr, stdout } from './streams.js';

interface RunsFlags extends StoreFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly last?: number;
}

export async function runsCommand(flags: RunsFlags): Promise<ExitCode> {
  return refusalsAsErrors(async () => {
    const directory = storeOf(flags);
    const runs = listRuns(directory, flags.last);
    if (flags.json) stdout.write(`${JSON.stringify({ runs })}\n`);
    else stdout.write(drawRunList(runs, await stdout.paint()));
    if (runs.length === 0 && !flags.quiet)
      stderr.write(`there are no runs in ${directory}; name their store with --dir\n`);
    return EXIT.returned;
  });
}
