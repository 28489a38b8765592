/**
 * What the parts of the screen of a run share: its record so far, the event at which it is shown, the run as it was then, and
 * its program. All parts show the same event, so selecting it in one selects it in all.
 */
import { batch, computed, effect, type ReadonlySignal, signal } from '@preact/signals';
import type { RunProgram } from '../../app/runs.js';
import { DataError, type PageData, type PageRun, type RecordLine, toDataError } from '../data/page-data.js';
import { RecordLines } from '../data/record-lines.js';
import type { Copyable, ModelCheckpoints } from '../history/run-history.js';
import { type GrowingTimeline, RunHistory } from '../history/run-history.js';
import { eventNumber, type Router } from '../page-parts.js';

/** The record so far. A new object for each portion, around one list that only grows. */
export interface RunRecord {
  readonly lines: RecordLines;
  /** How many lines there were when the parts of the screen were last drawn. */
  readonly taken: number;
  /** The number of the last event, also while those before it are read. */
  readonly last: number;
  /** Whether everything that was on record when the page looked is here. */
  readonly isComplete: boolean;
  /** Why there will be no more lines. */
  readonly end: 'removed' | DataError | null;
}

export interface ScreenModel {
  readonly run: string;
  readonly data: PageData;
  readonly record: ReadonlySignal<RunRecord>;
  /** What the lines so far say. */
  readonly history: RunHistory;
  /** The timeline of the history, anew whenever there is more. */
  readonly timeline: ReadonlySignal<GrowingTimeline>;
  /** The number of the event at which the run is shown; null: the latest, also when more come. */
  readonly at: ReadonlySignal<number | null>;
  /** The event at which the run is shown: `at`, or the last one so far; 0: none yet. */
  readonly shownSeq: ReadonlySignal<number>;
  /** The run at that event; null until it is known. It may lag behind `shownSeq`. */
  readonly shown: ReadonlySignal<PageRun | null>;
  /** The run as it is now. */
  readonly latest: ReadonlySignal<PageRun | null>;
  /** The program that was executed at that event; null until it is known. */
  readonly program: ReadonlySignal<RunProgram | null>;
  /** Why the run cannot be shown. */
  readonly problem: ReadonlySignal<DataError | null>;
  /** Shows the run at an event; null: at the latest. */
  select(seq: number | null, how?: 'push' | 'replace'): void;
  /** Ends all reading. */
  close(): void;
}

const INSPECT_PAUSE_MS = 150;

/** So many lines are read around the shown event before the others, and so many of these before it. */
const AHEAD = 300;
const AHEAD_BEFORE = 200;
/** A record of so few events is there at once. */
const FEW_EVENTS = 2000;
const LONGEST_PREPARATION_MS = 1000;

/** While a long record is read, the screen is drawn again only so often. */
const DRAW_PAUSE_MS = 300;

/** A model of the history as it was at the shown event. */
export function modelAt<M extends Copyable<M>>(
  { record, at, shownSeq }: ScreenModel,
  checkpoints: ModelCheckpoints<M>,
): M {
  const { lines } = record.value;
  const seq = shownSeq.value;
  return at.value === null ? checkpoints.latest : checkpoints.at(lines.indexOf(seq + 1), lines);
}

interface Ahead {
  readonly data: PageData;
  readonly run: string;
  readonly record: ReadonlySignal<RunRecord>;
  readonly shownSeq: ReadonlySignal<number>;
  readonly closed: AbortSignal;
  readonly onRead: () => void;
}

/** While a long record is read, the lines around the shown event are there at once. One request at a time. */
function showAhead({ data, run, record, shownSeq, closed, onRead }: Ahead): () => void {
  let isAsking = false;
  let asked = 0;
  return effect(() => {
    const seq = shownSeq.value;
    const { isComplete, lines } = record.value;
    // An event that is missing in the record is asked for once.
    if (isAsking || isComplete || seq <= FEW_EVENTS || seq === asked || seq <= lines.last || lines.find(seq) !== null)
      return;
    isAsking = true;
    asked = seq;
    data.linesAfter(run, Math.max(0, seq - AHEAD_BEFORE), AHEAD, closed).then(
      (found) => {
        isAsking = false;
        if (record.peek().isComplete) return;
        lines.readAhead(found);
        onRead();
      },
      // What cannot be read ahead comes with the rest.
      () => undefined,
    );
  });
}

