/** Draws a timeline on a canvas: times on top, the states, then one row for each lane. Only what is visible costs time. */
import { escapeControls } from '../../views/drawing/visible-text.js';
import { commandTail, fromHere } from '../record/event-words.js';
import type { Bar, BarKind } from './bars.js';
import type { Lane } from './lanes.js';
import type { Timeline } from './timeline.js';
import { type TimeAxis, type VisibleBar, visibleBars, type Window } from './visible-bars.js';

/** Colors and fonts of the theme, by the names of their variables. */
export type Palette = Readonly<Record<(typeof COLORS)[number] | 'font', string>>;

const COLORS = [
  ...(['surface', 'raised', 'line', 'text', 'faint', 'accent', 'good', 'good-soft', 'bad', 'bad-soft'] as const),
  ...(['wait', 'wait-soft', 'busy', 'busy-soft', 'agent', 'agent-soft'] as const),
] as const;

export const AXIS_HEIGHT = 22;
export const ROW_HEIGHT = 22;
const BAR_HEIGHT = 18;
const TICK_DISTANCE = 110;
const TEXT_PADDING = 5;
/** Narrower bars have no text. */
const LEAST_TEXT_WIDTH = 30;
const LONGEST_TEXT = 200;
const ELLIPSIS_WIDTH = 9;

export interface TimelinePicture {
  readonly timeline: Timeline;
  readonly axis: TimeAxis;
  readonly window: TimeWindow;
  readonly width: number;
  readonly height: number;
  /** How far the lanes are scrolled, in pixels. */
  readonly scrolled: number;
  readonly nowMs: number;
  /** The time of the event that is shown, and its bar or -1. */
  readonly shownMs: number;
  readonly shownBar: number;
  /** The bar that the keyboard is at, or -1. */
  readonly focusedBar: number;
  /** What commands name by `./`. */
  readonly folders: readonly string[];
  /** Whether the run is shown as it was before the last event. */
  readonly isPast: boolean;
}

export function readPalette(element: Element): Palette {
  const style = getComputedStyle(element);
  const colors = COLORS.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]);
  return { ...Object.fromEntries(colors), font: `11px ${style.getPropertyValue('--sans').trim() || 'sans-serif'}` };
}

/** Rows from top to bottom: the states, then the lanes in which something happened. */
export function rowsOf({ stateLane, lanes }: Timeline): readonly Lane[] {
  return [stateLane, ...lanes].filter(({ bars }) => bars.length > 0);
}

export function drawTimeline(context: CanvasRenderingContext2D, picture: TimelinePicture, palette: Palette): void {
  const { width, height } = picture;
  context.fillStyle = palette.surface;
  context.fillRect(0, 0, width, height);
  context.font = palette.font;
  context.textBaseline = 'middle';
  const window = windowOf(picture);
  drawIdle(context, picture, palette);
  drawLanes(context, picture, window, palette);
  context.fillStyle = palette.surface;
  context.fillRect(0, 0, width, AXIS_HEIGHT);
  drawTicks(context, picture, palette);
  drawCursor(context, picture, palette);
}

/** Pixels from the left edge. */
function xOf({ axis, window, width }: Pick<TimelinePicture, 'axis' | 'window' | 'width'>, timeMs: number): number {
  return ((axis.positionOf(timeMs) - window.from) / (window.to - window.from)) * width;
}

function windowOf({ axis, window, width, nowMs }: TimelinePicture): Window {
  const positionOf = (timeMs: number): number => axis.positionOf(timeMs);
  return { ...window, pixels: width, positionOf, timeAt: (position) => axis.timeAt(position), nowMs };
}

function drawLanes(
  context: CanvasRenderingContext2D,
  picture: TimelinePicture,
  window: Window,
  palette: Palette,
): void {
  const { timeline, height, scrolled } = picture;
  const rows = rowsOf(timeline);
  const first = Math.max(0, Math.floor(scrolled / ROW_HEIGHT));
  const last = Math.min(rows.length, Math.ceil((scrolled + height - AXIS_HEIGHT) / ROW_HEIGHT));
  for (let row = first; row < last; row++) {
    const top = AXIS_HEIGHT + row * ROW_HEIGHT - scrolled;
    for (const one of visibleBars(rows[row] as Lane, timeline.bars, window))
      drawBar(context, one, top, picture, palette);
  }
}

