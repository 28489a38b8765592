/**
 * What is wrong with a program, as data. Stages make diagnostics, views draw them; nobody throws one.
 * The words of every code live in `catalogue.ts`, so that a message is worded in one place.
 */
import type { Repair } from './repair.js';
import type { Span } from './source-file.js';

export type Severity = 'error' | 'warning' | 'note';

/** A second place that explains the first. */
export interface Label {
  readonly span: Span;
  readonly text: string;
}

/** Replace the span by the text. */
export interface Edit {
  readonly span: Span;
  readonly text: string;
}

/** An edit that mends the program. */
export interface Fix extends Edit {
  /** Further edits that belong to it: all of them, or none. */
  readonly also?: readonly Edit[];
  /** It may not be what its author means, or leaves something to fill in: editors offer it, and `--fix` leaves it alone. */
  readonly guess?: true;
}

export interface Diagnostic {
  readonly code: string;
  readonly severity: Severity;
  /** A lower-case clause, names in backticks, saying what is wrong in the program. */
  readonly message: string;
  /** The smallest span to blame. */
  readonly span: Span;
  /** What stands under the carets: why this place is to blame. */
  readonly label?: string;
  readonly labels?: readonly Label[];
  /** The rule behind the message. */
  readonly notes?: readonly string[];
  /** One next step, as code where it can be pasted. */
  readonly help?: string;
  readonly fix?: Fix;
  /** The fix before the text is at hand: see `repair.ts`. */
  readonly repair?: Repair;
}

/** Sorts by place and drops exact repetitions (same code, same span), as readers expect. */
export function sortDiagnostics(list: readonly Diagnostic[]): Diagnostic[] {
  const seen = new Set<string>();
  return [...list]
    .sort((a, b) => a.span.file - b.span.file || a.span.start - b.span.start || a.span.end - b.span.end)
    .filter((d) => {
      const key = `${d.code}:${d.span.file}:${d.span.start}:${d.span.end}`;
      if (seen.has(key)) return false;
      seen.add(key);
      return true;
    });
}

export function hasErrors(list: readonly Diagnostic[]): boolean {
  return list.some((d) => d.severity === 'error');
}