export function openScreenModel(data: PageData, router: Router, run: string): ScreenModel {
  const lines = new RecordLines();
  const history = new RunHistory();
  const record = signal<RunRecord>({ lines, taken: 0, last: 0, isComplete: false, end: null });
  const at = computed(() => eventNumber(router.address.value.query.event));
  const shownSeq = computed(() => at.value ?? record.value.last);
  const timeline = computed(() => ({ model: history.timeline, taken: record.value.taken }));
  const shown = signal<PageRun | null>(null);
  const latest = signal<PageRun | null>(null);
  const program = signal<RunProgram | null>(null);
  const problem = signal<DataError | null>(null);
  const controller = new AbortController();
  const { signal: closed } = controller;

  function update(changed: Partial<RunRecord>): void {
    const { isComplete, ...before } = { ...record.peek(), ...changed };
    const last = isComplete ? lines.last : Math.max(lines.last, latest.peek()?.seq ?? 0);
    record.value = { ...before, isComplete, taken: lines.length, last };
  }

  // What a person sees first comes before everything else: the run as it is, and the lines around the shown event.
  let setReady: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => {
    setReady = resolve;
    setTimeout(resolve, LONGEST_PREPARATION_MS);
  });
  let drawnAt = 0;
  const stopFollowing = data.follow(run, 0, {
    ready,
    read: modelLine,
    take(portion, texts) {
      for (const [at, line] of portion.entries()) {
        lines.add(line, texts?.[at]);
        history.take(line);
      }
      const now = performance.now();
      if (!record.peek().isComplete && now - drawnAt < DRAW_PAUSE_MS) return;
      drawnAt = now;
      update({});
    },
    caughtUp() {
      lines.readAhead([]);
      update({ isComplete: true });
    },
    end(end) {
      const why = end instanceof DataError ? end : end.reason === 'removed' ? ('removed' as const) : null;
      lines.readAhead([]);
      update({ isComplete: true, end: why });
    },
  });

  const programs = new Map<string | null, RunProgram>();
  const digest = computed(() => (record.value.taken === 0 ? null : history.programAt(shownSeq.value)));
  const hasBegun = computed(() => record.value.taken > 0);
  // A run that waits for its turn gives its program when it has begun.
  const isLater = signal(false);
  const stopProgram = effect(() => {
    const wanted = digest.value;
    const known = programs.get(wanted);
    if (known !== undefined) program.value = known;
    if (data.connection.value !== 'connected' || known !== undefined || (isLater.value && !hasBegun.value)) return;
    data.program(run, wanted, closed).then(
      (found) => {
        programs.set(wanted, found);
        if (digest.peek() === wanted) program.value = found;
      },
      // What cannot be read is missing on the screen; the record says why.
      (cause) => {
        if (cause instanceof DataError && cause.code === 'held') isLater.value = true;
      },
    );
  });

  // One request at a time: while one is on its way, only the newest wish counts.
  let isAsking = false;
  let asked = '';
  // Why the run as it is now cannot be read, although it can be at an earlier event.
  let damage: DataError | null = null;
  async function inspect(): Promise<void> {
    if (isAsking || closed.aborted) return;
    const wanted = at.peek();
    // While the record is read, the run is as it was.
    const last = record.peek().isComplete || latest.peek() === null ? lines.last : asked.split(' ')[1];
    const isEnded = record.peek().end !== null;
    const key = `${wanted} ${wanted === null || latest.peek() === null ? last : ''} ${isEnded}`;
    if (key === asked) return;
    isAsking = true;
    asked = key;
    try {
      const found = await data.inspect(run, wanted, closed);
      batch(() => {
        if (wanted === null) damage = null;
        problem.value = damage;
        shown.value = found;
        if (wanted === null) latest.value = found;
        if (!record.peek().isComplete) update({});
      });
      if (wanted !== null && latest.peek() === null && damage === null) {
        latest.value = await data.inspect(run, null, closed);
        if (!record.peek().isComplete) update({});
      }
    } catch (cause) {
      if (closed.aborted) return;
      if (cause instanceof DataError && cause.code === 'lost') asked = '';
      else {
        const found = toDataError(cause);
        if (found.code === 'damaged') damage = found;
        problem.value = found;
      }
    } finally {
      isAsking = false;
      if (!isAheadWanted()) setReady();
    }
    // Between two requests the service may do something else.
    setTimeout(() => void inspect(), INSPECT_PAUSE_MS);
  }
  const isAheadWanted = (): boolean => problem.peek() === null && shownSeq.peek() > FEW_EVENTS;
  const stopAhead = showAhead({
    ...{ data, run, record, shownSeq, closed },
    onRead() {
      update({});
      // When these lines are on the screen.
      requestAnimationFrame(() => setTimeout(setReady));
    },
  });
  const isDue = computed(() => [at.value, record.value, data.connection.value]);
  const stopInspecting = isDue.subscribe(() => void inspect());

  return {
    run,
    data,
    record,
    history,
    timeline,
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
      stopAhead();
      stopInspecting();
    },
  };
}

const SEQ = '{"seq":';
const TIME = ',"ts":"';
const TIME_LENGTH = '2026-01-01T00:00:00.000Z'.length;
const ENTERED = '","type":"state_entered","state":"';
const TRACKED = '","type":"tracked_set","';
const QUOTE = '"';
const BACKSLASH = '\\';
/** What follows the name of a state that got no values. */
const END = '","crc":"';

/** The value of a tracked variable is left out: no model has it. */
export function modelLine(text: string): RecordLine {
  return shortLine(text) ?? (JSON.parse(text) as RecordLine);
}

function shortLine(text: string): RecordLine | null {
  if (!text.startsWith(SEQ)) return null;
  let at = SEQ.length;
  let seq = 0;
  for (; at < text.length; at++) {
    const digit = text.charCodeAt(at) - 48;
    if (digit < 0 || digit > 9) break;
    seq = seq * 10 + digit;
  }
  if (!text.startsWith(TIME, at)) return null;
  const time = at + TIME.length;
  const type = time + TIME_LENGTH;
  if (text.startsWith(TRACKED, type))
    return { seq, ts: text.slice(time, type), type: 'tracked_set', name: '', value: null };
  if (!text.startsWith(ENTERED, type)) return null;
  const name = type + ENTERED.length;
  const end = text.indexOf(QUOTE, name);
  if (!text.startsWith(END, end)) return null;
  const state = text.slice(name, end);
  return state.includes(BACKSLASH) ? null : { seq, ts: text.slice(time, type), type: 'state_entered', state };
}
