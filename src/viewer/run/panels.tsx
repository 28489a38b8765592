/**
 * The parts of a screen. Where there is room, those of the areas `main` and `middle` are visible at once, and those of `side`
 * share a place. On a narrow page all of them share one. Which one is shown is a part of the address.
 */
import type { ComponentChildren } from 'preact';
import { usePage } from '../page-parts.js';
import { useMedia } from '../shell/use-media.js';

export interface PanelOf {
  readonly id: string;
  readonly title: string;
  readonly area: 'top' | 'main' | 'middle' | 'side';
  readonly content: ComponentChildren;
  /** Whether it has columns of its own, and needs more of a wide page. */
  readonly isBroad?: boolean;
  /** What it contains on a narrow page, where it has all the space. */
  readonly narrow?: ComponentChildren;
}

const WIDE = '(min-width: 1100px)';

export function Panels({ panels }: { readonly panels: readonly PanelOf[] }) {
  const { router } = usePage();
  const isWide = useMedia(WIDE);
  const tabs = isWide ? panels.filter(({ area }) => area === 'side') : panels;
  const wanted = router.address.value.query.tab;
  const shown = tabs.find(({ id }) => id === wanted) ?? tabs[0];
  const fixed = isWide ? panels.filter(({ area }) => area !== 'side') : [];
  return (
    <div class={`panels ${isWide ? 'wide' : 'narrow'} ${shown?.isBroad ? 'broad' : ''}`}>
      {fixed.map(({ id, title, area, content }) => (
        <section key={id} class={`panel ${area}`} aria-labelledby={`title-${id}`}>
          <h2 id={`title-${id}`} class="panel-title">
            {title}
          </h2>
          {content}
        </section>
      ))}
      <div class="panel side">
        <TabList tabs={tabs} shown={shown?.id ?? ''} onChoose={(tab) => router.change({ tab })} />
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
