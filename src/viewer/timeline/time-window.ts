/** The part of a timeline that is on the screen: zooming and moving it. Positions are those of its axis. */

export interface TimeWindow {
  readonly from: number;
  readonly to: number;
}

/** The narrowest window, in milliseconds. */
const NARROWEST = 2;

/** Zooms by a factor (below 1 is closer), so that the position `at` stays where it is. */
export function zoom({ from, to }: TimeWindow, factor: number, at: number, length: number): TimeWindow {
  const width = Math.min(Math.max((to - from) * factor, Math.min(NARROWEST, length)), length);
  const part = to === from ? 0 : (at - from) / (to - from);
  return within({ from: at - part * width, to: at + (1 - part) * width }, length);
}

/** Moves by a part of its width. */
export function move({ from, to }: TimeWindow, by: number, length: number): TimeWindow {
  return within({ from: from + by, to: to + by }, length);
}

/** The window that shows a position, moved as little as possible. */
export function reveal({ from, to }: TimeWindow, position: number, length: number): TimeWindow {
  const width = to - from;
  const edge = width * 0.05;
  if (position < from + edge) return within({ from: position - edge, to: position - edge + width }, length);
  if (position > to - edge) return within({ from: position + edge - width, to: position + edge }, length);
  return { from, to };
}

function within({ from, to }: TimeWindow, length: number): TimeWindow {
  const width = Math.min(to - from, length);
  const start = Math.min(Math.max(from, 0), length - width);
  return { from: start, to: start + width };
}
