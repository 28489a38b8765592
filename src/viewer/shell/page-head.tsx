/** The head of the page: where one is, and what leads elsewhere. */
import { visibleLine } from '../../views/drawing/visible-text.js';
import { usePage } from '../page-parts.js';
import { Link } from './link.jsx';

export function PageHead({ onHelp }: { readonly onHelp: () => void }) {
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
            <span class="mono crumb" title={visibleLine(run)}>
              {visibleLine(run)}
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
