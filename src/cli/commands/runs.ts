/** `statedsl runs`: what runs there are, newest first. */
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { drawRunList } from '../../views/run-list.js';
import { reportRefusal, runsOf, type StoreFlags, storeOf } from '../running/stored-runs.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stderr, stdout } from '../terminal/streams.js';

interface RunsFlags extends StoreFlags {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly last?: number;
  readonly key?: string;
}

export async function runsCommand(flags: RunsFlags): Promise<ExitCode> {
  const listed = await (await runsOf(flags)).list(omitUndefined({ limit: flags.last, key: flags.key }));
  if (!listed.ok) return reportRefusal(listed.refusal);
  const { runs } = listed.value;
  if (flags.json) stdout.write(`${JSON.stringify({ runs })}\n`);
  else stdout.write(drawRunList(runs, await stdout.paint()));
  if (runs.length === 0 && !flags.quiet)
    stderr.write(
      flags.on === undefined
        ? `there are no runs in ${storeOf(flags)}; name their store with --dir\n`
        : `there are no runs on the engine at ${flags.on}\n`,
    );
  return EXIT.returned;
}
