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
  /** The last visible row. */
  readonly onRange?: (last: number) => void;
  readonly class?: string;
}

const OVERSCAN = 8;

export function VirtualList(props: VirtualListProps) {
  const { count, rowHeight, label, head, total, row, keyOf, reveal = null, follows = false, onRange } = props;
  const element = useRef<HTMLDivElement>(null);
  const [, render] = useReducer((n: number) => n + 1, 0);
  const isAtEnd = useRef(true);
  const list = useRef<Virtualizer<HTMLDivElement, HTMLDivElement> | null>(null);
  const options = {
    count,
    estimateSize: () => rowHeight,
    getScrollElement: () => element.current,
    getItemKey: keyOf,
    overscan: OVERSCAN,
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => {
      const { current } = element;
      if (current !== null)
        isAtEnd.current = current.scrollTop + current.clientHeight >= current.scrollHeight - 2 * rowHeight;
      render(undefined);
    },
  };
  list.current ??= new Virtualizer(options);
  list.current.setOptions(options);
  useEffect(() => list.current?._didMount(), []);
  useLayoutEffect(() => list.current?._willUpdate());
  useLayoutEffect(() => {
    if (reveal !== null && reveal >= 0 && reveal < count) list.current?.scrollToIndex(reveal, { align: 'auto' });
  }, [reveal]);
  useLayoutEffect(() => {
    if (follows && isAtEnd.current && count > 0) list.current?.scrollToIndex(count - 1, { align: 'end' });
  }, [count, follows]);
  const items = list.current.getVirtualItems();
  const last = items[items.length - 1]?.index ?? -1;
  useEffect(() => onRange?.(last), [last, count]);
  return (
    <div role="table" aria-label={label} aria-rowcount={total} class={`table ${props.class ?? ''}`}>
      {head}
      <div ref={element} class="rows" role="rowgroup" tabIndex={-1}>
        <div role="presentation" style={{ height: `${list.current.getTotalSize()}px` }} class="all-rows">
          {items.map(({ index, start, key }) => (
            <div
              key={key}
              role="row"
              tabIndex={-1}
              aria-rowindex={index + 2}
              class="row"
              style={{ transform: `translateY(${start}px)`, height: `${rowHeight}px` }}
            >
              {row(index)}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}
