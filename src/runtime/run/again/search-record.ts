/**
 * Searches the part of a record that still counts. What made a run fail is usually found after its last checkpoint, so
 * that part is searched first, and all of the record only when that was not enough.
 */
import type { RunEvent } from '../../../interpreter/events/event.js';
import type { LimitScope, Machine } from '../../../machine/machine.js';
import { readCheckpoint } from '../../store/checkpoint.js';
import { type JournalPosition, journalStart, readJournal } from '../../store/read-journal.js';
import type { StoredRun } from '../../store/stored-run.js';
import { areAllAfter, type DiscardedRange, discardedRanges, isDiscarded } from './discarded-ranges.js';

/** Looks at events one by one. */
export interface RecordSearch<Found> {
  take(seq: number, event: RunEvent): void;
  /** What was found; null: not in the part of the record that was searched. */
  result(): Found | null;
}

/** The limit that a run had used up. */
export interface UsedUp {
  readonly scope: LimitScope;
  readonly limit: number;
  readonly used: number;
}

/**
 * Searches after the last checkpoint, and then from the first event. `begin` makes a new search; `isWhole` says that it
 * sees all of the record. Throws a `StoreError` for a damaged journal.
 */
export function searchRecord<Found>(stored: StoredRun, begin: (isWhole: boolean) => RecordSearch<Found>): Found | null {
  const checkpoint = readCheckpoint(stored.path)?.checkpoint;
  const late = checkpoint === undefined ? null : searchAfter(stored, checkpoint, begin);
  return late ?? searchAfter(stored, journalStart, begin);
}

function searchAfter<Found>(
  { journal }: StoredRun,
  position: JournalPosition,
  begin: (isWhole: boolean) => RecordSearch<Found>,
): Found | null {
  // What an earlier resume discarded did not happen, or an effect that fails again would not be found.
  const ranges = discardedRanges(journal, null, position);
  if (position.seq > 0 && !areAllAfter(ranges, position)) return null;
  const search = begin(position.seq === 0);
  readCounted(journal, ranges, search, position);
  return search.result();
}

/** Shows a search every event that still counts. Throws a `StoreError`. */
export function readCounted(
  journal: string,
  ranges: readonly DiscardedRange[],
  search: Pick<RecordSearch<unknown>, 'take'>,
  position: JournalPosition = journalStart,
): void {
  readJournal(
    journal,
    ({ seq, event }) => {
      if (!isDiscarded(ranges, seq)) search.take(seq, event);
      return true;
    },
    position,
  );
}

/** States whose entry is part of a failure; entering any other state ends it. */
export function errorStatesOf(machine: Machine): ReadonlySet<string> {
  const declared = machine.error === null ? [] : [machine.states[machine.error]?.name ?? ''];
  return new Set([...declared, ...machine.states.filter(({ builtin }) => builtin).map(({ name }) => name)]);
}
