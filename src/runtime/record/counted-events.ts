/**
 * Which events of a record count: a resume takes back those from its point on, and single outcomes before it. Nothing else
 * decides that. Recovery must know it before it executes an event, so it finds all resumes first (`knownRanges`). Who only
 * looks at a run takes its events in order, as `CountedEvents` and `RunModel` do.
 */
import type { HeldFailure, RunEvent, RunResumed } from '../../interpreter/events/event.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { EventOf, Recorded } from './record-facts.js';

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

/** After which event a reader begins. */
type RecordPosition = Pick<Recorded, 'seq'>;

/**
 * The ranges that resumes discarded after a position, and the one that `discarded` is about to add. Earlier resumes do not
 * count, and neither do those that `discarded` takes back.
 */
export function knownRanges(
  resumes: readonly Pick<Recorded, 'seq' | 'event'>[],
  discarded: Discarded | null,
  position: RecordPosition,
): readonly DiscardedRange[] {
  const end = discarded?.from ?? Number.POSITIVE_INFINITY;
  const ranges = resumes.flatMap(({ seq, event }): DiscardedRange[] => {
    if (event.type !== 'run_resumed' || event.from === undefined || seq <= position.seq || seq >= end) return [];
    return [{ from: event.from, without: event.without ?? [], held: event.held ?? [], until: seq }];
  });
  if (discarded !== null) ranges.push({ ...discarded, until: Number.POSITIVE_INFINITY });
  // A resume point inside an earlier range discards the resume that made that range.
  return ranges.filter(
    (range) => !ranges.some((other) => other !== range && range.until >= other.from && range.until < other.until),
  );
}

/** The range that the event `seq` is in, if there is one. */
export function rangeAt(ranges: readonly DiscardedRange[], seq: number): DiscardedRange | undefined {
  return ranges.find(({ from, until }) => seq >= from && seq < until);
}

/** Whether the event `seq` is in one of the ranges, or is an outcome that one of them leaves out. */
export function isDiscarded(ranges: readonly DiscardedRange[], seq: number): boolean {
  return ranges.some(({ from, without, until }) => seq < until && (seq >= from || without.includes(seq)));
}

/** Whether everything that does not count comes after a position. When a branch failed is not known here. */
export function areAllAfter(ranges: readonly DiscardedRange[], { seq }: RecordPosition): boolean {
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

interface CountedEvent<T extends RunEvent['type']> {
  readonly seq: number;
  readonly event: EventOf<T>;
}

/** The events of some types that count so far. */
export class CountedEvents<T extends RunEvent['type']> {
  readonly all: CountedEvent<T>[] = [];
  private readonly types: ReadonlySet<string>;

  constructor(...types: readonly T[]) {
    this.types = new Set(types);
  }

  take({ seq, event }: Pick<Recorded, 'seq' | 'event'>): void {
    if (this.types.has(event.type)) this.all.push({ seq, event: event as EventOf<T> });
    if (event.type !== 'run_resumed' || event.from === undefined) return;
    while ((this.all.at(-1)?.seq ?? 0) >= event.from) this.all.pop();
  }
}
