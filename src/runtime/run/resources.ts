/**
 * What the effects of one run share while a process executes it: folders for output, pipes, processes and servers.
 * Opened before the first effect and closed after the last one; closing also ends what agents and servers left running.
 */
import type { Json } from '../../machine/expression.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { RunResources, SharedLimits } from '../effect-context.js';
import { stopEffects } from '../process/leftovers.js';
import { createPipePool } from '../process/pipes.js';
import { killGroup } from '../process/process-group.js';
import { createScratch, outputStore } from '../process/scratch.js';
import type { Redactor } from '../redact.js';
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
