/** `statedsl show`: the state of a run, now or after any of its events. */
import { drawRunState } from '../../views/run-state.js';
import { reportRefusal, runsOf, type StoreFlags } from '../running/stored-runs.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stdout } from '../terminal/streams.js';

interface ShowRunFlags extends StoreFlags {
  /** The number of an event. */
  readonly at?: number;
  readonly json?: boolean;
}

export async function showCommand(name: string | undefined, flags: ShowRunFlags): Promise<ExitCode> {
  const shown = await runsOf(flags).inspect(name ?? null, flags.at);
  if (!shown.ok) return reportRefusal(shown.refusal);
  if (flags.json) stdout.write(`${JSON.stringify(shown.value)}\n`);
  else stdout.write(drawRunState(shown.value, shown.recent, await stdout.paint()));
  return EXIT.returned;
}
