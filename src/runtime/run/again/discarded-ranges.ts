/**
 * The parts of a record that no longer count. When a run is resumed before its failure, the events after the resume point
 * and the outcomes that made it fail are discarded. The record only grows, so its readers skip them.
 */
import type { HeldFailure, RunEvent, RunResumed } from '../../../interpreter/events/event.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import type { JournalRecord } from '../../store/journal-line.js';
import { type JournalPosition, journalHas, readUntil } from '../../store/read-journal.js';

/** What a reader of the record skips, and where the run waits instead. */
export interface Discarded {
  /** The first event that no longer counts. */
  readonly from: number;
  /** Outcomes before `from` that do not count either, by the numbers of their events. */
  readonly without: readonly number[];
  /** Instructions that failed without an outcome. Their threads wait there while the record is read. */
  readonly held?: readonly HeldFailure[];
}

export interface DiscardedRange extends Discarded {
  /** The event that recorded this resume; infinite if the run is about to be resumed. */
  readonly until: number;
}

/**
 * The ranges that earlier resumes discarded after `position`, and the one that `discarded` is about to add. Throws a
 * `StoreError`.
 */
export function discardedRanges(
  journal: string,
  discarded: Discarded | null,
  position: JournalPosition,
): readonly DiscardedRange[] {
  const ranges: DiscardedRange[] = [];
  // Most runs have none, and reading all lines to find that out takes longer than everything else.
  if (journalHas(journal, '"type":"run_resumed"', position)) {
    const until = discarded === null ? Number.POSITIVE_INFINITY : discarded.from - 1;
    const take = ({ seq, event }: JournalRecord): void => {
      if (event.type === 'run_resumed' && event.from !== undefined)
        ranges.push({ from: event.from, without: event.without ?? [], held: event.held ?? [], until: seq });
    };
    readUntil(journal, until, take, position);
  }
  return combine(ranges, discarded);
}

/** As `discardedRanges`, from resumes that are known. Those at or before `position` and after `discarded` do not count. */
export function knownRanges(
  resumes: readonly { readonly seq: number; readonly event: RunEvent }[],
  discarded: Discarded,
  position: JournalPosition,
): readonly DiscardedRange[] {
  const ranges = resumes.flatMap(({ seq, event }): DiscardedRange[] => {
    if (event.type !== 'run_resumed' || event.from === undefined) return [];
    if (seq <= position.seq || seq >= discarded.from) return [];
    return [{ from: event.from, without: event.without ?? [], held: event.held ?? [], until: seq }];
  });
  return combine(ranges, discarded);
}

function combine(ranges: DiscardedRange[], discarded: Discarded | null): readonly DiscardedRange[] {
  if (discarded !== null) ranges.push({ ...discarded, until: Number.POSITIVE_INFINITY });
  // A resume point inside an earlier range discards the resume that made that range.
  return ranges.filter(
    (range) => !ranges.some((other) => other !== range && range.until >= other.from && range.until < other.until),
  );
}

/** Whether the event `seq`, or the outcome it holds, is in one of the ranges. */
export function isDiscarded(ranges: readonly DiscardedRange[], seq: number): boolean {
  return ranges.some(({ from, without, until }) => seq < until && (seq >= from || without.includes(seq)));
}

/** Whether everything that does not count comes after a position. When a branch failed is not known here. */
export function areAllAfter(ranges: readonly DiscardedRange[], { seq }: JournalPosition): boolean {
  return ranges.every(
    ({ from, without, held = [] }) =>
      from > seq && without.every((one) => one > seq) && held.every(({ thread }) => thread === ''),
  );
}

/** The failures at which a run waits after the event `seq`. */
export function heldAfter(ranges: readonly DiscardedRange[], seq: number): readonly HeldFailure[] {
  const ahead = ranges.filter(({ until }) => until > seq).sort((a, b) => a.until - b.until);
  return ahead[0]?.held ?? [];
}

/** The members of `run_resumed` that record what is discarded. */
export function discardedMembers({
  from,
  without,
  held = [],
}: Discarded): Pick<RunResumed, 'from' | 'without' | 'held'> {
  return {
    from,
    ...omitUndefined({
      without: without.length === 0 ? undefined : without,
      held: held.length === 0 ? undefined : held,
    }),
  };
}
