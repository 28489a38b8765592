/** `statedsl replay`: compares the record of a run with its program, or starts a new run from a point of an old one. */
import type { CompareOptions, ReplayFrom } from '../../app/execution-options.js';
import { replayPoint } from '../../app/read-point.js';
import { unwrap } from '../../app/result.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { type ResumeFlags, resumeOptions } from '../preparation/prepare-resume.js';
import { flagProblem, withoutLog } from '../running/drive-on-command-line.js';
import { driveStoredRun } from '../running/drive-stored-run.js';
import { refusalsAsErrors, runsOf } from '../running/stored-runs.js';
import { newestRun } from '../running/which-run.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { stderr, stdout } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';

interface ReplayFlags extends Omit<ResumeFlags, 'inDoubt'> {
  readonly from?: string;
  /** Repeats the failed members of a PARALLEL or FOR EACH. */
  readonly failed?: boolean;
}

export async function replayCommand(run: string | undefined, given: ReplayFlags): Promise<ExitCode> {
  const wrong = await flagProblem(given);
  if (wrong !== null) return wrong;
  const flags = withoutLog(given);
  if (flags.failed && flags.from !== undefined)
    return usageError('`--failed` and `--from` both choose where the new run begins', 'choose one of them');
  if (run === undefined && flags.on !== undefined)
    return usageError('on an engine, the run has to be named', 'write its id');
  return refusalsAsErrors(async () => {
    const name = run ?? (await newestRun(flags));
    const from = pointOf(flags);
    if (from === null) return driftOf(unwrap(await (await runsOf(flags)).find(name)).run_id, flags);
    if (flags.on !== undefined) {
      const unused = await (await import('../running/unused-on-engine.js')).unusedOnReplay(flags);
      if (unused !== null) return unused;
    }
    const { run_id } = unwrap(await (await runsOf(flags)).find(name));
    return driveStoredRun(run_id, { ...flags, confirms: true, isCopy: true }, false, (runs, options) =>
      runs.replay(run_id, from, options),
    );
  }, flags);
}

/** Null: the run is compared with its program. Throws a `RunRefused`. */
function pointOf({ failed, from }: ReplayFlags): ReplayFrom | null {
  if (failed) return 'failed';
  return from === undefined ? null : replayPoint(from);
}

async function driftOf(id: string, flags: ReplayFlags): Promise<ExitCode> {
  const { program, examine } = resumeOptions(flags, false);
  const drift = unwrap(
    await (await runsOf(flags)).compare(id, { ...omitUndefined({ program }), examine } as CompareOptions),
  );
  if (flags.json) stdout.write(`${JSON.stringify(drift)}\n`);
  const { events, difference } = drift;
  if (difference === null) {
    if (!flags.json && !flags.quiet)
      stderr.write(`no drift: the program reproduces the ${events} events of run ${id}\n`);
    return EXIT.returned;
  }
  const paint = await stderr.paint();
  const { seq, recorded, made } = difference;
  stderr.write(`${paint.error('drift')}: from event ${seq} on, the program does something else than run ${id} did\n`);
  stderr.write(
    `  recorded: ${JSON.stringify(recorded)}\n  now:      ${made === null ? 'nothing' : JSON.stringify(made)}\n`,
  );
  return EXIT.failed;
}
