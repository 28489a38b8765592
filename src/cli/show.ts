/** `statedsl show`: the state of a run, now or after any of its events. */
import { inspectRun } from '../runtime/inspect-run.js';
import { drawRunState } from '../views/run-state.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { findRunOrLatest, refusalsAsErrors, type StoreFlags, storeOf } from './stored-runs.js';
import { stdout } from './streams.js';

interface ShowRunFlags extends StoreFlags {
  /** The number of an event. */
  readonly at?: number;
  readonly json?: boolean;
}

export async function showCommand(name: string | undefined, flags: ShowRunFlags): Promise<ExitCode> {
  return refusalsAsErrors(async () => {
    const directory = storeOf(flags);
    const { run, recent } = inspectRun(directory, findRunOrLatest(name, directory), flags.at ?? null);
    if (flags.json) stdout.write(`${JSON.stringify(run)}\n`);
    else stdout.write(drawRunState(run, recent, await stdout.paint()));
    return EXIT.returned;
  });
}
