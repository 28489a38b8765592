/** What could not be done or shown, and what helps. */
import type { ComponentChildren } from 'preact';
import { visibleLine } from '../../views/drawing/visible-text.js';
import type { DataError } from '../data/page-data.js';
import { type Address, usePage } from '../page-parts.js';

interface ProblemProps {
  readonly of: DataError;
  /** What comes before the message. */
  readonly children?: ComponentChildren;
}

export function Problem({ of: { message, help }, children }: ProblemProps) {
  const next = nextStep(help);
  return (
    <p class="problem" role="alert">
      {children}
      <Prose text={children === undefined ? asSentence(message) : message} />
      {next !== null && next.to === undefined && <Prose text={`. ${asSentence(next.text)}.`} />}
      {next?.to !== undefined && (
        <>
          {'. '}
          <Link to={next.to}>{asSentence(next.text)}</Link>.
        </>
      )}
    </p>
  );
}

const asSentence = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** A sentence, or the words of a link. */
interface NextStep {
  readonly text: string;
  /** Where the link leads. */
  readonly to?: Address;
}

const ROUTE = '/api/v1/';
const EARLIER = /^(.*): `GET \/api\/v1\/runs\/([0-9a-f-]+)\?at=(\d+)`$/;

export function nextStep(help: string | null): NextStep | null {
  if (help === null) return null;
  const [, text, run, event] = EARLIER.exec(help) ?? [];
  if (text !== undefined && run !== undefined && event !== undefined) return { text, to: { run, query: { event } } };
  return help.includes(ROUTE) ? null : { text: help };
}

interface LinkProps {
  readonly to: Address;
  readonly class?: string;
  readonly title?: string;
  readonly label?: string;
  readonly children: ComponentChildren;
}

/** A link inside of the page. With Ctrl, Shift or another button the browser opens it as it opens every link. */
export function Link({ to, class: className, title, label, children }: LinkProps) {
  const { router } = usePage();
  return (
    <a
      href={router.href(to)}
      class={className}
      title={title}
      aria-label={label}
      onClick={(event) => {
        if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        router.go(to);
      }}
    >
      {children}
    </a>
  );
}

/** A sentence in which names and commands are set in backticks, as messages have them. What could deceive is made visible. */
export function Prose({ text }: { readonly text: string }) {
  const parts = visibleLine(text).split(/`([^`]+)`/);
  return <>{parts.map((part, at) => (at % 2 === 0 ? part : <code key={at}>{part}</code>))}</>;
}
