/** `statedsl replay`: compares the record of a run with its program, or starts a new run from a point of an old one. */

import type { CompareOptions, ReplayFrom } from '../../app/execution-options.js';
import { replayPoint } from '../../app/read-point.js';
import { unwrap } from '../../app/result.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { type ResumeFlags, resumeOptions } from '../preparation/prepare-resume.js';
import { flagProblem, withoutLog } from '../running/drive-on-command-line.js';
import { driveStoredRun } from '../running/drive-stored-run.js';
import { flagLimits, refusalsAsErrors, runsOf } from '../running/stored-runs.js';
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
    if (from !== null && flags.on !== undefined) return replayElsewhere(name, from, flags);
    const id = flags.on === undefined ? name : await copyOf(name, flags);
    const { run_id } = unwrap(await (await runsOf(localFlags(flags))).find(id));
    return from === null ? driftOf(run_id, flags) : fromPoint(run_id, from, flags);
  }, flags);
}

/** Null: the run is compared with its program. Throws a `RunRefused`. */
function pointOf({ failed, from }: ReplayFlags): ReplayFrom | null {
  if (failed) return 'failed';
  return from === undefined ? null : replayPoint(from);
}

/** A new run of the engine. */
async function replayElsewhere(name: string, from: ReplayFrom, flags: ReplayFlags): Promise<ExitCode> {
  const unused = await (await import('../running/unused-on-engine.js')).unusedOnReplay(flags);
  if (unused !== null) return unused;
  const { replayOnEngine } = await import('../running/follow-on-engine.js');
  return replayOnEngine(name, flags, { from, limits: flagLimits(flags) });
}

/** A comparison happens with the copy of a run on an engine. */
async function copyOf(name: string, flags: ReplayFlags): Promise<string> {
  return (await import('../running/follow-on-engine.js')).copyToStore(name, flags);
}

async function driftOf(id: string, flags: ReplayFlags): Promise<ExitCode> {
  const { program, examine } = resumeOptions(flags, false);
  const drift = unwrap(
    await (await runsOf(localFlags(flags))).compare(id, { ...omitUndefined({ program }), examine } as CompareOptions),
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

function fromPoint(id: string, from: ReplayFrom, flags: ReplayFlags): Promise<ExitCode> {
  return driveStoredRun(id, localFlags(flags), false, (runs, options) => runs.replay(id, from, options));
}

/** The flags for the copy of a run in the store. */
function localFlags({ on: _, namespace: __, ...local }: ReplayFlags): ReplayFlags {
  return local;
}
