/**
 * Continues a run from a point of its record, in memory: as `resume` does after a crash, but nothing is read from disk or
 * stored. Tests use it to crash a run after each of its events, so the record is read once: images of the run along it are
 * where a continued run begins, as a checkpoint is for `resume`.
 */
import type { Outcome, RunEvent } from '../../../interpreter/events/event.js';
import { type Difference, Replay } from '../../../interpreter/record/replay.js';
import type { EffectRequest } from '../../../interpreter/request.js';
import { link, type Run, settle, startRun } from '../../../interpreter/run.js';
import type { Machine } from '../../../machine/machine.js';
import { createRedactor } from '../../redact.js';
import { type Image, imageOf, runOf } from '../../store/image.js';
import { VERSION } from '../../version.js';
import { driveRun } from '../drive-run.js';
import { doubtfulOutcome } from '../in-doubt.js';
import { newRunId } from '../run-id.js';
import { fixedOptions, interpreterOptions, type RunOptions, secretsOf } from '../run-options.js';
import type { RunReport } from '../run-report.js';

/** A record, and how long the run was executed at each of its events, in milliseconds. */
interface TimedRecord {
  readonly events: readonly RunEvent[];
  /** The outcome as the world gave it, without replaced secrets. */
  readonly outcomeOf: (request: EffectRequest, recorded: Outcome) => Outcome;
  readonly activeMs: (count: number) => number;
}

type Continued =
  | { readonly difference: Difference }
  /** `inDoubt`: effects that may have run and must not run twice, which failed therefore. */
  | { readonly report: RunReport; readonly inDoubt: readonly EffectRequest[] };

/** After this many events there is an image, if the run has one there. */
const EVENTS_PER_IMAGE = 24;

/** A record that runs are continued from. Reading it again must produce the same events. */
export class ContinuedRecord {
  /** The first event that the machine does not produce again. */
  readonly difference: Difference | null;
  private readonly images: { readonly count: number; readonly image: Image }[] = [];

  /** `machine` must be the one that made the record, with the same options. */
  constructor(
    private readonly machine: Machine,
    private readonly options: RunOptions,
    private readonly record: TimedRecord,
  ) {
    this.difference = this.read();
  }

  /** Continues the run as after a crash, when it had `count` events on record. `options`: those of the continued run. */
  async continueAt(count: number, options: RunOptions): Promise<Continued> {
    const { difference } = this;
    if (difference !== null && difference.seq <= count) return { difference };
    const from = this.images.findLast((one) => one.count <= count);
    const replay = this.replayFrom(from?.image ?? null);
    for (let at = from?.count ?? 0; at < count; at++) {
      const differs = replay.take(at + 1, this.record.events[at] as RunEvent);
      if (differs !== null) return { difference: differs };
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
    const activeMs = this.record.activeMs(count);
    return { report: await driveContinued(run, options, { seq: count, activeMs, events: rest }), inDoubt };
  }

  private read(): Difference | null {
    const replay = this.replayFrom(null);
    for (const [at, event] of this.record.events.entries()) {
      const difference = replay.take(at + 1, event);
      if (difference !== null) return difference;
      const count = at + 1;
      const isDue = count - (this.images.at(-1)?.count ?? 0) >= EVENTS_PER_IMAGE;
      if (isDue && replay.isBetweenEvents && replay.run.result === null)
        this.images.push({ count, image: imageOf(replay.run, { activeMs: this.record.activeMs(count) }) });
    }
    return null;
  }

  private replayFrom(image: Image | null): Replay {
    const { machine, options } = this;
    const fixed = fixedOptions(machine, options, options.worktreeBase ?? null);
    const given = { inputs: options.inputs ?? {}, record: true, version: VERSION };
    const interpreted = interpreterOptions(machine, fixed, given);
    const linked = link(machine);
    const run = image === null ? startRun(linked, interpreted) : runOf(image, linked, interpreted);
    const redactor = createRedactor(secretsOf(machine, options));
    const { outcomeOf } = this.record;
    const replayOptions = {
      toRecorded: (event: RunEvent) => redactor?.event(event) ?? event,
      toCompared: (event: RunEvent) => event,
      complete: (outcome: Outcome, request: EffectRequest | null) =>
        request === null ? outcome : outcomeOf(request, outcome),
      migrate: () => null,
    };
    return new Replay(run, replayOptions, image !== null);
  }
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
      labels: {},
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
