/** The parts of the screen of a run: next to each other with bars between that can be dragged, or one at a time. */
import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { usePage } from '../page-parts.js';
import { useMedia } from '../shell/use-media.js';

/** Where the first and the second column end, in percent of the width. */
type Ends = readonly [number, number];

const USUAL: Ends = [36, 68];
const LEAST = 15;

function endsOf(text: string | undefined): Ends {
  const [, first, second] = /^(\d{1,2})-(\d{1,2})$/.exec(text ?? '') ?? [];
  return first === undefined || second === undefined
    ? USUAL
    : moveEnd(moveEnd(USUAL, 1, Number(second)), 0, Number(first));
}

/** The ends with one of them elsewhere, as far as each column keeps some width. */
function moveEnd([first, second]: Ends, at: 0 | 1, to: number): Ends {
  const [least, most] = at === 0 ? [LEAST, second - LEAST] : [first + LEAST, 100 - LEAST];
  const end = Math.round(Math.min(Math.max(to, least), most));
  return at === 0 ? [end, second] : [first, end];
}

interface Dividing {
  readonly ends: Ends;
  readonly widthOf: () => number;
  readonly onMove: (ends: Ends) => void;
  /** Null: as usual. */
  readonly onEnd: (ends: Ends | null) => void;
}

interface DividerProps extends Dividing {
  readonly at: 0 | 1;
  readonly between: string;
}

const STEP = 2;

/** The bar between two columns: it is dragged, or moved with the arrow keys; a double click puts it back. */
function Divider({ at, between, ends, widthOf, onMove, onEnd }: DividerProps) {
  const from = useRef<{ readonly x: number; readonly ends: Ends } | null>(null);
  const endAt = (x: number): Ends => {
    const start = from.current ?? { x, ends };
    return moveEnd(start.ends, at, start.ends[at] + ((x - start.x) / widthOf()) * 100);
  };
  return (
    <div
      role="separator"
      tabIndex={0}
      class={`divider divider-${at}`}
      aria-orientation="vertical"
      aria-label={`Between ${between}`}
      aria-valuenow={ends[at]}
      aria-valuemin={LEAST}
      aria-valuemax={100 - LEAST}
      title="Drag to resize; a double click puts it back"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        from.current = { x: event.clientX, ends };
      }}
      onPointerMove={(event) => from.current !== null && onMove(endAt(event.clientX))}
      onPointerUp={(event) => {
        if (from.current === null) return;
        const next = endAt(event.clientX);
        from.current = null;
        onEnd(next);
      }}
      onDblClick={() => onEnd(null)}
      onKeyDown={(event) => {
        const by = { ArrowLeft: -STEP, ArrowRight: STEP }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        onEnd(moveEnd(ends, at, ends[at] + by));
      }}
    />
  );
}

interface PanelOf {
  readonly id: string;
  readonly title: string;
  readonly area: 'top' | 'main' | 'middle' | 'side';
  readonly content: ComponentChildren;
  /** What it contains on a narrow page, where it has all the space. */
  readonly narrow?: ComponentChildren;
}

const WIDE = '(min-width: 1100px)';

/**
 * The parts of a screen. Where there is room, those of the areas `main` and `middle` are visible at once, and one of
 * `side`. On a narrow page one part alone is visible. Which one is shown is in the address.
 */