function drawBar(
  context: CanvasRenderingContext2D,
  one: VisibleBar,
  top: number,
  { timeline, width, shownBar, focusedBar, folders }: TimelinePicture,
  palette: Palette,
): void {
  const { bars } = timeline;
  const left = Math.max(one.x, -2);
  const right = Math.min(one.x + one.width, width + 2);
  const kind = bars.kindOf(one.bar);
  const status = bars.statusOf(one.bar);
  const [strong, soft] = colorsOf(kind, one.failed, palette);
  const y = top + (ROW_HEIGHT - BAR_HEIGHT) / 2;
  const shown = Math.max(right - left, 1);
  context.globalAlpha = bars.undone[one.bar] === 1 || status === 'stopped' || status === 'interrupted' ? 0.45 : 1;
  if (one.count > 1 || shown < 4) {
    context.fillStyle = strong;
    context.fillRect(left, y, Math.max(shown - (shown > 2 ? 0.5 : 0), 1), BAR_HEIGHT);
  } else {
    context.fillStyle = soft;
    context.fillRect(left, y, shown - 1, BAR_HEIGHT);
    if (kind === 'pause') hatch(context, { left, y, width: shown - 1, color: strong });
    context.fillStyle = strong;
    context.fillRect(left, y, 2, BAR_HEIGHT);
    context.fillRect(left, y + BAR_HEIGHT - 2, shown - 1, 2);
    if (shown > LEAST_TEXT_WIDTH && kind !== 'pause')
      drawText(context, labelOf(timeline.describe(one.bar), folders), { left, y, width: shown, color: palette.text });
  }
  context.globalAlpha = 1;
  if (one.count === 1 && (one.bar === shownBar || one.bar === focusedBar)) {
    context.strokeStyle = palette.accent;
    context.lineWidth = 2;
    context.strokeRect(left + 1, y, Math.max(shown - 2, 2), BAR_HEIGHT);
  }
}

interface BarArea {
  readonly left: number;
  readonly y: number;
  readonly width: number;
  readonly color: string;
}

/** What is written on a bar. */
function labelOf({ attempt, kind, text }: Bar, folders: readonly string[]): string {
  const label = kind === 'command' || kind === 'gate' ? commandTail(fromHere(text, folders)) : text;
  return attempt > 1 ? `${attempt}× ${label}` : label;
}

/** The text starts at the edge of the screen if the bar starts before it. */
function drawText(context: CanvasRenderingContext2D, text: string, { left, y, width, color }: BarArea): void {
  context.save();
  context.beginPath();
  context.rect(left + TEXT_PADDING, y, width - TEXT_PADDING * 2, BAR_HEIGHT);
  context.clip();
  context.fillStyle = color;
  const room = left + width - Math.max(left, 0) - TEXT_PADDING * 2;
  const shown = fitText(context, escapeControls(text.slice(0, LONGEST_TEXT).replace(/\s+/g, ' ')), room);
  context.fillText(shown, Math.max(left, 0) + TEXT_PADDING, y + BAR_HEIGHT / 2);
  context.restore();
}

/** A text that is too long ends with an ellipsis; one of which only that would remain is left out. */
function fitText(context: CanvasRenderingContext2D, text: string, room: number): string {
  const { width } = context.measureText(text);
  if (width <= room) return text;
  const count = Math.floor((text.length * (room - ELLIPSIS_WIDTH)) / width);
  return count < 1 ? '' : `${text.slice(0, count).trimEnd()}…`;
}

