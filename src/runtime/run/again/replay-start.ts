/** A new run at the point of an old one from which it continues. It works in memory only, so a refusal leaves nothing behind. */
import type { RunEvent, RunResumed } from '../../../interpreter/events/event.js';
import { storedLimits } from '../../../interpreter/events/stored-limits.js';
import { grant, type Run, reopen } from '../../../interpreter/run.js';
import type { Json } from '../../../machine/expression.js';
import type { Machine } from '../../../machine/machine.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import type { Redactor } from '../../redact.js';
import { digestOf } from '../../store/machine-digest.js';
import { RunRefused } from '../../store/run-refused.js';
import type { StoredRun } from '../../store/stored-run.js';
import { definedLimits } from '../run-options.js';
import { editedMachine } from './decide-resume.js';
import { discardedMembers } from './discarded-ranges.js';
import { migrateToEdited } from './edited-program.js';
import { findFailedMembers } from './find-failed-members.js';
import { prepareRecovery } from './prepare-recovery.js';
import { type Recovered, recoverRun } from './recover.js';
import { eventAt, type ReplayPoint } from './replay-point.js';
import type { ResumeOptions } from './resume-options.js';

export interface ReplayStarting
  extends Pick<ResumeOptions, 'inputs' | 'env' | 'secrets' | 'machine' | 'file' | 'person' | 'limits'> {
  /** `failed`: takes over everything but the members that failed. */
  readonly from: ReplayPoint | 'failed';
}

interface ReplayStart {
  /** The number of the first event that is not taken over. */
  readonly from: number;
  readonly recovered: Recovered;
  readonly inputs: Readonly<Record<string, Json>>;
  readonly redactor: Redactor | null;
  readonly run: Run;
  /** The program, if it is another one than that of the old run. */
  readonly edited: Machine | null;
  /** The first new events. */
  readonly events: readonly [RunResumed, ...RunEvent[]];
}

/** `id`: of the new run. Throws a `RunRefused` or a `StoreError`. */
export function startOf(stored: StoredRun, id: string, options: ReplayStarting): ReplayStart {
  const { inputs, redactor } = prepareRecovery(stored, options);
  const { discarded, granted } =
    options.from === 'failed'
      ? findFailedMembers(stored)
      : { discarded: { from: eventAt(stored, options.from), without: [] }, granted: [] };
  // Checkpoints do not have the commits of worktrees.
  const whole = stored.about.options.worktree !== undefined;
  const recovered = recoverRun(stored, { inputs, redactor, discarded, id, whole });
  const { replay, difference } = recovered;
  if (difference !== null)
    throw new RunRefused(
      'unusable',
      `the record of the run does not match its program at event ${difference.seq}`,
      'see the difference: `statedsl replay` without `--from`',
    );
  const edited = editedMachine(replay.run, options.machine);
  const migrated =
    edited === null
      ? null
      : migrateToEdited(replay.run, edited, stored, { failed: true, file: options.file, discarded, inputs, redactor });
  const rest = replay.rest();
  const run = migrated?.run ?? replay.release();
  const kept = migrated?.kept ?? [];
  grant(run, granted);
  const limits = definedLimits(options.limits ?? {});
  const hasLimits = Object.keys(limits).length > 0;
  if (hasLimits) reopen(run, limits);
  const resumed: RunResumed = omitUndefined({
    type: 'run_resumed',
    by: options.person ?? 'user',
    ...discardedMembers(discarded),
    granted: granted.length === 0 ? undefined : granted,
    of: stored.about.run_id,
    digest: edited === null ? undefined : digestOf(edited),
    kept: kept.length === 0 ? undefined : kept,
    limits: hasLimits ? storedLimits(limits) : undefined,
  });
  return { from: discarded.from, recovered, inputs, redactor, run, edited, events: [resumed, ...rest] };
}
