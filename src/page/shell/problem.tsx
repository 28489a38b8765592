/** What could not be done or shown, and what helps. */
import type { ComponentChildren } from 'preact';
import type { DataError } from '../data/page-data.js';
import type { Address } from '../page-parts.js';
import { Link } from './link.jsx';
import { Prose } from './prose.jsx';

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
