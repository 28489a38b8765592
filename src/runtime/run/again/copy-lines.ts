/** The events of an old run up to a point, as a new run records them that continues from there. */
import type { RunEvent } from '../../../interpreter/events/event.js';
import type { Redactor } from '../../redact.js';
import { AppendEncoder } from '../../store/appended.js';
import type { LargeValues } from '../../store/large-values.js';
import { readUntil } from '../../store/read-journal.js';
import type { StoredRun } from '../../store/stored-run.js';
import { insteadOf } from '../worktree-record.js';

interface Copying {
  /** The id of the new run. */
  readonly id: string;
  /** The number of the first event that is not copied. */
  readonly from: number;
  readonly redactor: Redactor | null;
  /** Null: large values stay in the events. */
  readonly large: LargeValues | null;
}

/** Throws a `StoreError`. */
export function copyLines(
  { about, journal }: StoredRun,
  { id, from, redactor, large }: Copying,
  add: (event: RunEvent, seq: number, time: string) => void,
): void {
  const appended = new AppendEncoder();
  readUntil(journal, from - 1, ({ seq, time, event }) => {
    const rebased =
      event.type === 'effect_settled' ? { ...event, outcome: insteadOf(event.outcome, about.run_id, id) } : event;
    const clean = appended.encode(rebased, redactor?.event(rebased) ?? rebased);
    add(large?.event(clean) ?? clean, seq, time);
  });
}
