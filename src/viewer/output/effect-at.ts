/** The effect that an event belongs to, as its output shows it. */
import { WORK_EFFECTS } from '../../interpreter/events/work-effects.js';
import { commandLine } from '../../views/log/command-line.js';
import type { RecordLines } from '../data/record-lines.js';
import type { RecordedRunEvent } from '../data/run-data.js';

export interface ShownEffect {
  readonly effect: string;
  readonly text: string;
  /** Whether its outcome is on record. */
  readonly hasEnded: boolean;
  readonly seq: number;
}

type Request = Extract<RecordedRunEvent, { type: 'effect_requested' }>;

/** The effect of the event, or the last one before it; null: none that prints. */
export function effectAt(lines: RecordLines, seq: number): ShownEffect | null {
  const start = lines.indexOf(seq + 1) - 1;
  const shown = lines.at(start);
  const wanted = shown !== null && 'effect' in shown ? (shown.effect as string) : null;
  const request = findRequest(lines, start, wanted);
  if (request === null) return null;
  const { effect, seq: requested } = request;
  const text = commandLine(request) ?? request.text;
  return { effect, text, hasEnded: hasEnded(lines, lines.indexOf(requested), effect), seq: requested };
}

function findRequest(lines: RecordLines, start: number, wanted: string | null): Request | null {
  let last: Request | null = null;
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