export function Panels({ panels }: { readonly panels: readonly PanelOf[] }) {
  const { router } = usePage();
  const isWide = useMedia(WIDE);
  const tabs = isWide ? panels.filter(({ area }) => area === 'side') : panels;
  const wanted = router.address.value.query.tab;
  const shown = tabs.find(({ id }) => id === wanted) ?? tabs[0];
  const fixed = isWide ? panels.filter(({ area }) => area !== 'side') : [];
  const { max, split } = router.address.value.query;
  const element = useRef<HTMLDivElement>(null);
  const [moving, setMoving] = useState<Ends | null>(null);
  const ends = moving ?? endsOf(split);
  const dividing: Dividing = {
    ends,
    widthOf: () => element.current?.clientWidth ?? 1,
    // While it is dragged, only the columns change; the address has where it was left.
    onMove: setMoving,
    onEnd: (next) => {
      setMoving(null);
      router.change({ split: next === null || next.join() === USUAL.join() ? undefined : next.join('-') });
    },
  };
  const enlarge = (id: string | undefined): void => router.change({ max: id });
  const enlarged = isWide ? panels.find(({ id }) => id === max) : undefined;
  if (enlarged !== undefined)
    return (
      <div class="panels narrow">
        <div class="panel">
          <div class="panel-title">
            <h2 id={`title-${enlarged.id}`}>{enlarged.title}</h2>
            <SizeButton title={enlarged.title} isLarge onClick={() => enlarge(undefined)} />
          </div>
          {enlarged.content}
        </div>
      </div>
    );
  const [main, middle] = fixed.filter(({ area }) => area !== 'top');
  const [first, second] = ends;
  const style = isWide
    ? { '--main': `${first}fr`, '--middle': `${second - first}fr`, '--side': `${100 - second}fr` }
    : {};
  return (
    <div ref={element} class={`panels ${isWide ? 'wide' : 'narrow'}`} style={style}>
      {fixed.map(({ id, title, area, content }) => (
        <section key={id} class={`panel ${area}`} aria-labelledby={`title-${id}`}>
          <div class="panel-title">
            <h2 id={`title-${id}`}>{title}</h2>
            <SizeButton title={title} isLarge={false} onClick={() => enlarge(id)} />
          </div>
          {content}
        </section>
      ))}
      {main !== undefined && <Divider at={0} between={`${main.title} and ${middle?.title ?? ''}`} {...dividing} />}
      {middle !== undefined && <Divider at={1} between={`${middle.title} and the tabs`} {...dividing} />}
      <div class="panel side">
        <div class="tab-head">
          <TabList tabs={tabs} shown={shown?.id ?? ''} onChoose={(tab) => router.change({ tab })} />
          {isWide && shown !== undefined && (
            <SizeButton title={shown.title} isLarge={false} onClick={() => enlarge(shown.id)} />
          )}
        </div>
        {shown !== undefined && (
          <div role="tabpanel" id={`panel-${shown.id}`} aria-labelledby={`tab-${shown.id}`} class="tab-panel">
            <h2 class="hidden">{shown.title}</h2>
            {isWide ? shown.content : (shown.narrow ?? shown.content)}
          </div>
        )}
      </div>
    </div>
  );
}

interface SizeButtonProps {
  readonly title: string;
  readonly isLarge: boolean;
  readonly onClick: () => void;
}

/** Gives one part all the space of the parts, and gives it back. */
function SizeButton({ title, isLarge, onClick }: SizeButtonProps) {
  const label = isLarge ? `Show the other parts next to ${title}` : `Enlarge ${title}`;
  return (
    <button type="button" class="quiet size" aria-label={label} title={label} onClick={onClick}>
      {isLarge ? '⤡' : '⤢'}
    </button>
  );
}

interface TabListProps {
  readonly tabs: readonly PanelOf[];
  readonly shown: string;
  readonly onChoose: (id: string) => void;
}

/** The arrow keys move between tabs, as in every tab list. */
function TabList({ tabs, shown, onChoose }: TabListProps) {
  const move = (event: KeyboardEvent): void => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    const at = tabs.findIndex(({ id }) => id === shown);
    const next = tabs[(at + by + tabs.length) % tabs.length];
    if (next === undefined) return;
    onChoose(next.id);
    document.getElementById(`tab-${next.id}`)?.focus();
  };
  return (
    <div role="tablist" aria-label="Parts of the run" tabIndex={-1} onKeyDown={move} class="tabs">
      {tabs.map(({ id, title }) => (
        <button
          key={id}
          type="button"
          role="tab"
          id={`tab-${id}`}
          aria-selected={id === shown}
          aria-controls={id === shown ? `panel-${id}` : undefined}
          tabIndex={id === shown ? 0 : -1}
          onClick={() => onChoose(id)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}
