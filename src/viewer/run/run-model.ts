/**
 * What the parts of the screen of a run share: its record so far, the event at which it is shown, the run as it was then, and
 * its program. All parts show the same event, so selecting it in one selects it in all.
 */
import { batch, computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import type { RunProgram } from '../../control/runs.js';
import type { Router } from '../address.js';
import { DataError, type RecordedRunEvent, type RecordLine, type RunData, type ShownRun } from '../data/run-data.js';

/** The record so far. A new object for each portion, around one list that only grows. */
export interface RunRecord {
  readonly lines: readonly RecordLine[];
  /** Whether everything that was on record when the page looked is here. */
  readonly isComplete: boolean;
  /** Why there will be no more lines. */
  readonly end: 'removed' | DataError | null;
}

export interface RunModel {
  readonly run: string;
  readonly data: RunData;
  readonly record: ReadonlySignal<RunRecord>;
  /** The number of the event at which the run is shown; null: the latest, also when more come. */
  readonly at: ReadonlySignal<number | null>;
  /** The event at which the run is shown: `at`, or the last one so far; 0: none yet. */
  readonly shownSeq: ReadonlySignal<number>;
  /** The run at that event; null until it is known. It may lag behind `shownSeq`. */
  readonly shown: ReadonlySignal<ShownRun | null>;
  /** The run as it is now. */
  readonly latest: ReadonlySignal<ShownRun | null>;
  readonly program: ReadonlySignal<RunProgram | null>;
  /** Why the run cannot be shown. */
  readonly problem: ReadonlySignal<DataError | null>;
  /** Shows the run at an event; null: at the latest. */
  select(seq: number | null, how?: 'push' | 'replace'): void;
  /** Ends all reading. */
  close(): void;
}

const INSPECT_PAUSE_MS = 150;

/** The line with a number; null if it is not there (yet). Numbers rise, so it is found by halving. */
export function lineAt(lines: readonly RecordLine[], seq: number): RecordLine | null {
  const at = indexOfSeq(lines, seq);
  return lines[at]?.seq === seq ? (lines[at] as RecordLine) : null;
}

/** The index of the first line with at least this number. */
export function indexOfSeq(lines: readonly RecordLine[], seq: number): number {
  let [low, high] = [0, lines.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lines[middle] as RecordLine).seq < seq) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether a line is an event, and not a place where the record is damaged. */
export function isEvent(line: RecordLine): line is RecordedRunEvent {
  return line.type !== 'journal_damaged';
}

export function openRunModel(data: RunData, router: Router, run: string): RunModel {
  const lines: RecordLine[] = [];
  const record = signal<RunRecord>({ lines, isComplete: false, end: null });
  const at = computed(() => {
    const { event } = router.address.value.query;
    return event !== undefined && /^[1-9]\d{0,15}$/.test(event) ? Number(event) : null;
  });
  const shownSeq = computed(() => at.value ?? record.value.lines[record.value.lines.length - 1]?.seq ?? 0);
  const shown = signal<ShownRun | null>(null);
  const latest = signal<ShownRun | null>(null);
  const program = signal<RunProgram | null>(null);
  const problem = signal<DataError | null>(null);
  const controller = new AbortController();
  const { signal: closed } = controller;

  const stopFollowing = data.follow(run, 0, {
    take(portion) {
      for (const line of portion) lines.push(line);
      record.value = { ...record.value, lines };
    },
    caughtUp() {
      record.value = { ...record.value, isComplete: true };
    },
    end(end) {
      const why = end instanceof DataError ? end : end.reason === 'removed' ? ('removed' as const) : null;
      record.value = { ...record.value, isComplete: true, end: why };
    },
  });

  const stopProgram = effect(() => {
    if (data.connection.value !== 'connected' || program.peek() !== null) return;
    data.program(run, closed).then(
      (known) => {
        program.value = known;
      },
      // What cannot be read is missing on the screen; the record says why.
      () => undefined,
    );
  });

  // One request at a time: while one is on its way, only the newest wish counts.
  let isAsking = false;
  let asked = '';
  async function inspect(): Promise<void> {
    if (isAsking || closed.aborted) return;
    const wanted = at.peek();
    const last = lines[lines.length - 1]?.seq ?? 0;
    const key = `${wanted} ${wanted === null || latest.peek() === null ? last : ''}`;
    if (key === asked) return;
    isAsking = true;
    asked = key;
    try {
      const found = await data.inspect(run, wanted, closed);
      batch(() => {
        problem.value = null;
        shown.value = found;
        if (wanted === null) latest.value = found;
      });
      if (wanted !== null && latest.peek() === null) latest.value = await data.inspect(run, null, closed);
    } catch (cause) {
      if (closed.aborted) return;
      if (cause instanceof DataError && cause.code === 'lost') asked = '';
      else problem.value = cause instanceof DataError ? cause : new DataError('unknown', String(cause));
    } finally {
      isAsking = false;
    }
    // Between two requests the service may do something else.
    setTimeout(() => void inspect(), INSPECT_PAUSE_MS);
  }
  const isDue = computed(() => [at.value, record.value, data.connection.value]);
  const stopInspecting = isDue.subscribe(() => void inspect());

  return {
    run,
    data,
    record,
    at,
    shownSeq,
    shown,
    latest,
    program,
    problem,
    select: (seq, how = 'replace') => router.change({ event: seq === null ? undefined : String(seq) }, how),
    close() {
      controller.abort();
      stopFollowing();
      stopProgram();
      stopInspecting();
    },
  };
}
