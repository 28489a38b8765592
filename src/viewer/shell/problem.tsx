/** What could not be done or shown, and what helps. */
import type { ComponentChildren } from 'preact';
import type { DataError } from '../data/run-data.js';

interface ProblemProps {
  readonly of: DataError;
  /** What comes before the message. */
  readonly children?: ComponentChildren;
}

export function Problem({ of: { message, help }, children }: ProblemProps) {
  return (
    <p class="problem" role="alert">
      {children}
      {message}
      {help !== null && `. ${help}`}
    </p>
  );
}
