/** The state of a timeline on the screen: which part is visible, which bar the keyboard is at, and what changes them. */
import { computed, type ReadonlySignal, signal } from '@preact/signals';
import { duration } from '../../views/drawing/amounts.js';
import { cut, visibleLine } from '../../views/drawing/visible-text.js';
import type { GrowingTimeline } from '../history/run-history.js';
import { shownFolders } from '../page-parts.js';
import { fromHere } from '../record/event-words.js';
import type { ScreenModel } from '../run/screen-model.js';
import { type Bar, type BarKind, STATE_LANE } from './bars.js';
import {
  AXIS_HEIGHT,
  move,
  ROW_HEIGHT,
  reveal,
  rowsOf,
  type TimelinePicture,
  type TimeWindow,
  zoom,
} from './draw-timeline.js';
import type { Timeline } from './timeline.js';
import { barAtTime, TimeAxis } from './visible-bars.js';

/** The period that is visible, in milliseconds since the epoch. */
interface Period {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface TimelineView {
  readonly picture: ReadonlySignal<TimelinePicture>;
  readonly isFitted: ReadonlySignal<boolean>;
  readonly isFolded: ReadonlySignal<boolean>;
  /** The bar that the keyboard is at, in words; empty if there is none. */
  readonly focusedWords: ReadonlySignal<string>;
  resize(width: number, height: number): void;
  scroll(pixels: number): void;
  /** `x`: the pixel that keeps its time; the middle if it is left out. */
  zoom(factor: number, x?: number): void;
  /** Moves the visible period by pixels; later times come into view for a positive number. */
  move(pixels: number): void;
  fit(): void;
  fold(isFolded: boolean): void;
  /** Time has passed. */
  tick(): void;
  /** The bar at a pixel of the canvas; -1 if there is none. */
  barAt(x: number, y: number): number;
  words(bar: number): string;
  /** Shows the run as it was when the bar began. */
  select(bar: number): void;
  /** Moves the keyboard to another bar of its lane, or to another lane. */
  focus(to: 'next' | 'previous' | 'up' | 'down'): void;
  /** Selects the bar that the keyboard is at. */
  selectFocused(): void;
}

/** A pointer need not hit a bar of one pixel. */
const NEAR_PIXELS = 4;

/** What a timeline shares with the other parts of a screen. */
type Selection = Pick<ScreenModel, 'at' | 'shownSeq' | 'select'>;

export function openTimelineView(run: Selection, fed: ReadonlySignal<GrowingTimeline>): TimelineView {
  const period = signal<Period | null>(null);
  const isFolded = signal(true);
  const size = signal({ width: 1, height: 1 });
  const scrolled = signal(0);
  const clock = signal(0);
  const focusedBar = signal(-1);

  const axis = computed(() => {
    const { model } = fed.value;
    const toMs = model.isOver ? model.lastMs : Math.max(model.lastMs, clock.value);
    return {
      nowMs: toMs,
      axis: new TimeAxis(model.idle, { fromMs: model.beganMs ?? 0, toMs, isFolded: isFolded.value }),
    };
  });
  const window = computed((): TimeWindow => {
    const { axis: current } = axis.value;
    if (period.value === null) return { from: 0, to: current.length };
    const [from, to] = [current.positionOf(period.value.fromMs), current.positionOf(period.value.toMs)];
    return to > from ? { from, to } : { from: 0, to: current.length };
  });
  const picture = computed((): TimelinePicture => {
    const { model: timeline } = fed.value;
    const seq = run.shownSeq.value;
    return {
      ...axis.value,
      ...size.value,
      timeline,
      window: window.value,
      scrolled: scrolled.value,
      shownMs: timeline.events.timeOf(seq),
      shownBar: timeline.events.barOf(seq),
      focusedBar: focusedBar.value,
      folders: shownFolders.value,
      isPast: run.at.value !== null && seq < timeline.events.last,
    };
  });

  const show = ({ from, to }: TimeWindow): void => {
    const { axis: current } = axis.value;
    const isAll = from <= 0 && to >= current.length;
    period.value = isAll ? null : { fromMs: current.timeAt(from), toMs: current.timeAt(to) };
  };
  const positionAt = (x: number): number => {
    const { from, to } = window.value;
    return from + (x / size.value.width) * (to - from);
  };
  const revealBar = (bar: number): void => {
    const { bars } = fed.value.model;
    if (period.value !== null) {
      const position = axis.value.axis.positionOf(bars.beganMs[bar] as number);
      show(reveal(window.value, position, axis.value.axis.length));
    }
  };
  const select = (bar: number): void => {
    if (bar < 0) return;
    focusedBar.value = bar;
    run.select(fed.value.model.bars.seq[bar] as number);
  };

  return {
    picture,
    isFitted: computed(() => period.value === null),
    isFolded,
    focusedWords: computed(() => {
      const bar = focusedBar.value;
      return bar < 0 ? '' : barWords(fed.value.model.describe(bar), axis.value.nowMs);
    }),
    resize: (width, height) => {
      if (width !== size.value.width || height !== size.value.height) size.value = { width, height };
    },
    scroll: (pixels) => {
      scrolled.value = pixels;
    },
    zoom: (factor, x = size.value.width / 2) => show(zoom(window.value, factor, positionAt(x), axis.value.axis.length)),
    move: (pixels) => {
      const { from, to } = window.value;
      show(move(window.value, (pixels / size.value.width) * (to - from), axis.value.axis.length));
    },
    fit: () => {
      period.value = null;
    },
    fold: (folded) => {
      isFolded.value = folded;
    },
    tick: () => {
      clock.value = Date.now();
    },
    barAt: (x, y) => {
      const { timeline, axis: current } = picture.value;
      const lane = rowsOf(timeline)[Math.floor((y - AXIS_HEIGHT + scrolled.value) / ROW_HEIGHT)];
      if (lane === undefined || y < AXIS_HEIGHT) return -1;
      const timeMs = current.timeAt(positionAt(x));
      const nearMs = Math.abs(current.timeAt(positionAt(x + NEAR_PIXELS)) - timeMs);
      return barAtTime(lane, timeline.bars, timeMs, nearMs);
    },
    words: (bar) => barWords(fed.value.model.describe(bar), axis.value.nowMs),
    select,
    focus: (to) => {
      const bar = nextBar(fed.value.model, focusedBar.value >= 0 ? focusedBar.value : picture.value.shownBar, to);
      if (bar < 0) return;
      focusedBar.value = bar;
      revealBar(bar);
    },
    selectFocused: () => select(focusedBar.value),
  };
}

/** The bar next to one; the first one if there is none yet. */
function nextBar(timeline: Timeline, from: number, to: 'next' | 'previous' | 'up' | 'down'): number {
  const rows = rowsOf(timeline).filter(({ bars }) => bars.length > 0);
  if (from < 0) return rows[0]?.bars.at(0) ?? -1;
  const row = rows.findIndex(({ bars }) => bars.at(bars.countBelow(from)) === from);
  const lane = rows[row];
  if (lane === undefined) return -1;
  if (to === 'next' || to === 'previous') {
    const index = lane.bars.countBelow(from) + (to === 'next' ? 1 : -1);
    return index >= 0 && index < lane.bars.length ? lane.bars.at(index) : from;
  }
  const other = rows[row + (to === 'down' ? 1 : -1)];
  return other === undefined
    ? from
    : barAtTime(other, timeline.bars, timeline.bars.beganMs[from] as number, Number.POSITIVE_INFINITY);
}

const KIND_WORDS: Readonly<Record<BarKind, string>> = {
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
function barWords(bar: Bar, nowMs: number): string {
  const { kind, text, status, attempt, line, lane, beganMs, endedMs, undone } = bar;
  const took = duration(Math.max(0, (endedMs ?? nowMs) - beganMs));
  return [
    `${KIND_WORDS[kind]}: ${cut(visibleLine(fromHere(text, shownFolders.value)), LONGEST)}`,
    status === 'open' ? `open for ${took}` : `${status === 'put-off' ? 'put off' : status}, ${took}`,
    ...(attempt > 1 ? [`attempt ${attempt}`] : []),
    ...(line > 0 ? [`line ${line}`] : []),
    ...(lane > 0 && lane !== STATE_LANE ? [`lane ${lane + 1}`] : []),
    ...(undone ? ['no longer counts'] : []),
  ].join(' · ');
}
