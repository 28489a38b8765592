/** Which effect the page shows the output of, and what became of each of its attempts. */
import type { Outcome } from '../../interpreter/events/event.js';
import { WORK_EFFECTS } from '../../interpreter/events/status-after.js';
import { duration } from '../../views/drawing/amounts.js';
import type { PageRun, RecordedRunEvent } from '../data/page-data.js';
import type { RecordLines } from '../data/record-lines.js';
import { commandWords } from '../record/event-words.js';

/** The effect that an event belongs to, as its output shows it. */
export interface ShownEffect {
  readonly effect: string;
  readonly text: string;
  readonly request: RequestedOutput;
  /** Whether its outcome is on record. */
  readonly hasEnded: boolean;
  readonly seq: number;
}

export type RequestedOutput = Extract<RecordedRunEvent, { type: 'effect_requested' }>;

/** The effect of the event, or the last one before it; null: none that prints. */
export function effectAt(lines: RecordLines, seq: number): ShownEffect | null {
  const start = lines.indexOf(seq + 1) - 1;
  const shown = lines.at(start);
  const wanted = shown !== null && 'effect' in shown ? (shown.effect as string) : null;
  const request = findRequest(lines, start, wanted);
  if (request === null) return null;
  const { effect, seq: requested } = request;
  return {
    effect,
    text: commandWords(request),
    request,
    hasEnded: hasEnded(lines, lines.indexOf(requested), effect),
    seq: requested,
  };
}

function findRequest(lines: RecordLines, start: number, wanted: string | null): RequestedOutput | null {
  let last: RequestedOutput | null = null;
  for (const request of lines.before('effect_requested', start)) {
    if (!WORK_EFFECTS.has(request.kind)) continue;
    last ??= request;
    if (wanted === null || request.effect === wanted) return request;
  }
  return last;
}

function hasEnded(lines: RecordLines, from: number, effect: string): boolean {
  for (const settled of lines.after('effect_settled', from)) if (settled.effect === effect) return true;
  return false;
}

/** An attempt of an effect that has ended. */
export interface EndedAttempt {
  readonly attempt: number;
  readonly outcome: Outcome;
  /** Whether another attempt follows. */
  readonly isRetried: boolean;
}

/** Where the attempts of an effect are looked for after its last event. */
const FARTHEST = 4000;

/** The attempts that have ended of an effect, in order; `seq`: one of its requests. */
export function attemptsOf(lines: RecordLines, { effect, request, seq }: ShownEffect): EndedAttempt[] {
  let first = lines.indexOf(seq);
  if (request.attempt > 1)
    for (const one of lines.before('effect_requested', first)) {
      if (one.effect !== effect) continue;
      first = lines.indexOf(one.seq);
      if (one.attempt === 1) break;
    }
  const ended: EndedAttempt[] = [];
  for (let at = first, end = first + FARTHEST; at < Math.min(end, lines.length); at++) {
    const line = lines.at(at);
    if (line === null || !('effect' in line) || line.effect !== effect) continue;
    end = at + FARTHEST;
    const last = ended.at(-1);
    if (line.type === 'effect_settled') {
      const { attempt, outcome } = line;
      // What a resume took back is done again under the same number.
      if (last?.attempt === attempt && !last.isRetried) ended.pop();
      ended.push({ attempt, outcome, isRetried: false });
    } else if (line.type === 'effect_retried' && last !== undefined)
      ended[ended.length - 1] = { ...last, isRetried: true };
  }
  return ended;
}

/** Whether the outcome is one that a program has to handle. */
export function hasFailed(outcome: Outcome): boolean {
  return outcome.kind === 'exited' ? outcome.exit !== 0 : outcome.kind !== 'value' && outcome.kind !== 'changed';
}

/** The outcome in a few words: `exit 3`, and how long it took. */
export function outcomeChip(outcome: Outcome): string {
  const took =
    'duration_ms' in outcome && outcome.duration_ms !== undefined ? `, ${duration(outcome.duration_ms)}` : '';
  switch (outcome.kind) {
    case 'exited':
      return `${outcome.exit === null ? (outcome.signal ?? 'stopped') : `exit ${outcome.exit}`}${took}`;
    case 'timed-out':
      return `timed out${took}`;
    case 'not-started':
      return 'not started';
    case 'failed':
      return 'failed';
    default:
      return `done${took}`;
  }
}

export type FailureOfRun = NonNullable<PageRun['error']>;

/** The outcome that made a run fail, and its event; null: it failed without one. */
export function failureOf(lines: RecordLines, error: FailureOfRun): FailedOutcome | null {
  if (error.tool === null && error.exit_code === null) return null;
  for (const { seq, outcome } of lines.before('effect_settled', lines.indexOf(failedSeq(lines, error) ?? lines.last)))
    if (hasFailed(outcome)) return { seq, outcome };
  return null;
}

interface FailedOutcome {
  readonly seq: number;
  readonly outcome: Outcome;
}

/** The event of that failure: the state ERROR may have done something since. */
export function failedSeq(lines: RecordLines, { line, state }: FailureOfRun): number | null {
  for (const { seq, ...one } of lines.before('instruction_failed', lines.length))
    if (one.line === line && one.state === state) return seq;
  return null;
}