function hatch(context: CanvasRenderingContext2D, { left, y, width, color }: BarArea): void {
  context.save();
  context.beginPath();
  context.rect(left, y, width, BAR_HEIGHT);
  context.clip();
  context.strokeStyle = color;
  context.lineWidth = 1;
  context.beginPath();
  for (let x = left - BAR_HEIGHT; x < left + width; x += 6) {
    context.moveTo(x, y + BAR_HEIGHT);
    context.lineTo(x + BAR_HEIGHT, y);
  }
  context.stroke();
  context.restore();
}

function colorsOf(kind: BarKind, failed: boolean, palette: Palette): readonly [strong: string, soft: string] {
  if (failed) return [palette.bad, palette['bad-soft']];
  switch (kind) {
    case 'state':
    case 'sample':
      return [palette.faint, palette.raised];
    case 'agent':
      return [palette.agent, palette['agent-soft']];
    case 'gate':
      return [palette.good, palette['good-soft']];
    case 'question':
    case 'signal':
    case 'timer':
    case 'approval':
    case 'pause':
      return [palette.wait, palette['wait-soft']];
    default:
      return [palette.busy, palette['busy-soft']];
  }
}

/** The times in which no process executed the run. */
function drawIdle(context: CanvasRenderingContext2D, picture: TimelinePicture, palette: Palette): void {
  const { timeline, axis, window, width, height, nowMs } = picture;
  const { idle } = timeline;
  const toMs = axis.timeAt(window.to);
  for (let at = idle.firstAfter(axis.timeAt(window.from)); at < idle.all.length; at++) {
    const span = idle.all[at];
    if (span === undefined || span.fromMs > toMs) return;
    const left = Math.max(xOf(picture, span.fromMs), -1);
    const right = Math.min(xOf(picture, Math.min(span.toMs ?? nowMs, nowMs)), width + 1);
    context.fillStyle = palette.raised;
    context.fillRect(left, AXIS_HEIGHT, Math.max(right - left, 1), height - AXIS_HEIGHT);
    context.strokeStyle = palette.line;
    context.lineWidth = 1;
    context.beginPath();
    for (const x of [left, right]) {
      context.moveTo(x, AXIS_HEIGHT);
      context.lineTo(x, height);
    }
    context.stroke();
  }
}

function drawTicks(context: CanvasRenderingContext2D, picture: TimelinePicture, palette: Palette): void {
  const { axis, window, width } = picture;
  const [fromMs, toMs] = [axis.timeAt(window.from), axis.timeAt(window.to)];
  const least = ((window.to - window.from) / width) * TICK_DISTANCE;
  context.strokeStyle = palette.line;
  context.lineWidth = 1;
  for (const { timeMs, text } of visibleTicks(axis, fromMs, toMs, least)) {
    const x = Math.round(xOf(picture, timeMs)) + 0.5;
    if (x < 0 || x > width) continue;
    context.beginPath();
    context.moveTo(x, AXIS_HEIGHT - 5);
    context.lineTo(x, AXIS_HEIGHT);
    context.stroke();
    context.fillStyle = palette.faint;
    const isLast = x + context.measureText(text).width + 4 > width;
    if (!isLast) context.fillText(text, x + 3, AXIS_HEIGHT / 2);
  }
  context.beginPath();
  context.moveTo(0, AXIS_HEIGHT - 0.5);
  context.lineTo(width, AXIS_HEIGHT - 0.5);
  context.stroke();
}

function drawCursor(context: CanvasRenderingContext2D, picture: TimelinePicture, palette: Palette): void {
  const { shownMs, width, height, isPast } = picture;
  const x = Math.round(xOf(picture, shownMs));
  if (isPast && x < width) {
    context.globalAlpha = 0.55;
    context.fillStyle = palette.surface;
    context.fillRect(Math.max(x, 0), AXIS_HEIGHT, width - Math.max(x, 0), height - AXIS_HEIGHT);
    context.globalAlpha = 1;
  }
  if (x < -1 || x > width + 1) return;
  context.fillStyle = palette.accent;
  context.fillRect(Math.min(x, width - 2), 0, 2, height);
}

/** A mark of the time axis, with its text in the time zone of the reader. */
interface Tick {
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
function ticksBetween(fromMs: number, toMs: number, leastMs: number): Tick[] {
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
