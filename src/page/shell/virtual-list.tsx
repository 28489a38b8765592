/**
 * A list of any length, of which only the visible rows exist. All rows have the same height. The parent is a table for those
 * who cannot see it; its rows know their numbers.
 */
import { elementScroll, observeElementOffset, observeElementRect, Virtualizer } from '@tanstack/virtual-core';
import type { VNode } from 'preact';
import { useEffect, useLayoutEffect, useReducer, useRef } from 'preact/hooks';

interface VirtualListProps {
  readonly count: number;
  readonly rowHeight: number;
  readonly label: string;
  /** Names of the columns, for the head. */
  readonly head?: VNode;
  /** How many rows there are in the end; -1: not known. */
  readonly total: number;
  readonly row: (index: number) => VNode;
  readonly keyOf: (index: number) => string | number;
  /** Scrolls so that this row is visible, whenever it changes; null: stays where it is. */
  readonly reveal?: number | null;
  /** Scrolls to the end when rows are added, if the end is visible. */
  readonly follows?: boolean;
  /** The first and the last visible row. */
  readonly onRange?: (first: number, last: number) => void;
  readonly class?: string;
}

/** The list knows only groups of rows, so that a million rows are fewer parts to know. */
const GROUP = 8;
/** Rows that are drawn before they are visible, and how near they come before more are drawn. */
const AROUND = 6;
const NEAR = 2;

type List = Virtualizer<HTMLDivElement, HTMLDivElement>;

/** Rows from the first one up to, not including, the last one. */
interface Rows {
  readonly from: number;
  readonly to: number;
}

export function VirtualList(props: VirtualListProps) {
  const { count, rowHeight, label, head, total, row, keyOf, reveal = null, follows = false, onRange } = props;
  const element = useRef<HTMLDivElement>(null);
  const [, render] = useReducer((n: number) => n + 1, 0);
  const isAtEnd = useRef(true);
  const list = useRef<List | null>(null);
  const drawn = useRef<Rows>({ from: 0, to: 0 });
  const length = useRef(count);
  length.current = count;
  const groups = Math.ceil(count / GROUP);
  const options = {
    count: groups,
    estimateSize: () => rowHeight * GROUP,
    getScrollElement: () => element.current,
    overscan: 0,
    observeElementRect,
    observeElementOffset: (changed: List, take: (offset: number, isScrolling: boolean) => void) =>
      observeElementOffset(changed, (offset, isScrolling) => {
        take(offset, isScrolling);
        // A group of the list may be drawn in part.
        const { from, to } = widen(visibleRows(changed, rowHeight, length.current), NEAR, length.current);
        if (from < drawn.current.from || to > drawn.current.to) render(undefined);
      }),
    scrollToFn: elementScroll,
    onChange: (changed: List) => {
      const { scrollOffset, scrollRect } = changed;
      isAtEnd.current = (scrollOffset ?? 0) + (scrollRect?.height ?? 0) >= (count - 2) * rowHeight;
      render(undefined);
    },
  };
  list.current ??= new Virtualizer(options);
  list.current.setOptions(options);
  useEffect(() => list.current?._didMount(), []);
  useLayoutEffect(() => list.current?._willUpdate());
  useEffect(() => {
    if (element.current === null) return;
    // The list knows its new height, but only draws itself when it has other rows.
    const observer = new ResizeObserver(() => render(undefined));
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  useLayoutEffect(() => {
    if (reveal !== null && reveal >= 0 && reveal < count)
      revealRow(list.current, element.current, { top: reveal * rowHeight, height: rowHeight });
  }, [reveal, list.current.scrollRect?.height]);
  useLayoutEffect(() => {
    if (follows && isAtEnd.current && count > 0) element.current?.scrollTo({ top: count * rowHeight });
  }, [count, follows]);
  drawn.current = rowsToDraw(list.current, drawn.current, rowHeight, count);
  const { from: first, to } = drawn.current;
  const last = to - 1;
  const rows = Array.from({ length: to - first }, (_, at) => first + at);
  useEffect(() => onRange?.(first, last), [first, last, count]);
  return (
    <div role="table" aria-label={label} aria-rowcount={total} class={`table ${props.class ?? ''}`}>
      {head}
      <div ref={element} class="rows" role="rowgroup" tabIndex={-1}>
        <div role="presentation" style={{ height: `${count * rowHeight}px` }} class="all-rows">
          {rows.map((index) => (
            <div
              key={keyOf(index)}
              role="row"
              tabIndex={-1}
              aria-rowindex={index + 2}
              class="row"
              style={{ top: `${index * rowHeight}px`, height: `${rowHeight}px` }}
            >
              {row(index)}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

function visibleRows({ scrollOffset, scrollRect }: List, rowHeight: number, count: number): Rows {
  const top = scrollOffset ?? 0;
  const to = Math.min(Math.ceil((top + (scrollRect?.height ?? 0)) / rowHeight), count);
  return { from: Math.min(Math.floor(top / rowHeight), to), to };
}

/**
 * The visible rows with those around them. While a scroll jumps so far that most rows are new, only the visible ones: the rest
 * would be replaced before it is seen, and drawing it takes most of a frame.
 */
function rowsToDraw(list: List, before: Rows, rowHeight: number, count: number): Rows {
  const visible = visibleRows(list, rowHeight, count);
  const kept = Math.min(before.to, visible.to) - Math.max(before.from, visible.from);
  if (list.isScrolling && 2 * kept < visible.to - visible.from) return visible;
  return widen(visible, AROUND, count);
}

function widen({ from, to }: Rows, by: number, count: number): Rows {
  return { from: Math.max(0, from - by), to: Math.min(count, to + by) };
}

/** Scrolls as little as possible. What the list knows is used, because asking the browser makes it compute the screen first. */
function revealRow(
  list: List | null,
  box: HTMLDivElement | null,
  row: { readonly top: number; readonly height: number },
) {
  if (list === null || box === null) return;
  const offset = list.scrollOffset ?? box.scrollTop;
  const height = list.scrollRect?.height || box.clientHeight;
  if (row.top < offset) box.scrollTo({ top: row.top });
  else if (row.top + row.height > offset + height) box.scrollTo({ top: row.top + row.height - height });
}
