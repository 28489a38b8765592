/** `statedsl show`: the state of a run, now or after any of its events. */
import type { FollowOptions } from '../../app/execution-options.js';
import { unwrap } from '../../app/result.js';
import { sourceFile } from '../../language/source/diagnostic.js';
import { reportJson } from '../../runtime/run/run-report.js';
import { drawRunState } from '../../views/run-state.js';
import { driveOnCommandLine, type ShowFlags } from '../running/drive-on-command-line.js';
import { refusalsAsErrors, reportRefusal, runsOf, type StoreFlags } from '../running/stored-runs.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stdout } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';

interface ShowRunFlags extends StoreFlags {
  /** The number of an event. */
  readonly at?: number;
  readonly json?: boolean;
  readonly quiet?: boolean;
  /** Shows the run until it ends. */
  readonly follow?: boolean;
}

export async function showCommand(name: string | undefined, flags: ShowRunFlags): Promise<ExitCode> {
  if (flags.follow) return followCommand(name ?? null, flags);
  const shown = await (await runsOf(flags)).inspect(name ?? null, flags.at);
  if (!shown.ok) return reportRefusal(shown.refusal);
  if (flags.json) stdout.write(`${reportJson(shown.value)}\n`);
  else stdout.write(drawRunState(shown.value, shown.recent, await stdout.paint()));
  return EXIT.returned;
}

/** Shows all that is on record, then what comes, until the run has ended or waits. */
async function followCommand(name: string | null, flags: ShowRunFlags & ShowFlags): Promise<ExitCode> {
  if (flags.at !== undefined)
    return usageError('`--follow` shows a run as it continues', 'leave out `--at`, or leave out `--follow`');
  return refusalsAsErrors(async () => {
    const runs = await runsOf(flags);
    const { run_id, machine, sources } = unwrap(await runs.program(name));
    return driveOnCommandLine({
      flags,
      background: false,
      program: machine,
      sources: () => sources.map((one) => sourceFile(one.name, one.text)),
      isElsewhere: true,
      drive: async (shown) => unwrap(await runs.follow(run_id, shown as FollowOptions)).report,
    });
  });
}
