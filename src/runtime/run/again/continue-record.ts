/**
 * Continues a run from the beginning of its record, in memory: as `resume` does after a crash, but nothing is read from disk
 * or stored. Tests use it to crash a run after each of its events.
 */
import type { Outcome, RunEvent } from '../../../interpreter/events/event.js';
import { type Difference, Replay } from '../../../interpreter/record/replay.js';
import type { EffectRequest } from '../../../interpreter/request.js';
import { link, type Run, settle, startRun } from '../../../interpreter/run.js';
import type { Machine } from '../../../machine/machine.js';
import { createRedactor } from '../../redact.js';
import { VERSION } from '../../version.js';
import { driveRun } from '../drive-run.js';
import { doubtfulOutcome } from '../in-doubt.js';
import type { RunReport } from '../report.js';
import { newRunId } from '../run-id.js';
import { fixedOptions, interpreterOptions, type RunOptions, secretsOf } from '../run-options.js';

/** The part of a record that a crash has left. */
interface RecordBeginning {
  readonly events: readonly RunEvent[];
  /** The outcome as the world gave it, without replaced secrets. */
  readonly outcomeOf: (request: EffectRequest, recorded: Outcome) => Outcome;
  /** How long the run was executed, in milliseconds. */
  readonly activeMs: number;
}

type Continued =
  | { readonly difference: Difference }
  /** `inDoubt`: effects that may have run and must not run twice, which failed therefore. */
  | { readonly report: RunReport; readonly inDoubt: readonly EffectRequest[] };

/** `machine` must be the one that made the record, with the same options. */
export async function continueRecord(
  machine: Machine,
  options: RunOptions,
  { events, outcomeOf, activeMs }: RecordBeginning,
): Promise<Continued> {
  const inputs = options.inputs ?? {};
  const redactor = createRedactor(secretsOf(machine, options));
  const fixed = fixedOptions(machine, options, options.worktreeBase ?? null);
  const started = startRun(
    link(machine),
    interpreterOptions(machine, fixed, { inputs, record: true, version: VERSION }),
  );
  const replay = new Replay(
    started,
    {
      toRecorded: (event) => redactor?.event(event) ?? event,
      toCompared: (event) => event,
      complete: (outcome, request) => (request === null ? outcome : outcomeOf(request, outcome)),
      migrate: () => null,
    },
    false,
  );
  for (const [at, event] of events.entries()) {
    const difference = replay.take(at + 1, event);
    if (difference !== null) return { difference };
  }
  const rest = replay.rest();
  const doubtful = replay.inDoubt();
  const run = replay.release();
  const inDoubt: EffectRequest[] = [];
  for (const request of doubtful) {
    const outcome = doubtfulOutcome(request, 'fail');
    if (outcome === null) continue;
    inDoubt.push(request);
    settle(run, request.effect, outcome);
  }
  const report = await driveContinued(run, options, { seq: events.length, activeMs, events: rest });
  return { report, inDoubt };
}

function driveContinued(
  run: Run,
  options: RunOptions,
  { seq, activeMs, events }: { readonly seq: number; readonly activeMs: number; readonly events: readonly RunEvent[] },
): Promise<RunReport> {
  return driveRun(
    {
      runId: newRunId(),
      run,
      startedAt: new Date().toISOString(),
      open: null,
      redactor: createRedactor(secretsOf(run.linked.machine, options)),
      checkpoints: null,
      inbox: null,
      begin: { seq, events: [{ type: 'run_resumed', by: 'test' }, ...events], activeMs },
      cwd: options.cwd ?? process.cwd(),
      worktrees: null,
    },
    options,
  );
}
