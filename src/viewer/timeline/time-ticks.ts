/** The marks of the time axis: round times that are far enough apart, with short texts in the zone of the reader. */
import type { TimeAxis } from '../../views/timeline/time-axis.js';

export interface Tick {
  readonly timeMs: number;
  readonly text: string;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const STEPS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30].map((one) => one * SECOND),
  ...[1, 2, 5, 10, 15, 30].map((one) => one * MINUTE),
  ...[1, 2, 3, 6, 12].map((one) => one * HOUR),
  ...[1, 2, 7, 14, 30, 90, 365].map((one) => one * DAY),
];

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** Ticks on both sides of a folded time may be nearer to each other than others, by this part of their distance. */
const NEAREST = 0.75;

/** Round times of what is not folded, and the time of the left edge if there is no round one in sight. */
export function visibleTicks(axis: TimeAxis, fromMs: number, toMs: number, least: number): Tick[] {
  const ticks: Tick[] = [];
  let free = Number.NEGATIVE_INFINITY;
  for (const part of axis.unfoldedBetween(fromMs, toMs)) {
    if (axis.positionOf(part.toMs) < free) continue;
    for (const tick of ticksBetween(part.fromMs, part.toMs, least)) {
      const position = axis.positionOf(tick.timeMs);
      if (position < free) continue;
      free = position + least * NEAREST;
      ticks.push(tick);
    }
  }
  return ticks.length > 0 ? ticks : ticksBetween(Math.ceil(fromMs), Math.ceil(fromMs), 1);
}

/** Round times between two times, at least `leastMs` apart. */
export function ticksBetween(fromMs: number, toMs: number, leastMs: number): Tick[] {
  const step = STEPS.find((one) => one >= leastMs) ?? Math.ceil(leastMs / (365 * DAY)) * 365 * DAY;
  // Days and hours are round in the zone of the reader.
  const offset = step >= HOUR ? new Date(fromMs).getTimezoneOffset() * MINUTE : 0;
  const first = Math.ceil((fromMs - offset) / step) * step + offset;
  const ticks: Tick[] = [];
  for (let timeMs = first; timeMs <= toMs; timeMs += step) ticks.push({ timeMs, text: tickText(timeMs, step) });
  return ticks;
}

function tickText(timeMs: number, step: number): string {
  const date = new Date(timeMs);
  if (step >= DAY) return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
  const time = `${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
  if (step >= MINUTE) return time;
  const seconds = `${time}:${twoDigits(date.getSeconds())}`;
  return step >= SECOND ? seconds : `${seconds}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}
