/** `statedsl gc`: removes old runs. */
import { removeOldRuns } from '../runtime/remove-runs.js';
import { drawRemoval } from '../views/removal.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { guarded, type StoreFlags, storeOf } from './kept-runs.js';
import { stderr, stdout } from './streams.js';

export interface GcFlags extends StoreFlags {
  readonly keepLast: number;
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export async function gcCommand(flags: GcFlags): Promise<ExitCode> {
  return guarded(async () => {
    const { keepLast, all = false, dryRun = false } = flags;
    const removal = { ...removeOldRuns(storeOf(flags), { keepLast, all, dryRun }), dry_run: dryRun };
    if (flags.json) stdout.write(`${JSON.stringify(removal)}\n`);
    else {
      stdout.write(drawRemoval(removal, await stdout.paint()));
      if (!flags.quiet && removal.kept.some(({ status }) => status !== 'running'))
        stderr.write('runs that can be resumed are kept; --all removes them too\n');
    }
    return EXIT.returned;
  });
}
