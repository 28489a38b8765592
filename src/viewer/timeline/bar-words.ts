/** A bar in words, for a pointer and for a screen reader. */
import { duration } from '../../views/drawing/duration.js';
import { cut, visibleLine } from '../../views/drawing/visible-text.js';
import { type Bar, type BarKind, STATE_LANE } from '../../views/timeline/bars.js';

export const KIND_WORDS: Readonly<Record<BarKind, string>> = {
  state: 'State',
  command: 'Command',
  function: 'Function',
  agent: 'Agent',
  gate: 'Gate',
  call: 'Call',
  question: 'Question',
  signal: 'Waits for a signal',
  timer: 'Waits for the time',
  approval: 'Waits for approval',
  pause: 'Pause before a retry',
  sample: 'Reading',
};

const LONGEST = 200;

/** `nowMs`: the time until which an open bar has lasted. */
export function barWords(bar: Bar, nowMs: number): string {
  const { kind, text, status, attempt, line, lane, beganMs, endedMs, undone } = bar;
  const took = duration(Math.max(0, (endedMs ?? nowMs) - beganMs));
  return [
    `${KIND_WORDS[kind]}: ${cut(visibleLine(text), LONGEST)}`,
    status === 'open' ? `open for ${took}` : `${status === 'put-off' ? 'put off' : status}, ${took}`,
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
    ...(line > 0 ? [`line ${line}`] : []),
    ...(lane > 0 && lane !== STATE_LANE ? [`lane ${lane + 1}`] : []),
    ...(undone ? ['no longer counts'] : []),
  ].join(' · ');
}
