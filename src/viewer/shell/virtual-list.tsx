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

/** Rows come and go in groups, so that a list of a million rows has fewer parts to know. */
const GROUP = 8;
const OVERSCAN = 1;

type List = Virtualizer<HTMLDivElement, HTMLDivElement>;

export function VirtualList(props: VirtualListProps) {
  const { count, rowHeight, label, head, total, row, keyOf, reveal = null, follows = false, onRange } = props;
  const element = useRef<HTMLDivElement>(null);
  const [, render] = useReducer((n: number) => n + 1, 0);
  const isAtEnd = useRef(true);
  const list = useRef<List | null>(null);
  const groups = Math.ceil(count / GROUP);
  const options = {
    count: groups,
    estimateSize: () => rowHeight * GROUP,
    getScrollElement: () => element.current,
    overscan: OVERSCAN,
    observeElementRect,
    observeElementOffset,
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
  const rows = list.current
    .getVirtualItems()
    .flatMap(({ index }) => Array.from({ length: GROUP }, (_, at) => index * GROUP + at))
    .filter((index) => index < count);
  const last = rows[rows.length - 1] ?? -1;
  const first = rows[0] ?? 0;
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
              style={{ transform: `translateY(${index * rowHeight}px)`, height: `${rowHeight}px` }}
            >
              {row(index)}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
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
