/** A new run at the point of an old one from which it continues. It works in memory only, so a refusal leaves nothing behind. */
import type { FailureCause, GrantedAttempt, RunEvent, RunResumed } from '../../../interpreter/events/event.js';
import { storedLimits } from '../../../interpreter/events/stored-limits.js';
import type { VariableChanged } from '../../../interpreter/record/change.js';
import type { EffectRequest } from '../../../interpreter/request.js';
import { grant, type Run, reopen } from '../../../interpreter/run.js';
import type { Json } from '../../../machine/expression.js';
import type { Machine } from '../../../machine/machine.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { type Discarded, discardedMembers } from '../../record/counted-events.js';
import type { Redactor } from '../../redact.js';
import { digestOf } from '../../store/image.js';
import { journalStart } from '../../store/read-journal.js';
import { RunRefused } from '../../store/store-error.js';
import type { StoredRun } from '../../store/stored-run.js';
import { definedLimits } from '../run-options.js';
import { migrateToEdited, prepareRecovery } from './prepare-recovery.js';
import { type Recovered, recoverRun } from './recover.js';
import { eventAt, type ReplayPoint } from './replay-point.js';
import type { ResumeOptions } from './resume-options.js';
import { editedMachine } from './resume-options.js';
import { discardedRanges, type RecordSearch, readCounted } from './search-record.js';

export interface ReplayStarting
  extends Pick<ResumeOptions, 'inputs' | 'env' | 'secrets' | 'machine' | 'file' | 'person' | 'limits'> {
  /** `failed`: takes over everything but the members that failed. */
  readonly from: ReplayPoint | 'failed';
  /** A variable that is changed after that in a debugger. */
  readonly change?: VariableChanged;
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
  /** What is started again, although the events that are taken over have its requests. */
  readonly again: readonly EffectRequest[];
}

/** `id`: of the new run. Throws a `RunRefused` or a `StoreError`. */
export function startOf(stored: StoredRun, id: string, options: ReplayStarting): ReplayStart {
  const { inputs, redactor } = prepareRecovery(stored, options);
  const { discarded, granted, ended } =
    options.from === 'failed'
      ? findFailedMembers(stored)
      : { discarded: { from: eventAt(stored, options.from), without: [] }, granted: [], ended: [] };
  // Checkpoints do not have the commits of worktrees.
  const whole = stored.about.options.worktree !== undefined;
  const { change } = options;
  const recovered = recoverRun(stored, { inputs, redactor, discarded, id, whole, ...omitUndefined({ change }) });
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
  if (change !== undefined && !replay.change(change))
    throw new RunRefused('unusable', 'the run does not come to the place where it is to be changed again');
  const rest = replay.rest();
  const open = replay.inDoubt();
  const run = migrated?.run ?? replay.release(new Set(ended));
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
  const again = open.filter(({ effect }) => run.pending.has(effect));
  return { from: discarded.from, recovered, inputs, redactor, run, edited, events: [resumed, ...rest], again };
}

interface FailedMembers {
  readonly discarded: Discarded;
  readonly granted: readonly GrantedAttempt[];
  /** Effects that are repeated although they had ended. */
  readonly ended: readonly string[];
}

/** Throws a `RunRefused` if no member failed. */
function findFailedMembers(stored: StoredRun): FailedMembers {
  const ranges = discardedRanges(stored.journal, null, journalStart);
  const isRepeated = ({ thread, number }: FailureCause, seq: number): boolean =>
    ranges.some(
      ({ held = [], until }) => seq < until && held.some((one) => one.thread === thread && one.number === number),
    );
  const search = new MemberSearch(isRepeated);
  readCounted(stored.journal, ranges, search);
  const found = search.result();
  if (found !== null) return found;
  throw new RunRefused(
    'wrong-use',
    `no member of a PARALLEL or FOR EACH has failed in run \`${stored.about.run_id}\``,
    'start again from a state: `--from STATE`',
  );
}

class MemberSearch implements RecordSearch<FailedMembers> {
  /** The block of the first member that failed. */
  private block: string | null = null;
  private readonly causes = new Map<string, FailureCause>();
  /** The last event of each block that is still a candidate. */
  private readonly ends = new Map<string, number>();
  private readonly outcomes = new Map<string, number>();
  /** A round of a loop of the run itself: the new run starts there. */
  private turn: { readonly seq: number; readonly causes: readonly FailureCause[] } | null = null;

  /** `isRepeated`: whether a failure without an outcome is repeated, like the effects whose outcomes do not count. */
  constructor(private readonly isRepeated: (cause: FailureCause, seq: number) => boolean) {}

  private counts(cause: FailureCause, seq: number): boolean {
    if (cause.effects !== undefined) return cause.effects.every((effect) => this.outcomes.has(effect));
    return !this.isRepeated(cause, seq);
  }

  take(seq: number, event: RunEvent): void {
    if (event.type === 'effect_settled' && event.stopped !== true) this.outcomes.set(event.effect, seq);
    if ('effect' in event && event.effect.includes('.')) this.ends.set(blockOf(event.effect), seq);
    if (event.type !== 'instruction_failed') return;
    const causes = event.causes.filter((cause) => this.counts(cause, seq));
    if (event.thread === '') {
      if (event.kept === true && causes.length > 0 && this.block === null) this.turn ??= { seq, causes };
      return;
    }
    const block = blockOf(event.thread);
    this.ends.set(block, seq);
    if (this.turn !== null || causes.length === 0) return;
    this.block ??= block;
    if (block === this.block) for (const cause of causes) this.causes.set(`${cause.thread}#${cause.number}`, cause);
  }

  result(): FailedMembers | null {
    const { block, turn } = this;
    if (turn !== null) return this.beginAt(turn.seq, turn.causes);
    if (block === null) return null;
    return this.beginAt((this.ends.get(block) ?? 0) + 1, [...this.causes.values()]);
  }

  private beginAt(from: number, causes: readonly FailureCause[]): FailedMembers {
    const ended = causes.flatMap(({ effects = [] }) => effects);
    const without = ended.flatMap((effect) => this.outcomes.get(effect) ?? []);
    const held = causes
      .filter(({ effects, inside }) => effects === undefined && inside !== true)
      .map(({ thread, number }) => ({ thread, number }));
    return { discarded: { from, without, held }, granted: causes.flatMap(({ step }) => step ?? []), ended };
  }
}

/** The outermost block of a member or of an effect of a member. */
function blockOf(name: string): string {
  return name.slice(0, name.indexOf('.'));
}
