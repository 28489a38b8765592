/**
 * Searches the part of a record that still counts. The cause of a failure is usually after the last checkpoint, so this
 * part is searched first, and the whole record only if that was not enough.
 */
import type { RunEvent } from '../../../interpreter/events/event.js';
import type { ExceededScope, Machine } from '../../../machine/machine.js';
import {
  areAllAfter,
  type Discarded,
  type DiscardedRange,
  isDiscarded,
  knownRanges,
} from '../../record/counted-events.js';
import { readCheckpoint } from '../../store/checkpoint.js';
import type { JournalRecord } from '../../store/journal-line.js';
import { type JournalPosition, journalHas, journalStart, readJournal, readUntil } from '../../store/read-journal.js';
import type { StoredRun } from '../../store/stored-run.js';

/** A search that is given events one by one. */
export interface RecordSearch<Found> {
  take(seq: number, event: RunEvent): void;
  /** The result; null: not found in the part of the record that was searched. */
  result(): Found | null;
}

/** The limit that a run has used up. */
export interface UsedUp {
  readonly scope: ExceededScope;
  readonly limit: number;
  readonly used: number;
}

/**
 * Searches after the last checkpoint, then from the first event. `begin` makes a new search; `isWhole` says that it sees
 * the whole record. Throws a `StoreError` for a damaged journal.
 */
export function searchRecord<Found>(stored: StoredRun, begin: (isWhole: boolean) => RecordSearch<Found>): Found | null {
  const checkpoint = readCheckpoint(stored.path);
  const late = checkpoint === null ? null : searchAfter(stored, checkpoint, begin);
  return late ?? searchAfter(stored, journalStart, begin);
}

function searchAfter<Found>(
  { journal }: StoredRun,
  position: JournalPosition,
  begin: (isWhole: boolean) => RecordSearch<Found>,
): Found | null {
  // Events that an earlier resume discarded do not count; otherwise an effect that fails again would not be found.
  const ranges = discardedRanges(journal, null, position);
  if (position.seq > 0 && !areAllAfter(ranges, position)) return null;
  const search = begin(position.seq === 0);
  readCounted(journal, ranges, search, position);
  return search.result();
}

/** The ranges that count for a reader that begins at `position`: `knownRanges` of a journal. Throws a `StoreError`. */
export function discardedRanges(
  journal: string,
  discarded: Discarded | null,
  position: JournalPosition,
): readonly DiscardedRange[] {
  const resumes: JournalRecord[] = [];
  // Most runs have none, and reading all lines to find that out takes longer than everything else.
  if (journalHas(journal, '"type":"run_resumed"', position)) {
    const until = discarded === null ? Number.POSITIVE_INFINITY : discarded.from - 1;
    const take = (record: JournalRecord): void => {
      if (record.event.type === 'run_resumed') resumes.push(record);
    };
    readUntil(journal, until, take, position);
  }
  return knownRanges(resumes, discarded, position);
}

/** Passes every event that still counts to a search. Throws a `StoreError`. */
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

/** States that are entered because of a failure. Entering any other state ends the failure. */
export function errorStatesOf(machine: Machine): ReadonlySet<string> {
  const declared = machine.error === null ? [] : [machine.states[machine.error]?.name ?? ''];
  return new Set([...declared, ...machine.states.filter(({ builtin }) => builtin).map(({ name }) => name)]);
}
