/** What could not be done or shown, and what helps. */
import type { ComponentChildren } from 'preact';
import type { DataError } from '../data/run-data.js';
import { Link } from './link.jsx';
import { nextStep } from './next-step.js';
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
