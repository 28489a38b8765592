/**
 * The parts of a record that do not count any more: a run that went on from an earlier point left what came after it,
 * and the outcomes that made it fail. The record keeps them, since it only ever grows.
 */
import type { Held, RunResumed } from '../../../interpreter/events/event.js';
import type { JournalPlace } from '../../store/read-journal.js';
import { journalHas, readJournal } from '../../store/read-journal.js';

/**
 * A run goes on from an earlier point: events from this one on do not count, and neither do these outcomes and failures
 * before it.
 */
export interface Cut {
  readonly from: number;
  readonly without: readonly number[];
  readonly held?: readonly Held[];
}

export interface Gap extends Cut {
  /** The event where the run went on from the earlier point; infinite where it is to do so now. */
  readonly until: number;
}

/** The gaps that were made behind `place`, and the one that `cut` is to make. Throws a `StoreError`. */
export function gapsOf(journal: string, cut: Cut | null, place: JournalPlace): Gap[] {
  const gaps: Gap[] = [];
  // Most runs have none, and reading all lines to find that out takes longer than all the rest.
  if (journalHas(journal, '"type":"run_resumed"', place))
    readJournal(
      journal,
      ({ seq, event }) => {
        if (event.type === 'run_resumed' && event.from !== undefined)
          gaps.push({ from: event.from, without: event.without ?? [], held: event.held ?? [], until: seq });
        return cut === null || seq < cut.from;
      },
      place,
    );
  if (cut !== null) gaps.push({ ...cut, until: Number.POSITIVE_INFINITY });
  // A point before an earlier gap's takes that gap away.
  return gaps.filter(
    (gap) => !gaps.some((other) => other !== gap && gap.until >= other.from && gap.until < other.until),
  );
}

/** Whether an event or an outcome is in one of the gaps. */
export function isGone(gaps: readonly Gap[], seq: number): boolean {
  return gaps.some(({ from, without, until }) => seq < until && (seq >= from || without.includes(seq)));
}

/** Whether nothing that does not count lies before a place. When a branch failed is not known here. */
export function allBehind(gaps: readonly Gap[], { seq }: JournalPlace): boolean {
  return gaps.every(
    ({ from, without, held = [] }) =>
      from > seq && without.every((one) => one > seq) && held.every(({ thread }) => thread === ''),
  );
}

/** The failures that a run is held at behind an event. */
export function heldAfter(gaps: readonly Gap[], seq: number): readonly Held[] {
  const ahead = gaps.filter(({ until }) => until > seq).sort((a, b) => a.until - b.until);
  return ahead[0]?.held ?? [];
}

/** What the event of a run that goes back says of it. */
export function takenBack({ from, without, held = [] }: Cut): Pick<RunResumed, 'from' | 'without' | 'held'> {
  return { from, ...(without.length === 0 ? {} : { without }), ...(held.length === 0 ? {} : { held }) };
}
