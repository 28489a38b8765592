/** The canvas of a timeline, and what pointer and keys do on it. */
import { useComputed, useSignal, useSignalEffect } from '@preact/signals';
import { useEffect, useId, useRef } from 'preact/hooks';
import { theme } from '../shell/theme.js';
import { AXIS_HEIGHT, drawTimeline, type Palette, ROW_HEIGHT, readPalette, rowsOf } from './draw-timeline.js';
import type { TimelineView } from './timeline-view.js';

const ZOOM_BY_WHEEL = 1.0015;
/** A pointer that moves less than this has clicked. */
const CLICK_PIXELS = 4;
const MOVE_PART = 0.15;
const MOST_ROWS = 9;

interface Pointed {
  readonly x: number;
  readonly words: string;
}

export function TimelineCanvas({ view, label }: { readonly view: TimelineView; readonly label: string }) {
  const frame = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const pointed = useSignal<Pointed | null>(null);
  const keys = useId();
  const rows = useComputed(() => rowsOf(view.picture.value.timeline).length);
  useDrawing(view, canvas, frame);
  usePointer(view, frame, (next) => {
    pointed.value = next;
  });
  const height = AXIS_HEIGHT + Math.min(rows.value, MOST_ROWS) * ROW_HEIGHT + 4;
  return (
    <>
      <div
        ref={frame}
        class="timeline-frame"
        role="application"
        aria-label={label}
        aria-roledescription="timeline"
        aria-describedby={keys}
        tabIndex={0}
        style={{ height: `${height}px` }}
        onKeyDown={(event) => pressKey(view, event)}
        onScroll={({ currentTarget }) => view.scroll(currentTarget.scrollTop)}
      >
        <div class="timeline-rows" style={{ height: `${AXIS_HEIGHT + rows.value * ROW_HEIGHT}px` }}>
          <canvas ref={canvas} />
        </div>
      </div>
      <p class="timeline-words" role="status">
        {pointed.value?.words ??
          (view.focusedWords.value || (
            <span class="faint">Point at a bar to read what it was, click to go there.</span>
          ))}
      </p>
      <p id={keys} class="hidden">
        Arrow keys move between bars and lanes, Enter shows the run when the bar began, plus and minus zoom, Shift with
        an arrow key moves, 0 shows all.
      </p>
    </>
  );
}

function pressKey(view: TimelineView, event: KeyboardEvent): void {
  const { width } = view.picture.value;
  const keys: Readonly<Record<string, () => void>> = event.shiftKey
    ? {
        ArrowLeft: () => view.move(-width * MOVE_PART),
        ArrowRight: () => view.move(width * MOVE_PART),
        '+': () => view.zoom(0.5),
      }
    : {
        ArrowRight: () => view.focus('next'),
        ArrowLeft: () => view.focus('previous'),
        ArrowDown: () => view.focus('down'),
        ArrowUp: () => view.focus('up'),
        Enter: () => view.selectFocused(),
        '+': () => view.zoom(0.5),
        '=': () => view.zoom(0.5),
        '-': () => view.zoom(2),
        '0': () => view.fit(),
      };
  const action = keys[event.key];
  if (action === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  event.stopPropagation();
  action();
}

/** Draws once for each frame of the screen, however much has changed. */
function useDrawing(
  view: TimelineView,
  canvas: { readonly current: HTMLCanvasElement | null },
  frame: { readonly current: HTMLDivElement | null },
): void {
  const palette = useSignal<Palette | null>(null);
  const request = useRef(0);
  const draw = (): void => {
    request.current = 0;
    const element = canvas.current;
    const context = element?.getContext('2d');
    if (element === null || context == null || palette.value === null) return;
    const { width, height } = view.picture.value;
    const scale = devicePixelRatio;
    const [wide, high] = [Math.round(width * scale), Math.round(height * scale)];
    if (element.width !== wide) element.width = wide;
    if (element.height !== high) element.height = high;
    context.setTransform(scale, 0, 0, scale, 0, 0);
    drawTimeline(context, view.picture.value, palette.value);
  };
  useSignalEffect(() => {
    // Drawing reads both later, so reading them here makes this run again when they change.
    view.picture.value;
    palette.value;
    if (request.current === 0) request.current = requestAnimationFrame(draw);
  });
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const readColors = (): void => {
      palette.value = readPalette(element);
    };
    const unsubscribe = theme.subscribe(readColors);
    const observer = new ResizeObserver(() => {
      view.resize(element.clientWidth, element.clientHeight);
      canvas.current?.style.setProperty('width', `${element.clientWidth}px`);
      canvas.current?.style.setProperty('height', `${element.clientHeight}px`);
    });
    observer.observe(element);
    return () => {
      unsubscribe();
      observer.disconnect();
      cancelAnimationFrame(request.current);
    };
  }, []);
}

function usePointer(
  view: TimelineView,
  frame: { readonly current: HTMLDivElement | null },
  point: (pointed: Pointed | null) => void,
): void {
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    let drag: { readonly id: number; readonly startX: number; lastX: number; isDragging: boolean } | null = null;
    const position = (event: MouseEvent): readonly [x: number, y: number] => {
      const { left, top } = element.getBoundingClientRect();
      return [event.clientX - left, event.clientY - top];
    };
    const listeners = {
      pointerdown: (event: PointerEvent) => {
        if (event.button !== 0) return;
        drag = { id: event.pointerId, startX: event.clientX, lastX: event.clientX, isDragging: false };
      },
      pointermove: (event: PointerEvent) => {
        const [x, y] = position(event);
        if (drag === null) {
          const bar = view.barAt(x, y);
          point(bar < 0 ? null : { x, words: view.words(bar) });
          return;
        }
        if (!drag.isDragging && Math.abs(event.clientX - drag.startX) < CLICK_PIXELS) return;
        if (!drag.isDragging) element.setPointerCapture(drag.id);
        view.move(drag.lastX - event.clientX);
        drag.lastX = event.clientX;
        drag.isDragging = true;
      },
      pointerup: (event: PointerEvent) => {
        const wasClick = drag !== null && !drag.isDragging;
        drag = null;
        if (!wasClick) return;
        const [x, y] = position(event);
        view.select(view.barAt(x, y));
      },
      pointercancel: () => {
        drag = null;
      },
      pointerleave: () => point(null),
      wheel: (event: WheelEvent) => {
        const scrolls = element.scrollHeight > element.clientHeight && !event.ctrlKey;
        if (event.deltaX === 0 && scrolls) return;
        event.preventDefault();
        if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) view.move(event.deltaX);
        else view.zoom(ZOOM_BY_WHEEL ** event.deltaY, position(event)[0]);
      },
    };
    const entries = Object.entries(listeners) as [string, EventListener][];
    for (const [name, listener] of entries) element.addEventListener(name, listener, { passive: false });
    return () => {
      for (const [name, listener] of entries) element.removeEventListener(name, listener);
    };
  }, []);
}
