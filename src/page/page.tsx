/** The page: its head, the screen that the address names, and what is said about the service. */
import { useSignalEffect } from '@preact/signals';
import { useState } from 'preact/hooks';
import { visibleLine } from '../views/drawing/visible-text.js';
import { PageContext, type PageParts, shownTitle, usePage } from './page-parts.js';
import { RunScreen } from './run/run-screen.jsx';
import { RunsScreen } from './runs/runs-screen.jsx';
import { Link } from './shell/problem.jsx';
import { Dialog } from './shell/search-field.jsx';
import { shortId } from './shell/short-id.jsx';
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

const KEYS: readonly (readonly [string, string])[] = [
  ['/', 'search'],
  ['j  k', 'next and previous run or event'],
  ['Enter', 'open the run'],
  ['← →', 'previous and next event, on the slider'],
  ['l', 'the latest event, and follow the run'],
  ['u', 'back to the list of runs'],
  ['?', 'this list'],
];

/** The keys of the page. */
function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">
        {KEYS.map(([key, what]) => (
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
            {visibleLine(about.where)}
          </span>
        )}
        {data.actions.value === null && about !== null && data.kind === 'service' && <span class="tag">read-only</span>}
        <button type="button" class="quiet" onClick={onHelp} aria-label="Keys">
          ?
        </button>
      </div>
    </header>
  );
}
