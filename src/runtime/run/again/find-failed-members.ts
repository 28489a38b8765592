/**
 * Where a new run starts that repeats the failed members of a PARALLEL or FOR EACH, whether or not the block continued
 * after the failure: at the end of the first such block, with the results of all its other members. What follows the block
 * depends on every member, so it is repeated.
 */
import type { FailureCause, GrantedAttempt, RunEvent } from '../../../interpreter/events/event.js';
import { journalStart } from '../../store/read-journal.js';
import { RunRefused } from '../../store/run-refused.js';
import type { StoredRun } from '../../store/stored-run.js';
import { type Discarded, discardedRanges } from './discarded-ranges.js';
import { type RecordSearch, readCounted } from './search-record.js';

interface FailedMembers {
  readonly discarded: Discarded;
  readonly granted: readonly GrantedAttempt[];
}

/** Throws a `RunRefused` if no member failed. */
export function findFailedMembers(stored: StoredRun): FailedMembers {
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
    const without = causes.flatMap(({ effects = [] }) => effects.flatMap((effect) => this.outcomes.get(effect) ?? []));
    const held = causes
      .filter(({ effects, inside }) => effects === undefined && inside !== true)
      .map(({ thread, number }) => ({ thread, number }));
    return { discarded: { from, without, held }, granted: causes.flatMap(({ step }) => step ?? []) };
  }
}

/** The outermost block of a member or of an effect of a member. */
function blockOf(name: string): string {
  return name.slice(0, name.indexOf('.'));
}
