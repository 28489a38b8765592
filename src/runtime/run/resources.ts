/**
 * What the effects of one run share while a process executes it: places for output, pipes, processes and servers.
 * Opened before the first effect and closed after the last one; closing also ends what agents and servers left running.
 * What may have run without an outcome is in doubt.
 */

import type { Outcome, RunEvent } from '../../interpreter/events/event.js';
import type { EffectRequest } from '../../interpreter/request.js';
import type { Json } from '../../machine/expression.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { unreachable } from '../../prelude/unreachable.js';
import type { RunResources, SharedLimits } from '../effect-context.js';
import { stopEffects } from '../process/leftovers.js';
import { createPipePool } from '../process/pipes.js';
import { killGroup } from '../process/process-group.js';
import { createScratch, outputStore } from '../process/scratch.js';
import type { Redactor } from '../redact.js';
import { AppendEncoder } from '../store/appended.js';
import type { LargeValues } from '../store/large-values.js';
import type { RunWorktrees } from '../worktree/run-worktrees.js';

/** The run that the resources are for, and where they are. */
interface ResourceSpec {
  readonly runId: string;
  /** The folder for large outputs, whose files are named by the SHA-256 of their content; null: they are not kept. */
  readonly artifacts: string | null;
  /** The folder for what a later process of the run has to know; null: nothing is kept. */
  readonly runFolder: (() => string) | null;
  readonly limits?: SharedLimits | undefined;
  /** How many bytes of output earlier processes of the run kept. */
  readonly keptBytes: number;
  /** Null: the run has no worktree and works in the user's files. */
  readonly worktrees: RunWorktrees | null;
  /** Records a process on disk, so that a later process finds what a killed runner left behind. */
  recordProcess(record: Readonly<Record<string, Json>>): void;
}

export interface OpenResources extends RunResources {
  /** Ends servers at once, because the run is stopped, which leaves little time. */
  stop(): void;
  /** Kills all processes without a grace period. */
  kill(): void;
  /** Must be called once, after the last effect has ended. */
  close(): Promise<void>;
}

export function openResources(spec: ResourceSpec, redactor: Redactor | null): OpenResources {
  const { runId, artifacts, worktrees, runFolder } = spec;
  const scratch = createScratch();
  const pipes = createPipePool();
  const groups = new Set<number>();
  const closing: (() => Promise<void>)[] = [];
  /** Effects of agents and servers. Processes that they leave behind are stopped at the end of the run. */
  const served = new Set<string>();
  /** Stops everything at once if the run is stopped; otherwise servers may first end by themselves. */
  const endServed = async (isStopped: boolean): Promise<void> => {
    const sweep = (): Promise<void> => (served.size > 0 ? stopEffects(runId, served) : Promise.resolve());
    // How they end no longer matters.
    const closed = Promise.allSettled(closing.splice(0).map((close) => close()));
    if (!isStopped) await closed;
    await Promise.all([closed, sweep()]);
  };
  let ending: Promise<void> | null = null;
  return {
    onEnd: (close) => closing.push(close),
    outputs: outputStore(artifacts, scratch, redactor, spec.keptBytes),
    scratch,
    pipes,
    groups,
    worktrees,
    runFolder,
    ...omitUndefined({ limits: spec.limits }),
    recordProcess: (record) => {
      if (record.kind !== undefined && typeof record.effect === 'string') served.add(record.effect);
      spec.recordProcess(record);
    },
    stop: () => {
      ending ??= endServed(true);
    },
    kill: () => groups.forEach(killGroup),
    close: async () => {
      await ending;
      // One may just have been started.
      if (ending === null || closing.length > 0) await endServed(ending !== null);
      pipes.remove();
      scratch.remove();
    },
  };
}

interface RecordedEvents {
  /** The events with secrets replaced. */
  readonly clean: readonly RunEvent[];
  /** The same events as the journal has them. */
  readonly recorded: readonly RunEvent[];
  /** The number of the first one. */
  readonly firstSeq: number;
}

/**
 * Makes of the events of a run what its journal has: gives each a number, replaces secrets, and puts large values into
 * artifacts. Writes no line and knows no clock: the caller decides where the lines go and which time they have.
 */
export class Recorder {
  private readonly appended = new AppendEncoder();

  /** `seq`: the number of the last event on record. `large`: null if lines have all values, however large. */
  constructor(
    public seq: number,
    private readonly redactor: Redactor | null,
    private readonly large: LargeValues | null,
  ) {}

  record(events: readonly RunEvent[]): RecordedEvents {
    const { redactor, large } = this;
    const clean = redactor === null ? events : events.map((event) => redactor.event(event));
    const recorded =
      large === null ? clean : clean.map((event, at) => this.inStoredForm(events[at] as RunEvent, event, large));
    const firstSeq = this.seq + 1;
    this.seq += recorded.length;
    return { clean, recorded, firstSeq };
  }

  /** The same for one event, of which only the recorded form is needed. Its number is `seq` then. */
  recordOne(event: RunEvent): RunEvent {
    const { redactor, large } = this;
    const clean = redactor === null ? event : redactor.event(event);
    this.seq++;
    return large === null ? clean : this.inStoredForm(event, clean, large);
  }

  private inStoredForm(event: RunEvent, clean: RunEvent, large: LargeValues): RunEvent {
    return large.event(this.appended.encode(event, clean));
  }

  /** Later lines do not continue values of earlier ones, because a reader may start between them. */
  startAnew(): void {
    this.appended.reset();
  }
}

/** What to do with a `once` command or agent call that may have run: `fail` lets the program handle `in_doubt`. */
export type InDoubt = 'retry' | 'skip' | 'fail';

/** The outcome of such an effect; null: it is performed again. */
export function doubtfulOutcome(request: EffectRequest, inDoubt: InDoubt): Outcome | null {
  if (!('once' in request) || !request.once) return null;
  switch (inDoubt) {
    case 'retry':
      return null;
    case 'skip':
      return { kind: 'value', value: null };
    case 'fail': {
      const message = 'it may already have run, and must not run twice; decide with `--in-doubt`';
      return { kind: 'failed', error_type: 'in_doubt', message };
    }
    default:
      return unreachable(inDoubt);
  }
}
