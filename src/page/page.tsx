/** The page: its head, the screen that the address names, and what is said about the service. */
import { useSignalEffect } from '@preact/signals';
import { useState } from 'preact/hooks';
import { visibleLine } from '../views/drawing/visible-text.js';
import { PageContext, type PageParts, shownTitle, usePage } from './page-parts.js';
import { RunScreen } from './run/run-screen.jsx';
import { RunsScreen } from './runs/runs-screen.jsx';
import { Link } from './shell/link.jsx';
import { Dialog } from './shell/search-field.jsx';
import { shortId } from './shell/short-id.jsx';
import { nextTheme, type ThemeChoice, themeChoice } from './shell/theme.js';
import { useKeys } from './shell/use-keys.js';

export function Page(parts: PageParts) {
  const { run } = parts.router.address.value;
  const [isHelpOpen, setHelpOpen] = useState(false);
  useKeys({ '?': () => setHelpOpen(true) });
  useSignalEffect(() => {
    const shown = parts.router.address.value.run;
    const title = shownTitle.value ?? `Run ${shortId(shown ?? '')}`;
    document.title = shown === null ? 'Runs · statedsl' : `${visibleLine(title)} · statedsl`;
  });
  return (
    <PageContext.Provider value={parts}>
      <PageHead onHelp={() => setHelpOpen(true)} />
      <ConnectionNotice />
      <main id="main">{run === null ? <RunsScreen /> : <RunScreen key={run} run={run} />}</main>
      {isHelpOpen && <KeyHelp onClose={() => setHelpOpen(false)} />}
    </PageContext.Provider>
  );
}

/** Says that the service does not answer. It goes away when the service is back. */
function ConnectionNotice() {
  const { data } = usePage();
  const state = data.connection.value;
  return (
    <div role="status" aria-live="polite" class={`connection ${state}`}>
      {state === 'lost' && (
        <p>
          <strong>The service does not answer.</strong> What you see is what it sent last. The page tries again by
          itself.
        </p>
      )}
      {state === 'signed-out' && (
        <p>
          <strong>This page needs the token of the service.</strong> Open the address that <code>statedsl serve</code>{' '}
          or <code>statedsl ui</code> printed when it started: each start has its own token.
        </p>
      )}
    </div>
  );
}

type Key = readonly [string, string];

/** What works on every screen, in the list, and on the screen of a run. */
const KEYS: readonly Key[] = [['?', 'this list']];
const LIST_KEYS: readonly Key[] = [
  ['/', 'search'],
  ['j  k', 'next and previous run'],
  ['Enter', 'open the run'],
];
const RUN_KEYS: readonly Key[] = [
  ['j  k', 'next and previous event'],
  ['← →', 'previous and next event, on the slider; next and previous part, on its tab'],
  ['l', 'the latest event, and follow the run'],
  ['u', 'back to the list of runs'],
];

const THEME_MARKS: Readonly<Record<ThemeChoice, string>> = { system: '◐', light: '☀', dark: '☾' };

/** The folder of the project, without the way to it. */
function storeTitle(where: string): string {
  const names = where.split('/').filter((name) => name !== '' && name !== '.statedsl');
  return names.at(-1) ?? where;
}

/** The keys of the page. */
function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  const { router } = usePage();
  const keys = [...(router.address.value.run === null ? LIST_KEYS : RUN_KEYS), ...KEYS];
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">
        {keys.map(([key, what]) => (
          <div key={key}>
            <dt>
              {key.split('  ').map((one) => (
                <kbd key={one}>{one}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <form method="dialog">
        <button type="submit">Close</button>
      </form>
    </Dialog>
  );
}

/** The head of the page: where one is, and what leads elsewhere. */
function PageHead({ onHelp }: { readonly onHelp: () => void }) {
  const { data, router } = usePage();
  const { run } = router.address.value;
  const about = data.about.value;
  return (
    <header class="page-head">
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <nav aria-label="Where you are">
        <Link to={{ run: null, query: {} }} class="brand">
          <svg viewBox="0 0 32 32" aria-hidden="true" focusable="false">
            <path d="M8 9h9a5 5 0 0 1 0 10h-2a4.500 4.500 0 0 0 0 9" />
            <circle cx="8" cy="9" r="4.500" />
            <circle cx="22" cy="26" r="4.500" />
          </svg>
          Runs
        </Link>
        {run !== null && (
          <>
            <span class="faint" aria-hidden="true">
              /
            </span>
            <span class="crumb" title={visibleLine(run)}>
              {visibleLine(shownTitle.value ?? shortId(run))}
            </span>
          </>
        )}
      </nav>
      <div class="head-right">
        {about !== null && (
          <span class="faint where" title={visibleLine(about.where)}>
            {visibleLine(storeTitle(about.where))}
          </span>
        )}
        {data.actions.value === null && about !== null && data.kind === 'service' && <span class="tag">read-only</span>}
        <button
          type="button"
          class="quiet"
          onClick={nextTheme}
          aria-label={`Theme: ${themeChoice.value}`}
          title={`Theme: ${themeChoice.value}`}
        >
          {THEME_MARKS[themeChoice.value]}
        </button>
        <button type="button" class="quiet" onClick={onHelp} aria-label="Keys">
          ?
        </button>
      </div>
    </header>
  );
}
