/** `statedsl show`: the state of a run, now or after any of its events. */
import { reportJson } from '../../runtime/run/run-report.js';
import { drawRunState } from '../../views/run-state.js';
import { reportRefusal, runsOf, type StoreFlags } from '../running/stored-runs.js';
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
  if (flags.follow) {
    if (flags.on === undefined || flags.at !== undefined)
      return usageError(
        '`--follow` shows a run on an engine as it continues',
        'name the engine with `--on`, and leave out `--at`',
      );
    return (await import('../running/follow-on-engine.js')).followNamed(name ?? null, flags);
  }
  const shown = await (await runsOf(flags)).inspect(name ?? null, flags.at);
  if (!shown.ok) return reportRefusal(shown.refusal);
  if (flags.json) stdout.write(`${reportJson(shown.value)}\n`);
  else stdout.write(drawRunState(shown.value, shown.recent, await stdout.paint()));
  return EXIT.returned;
}
