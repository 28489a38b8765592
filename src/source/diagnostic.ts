/**
 * What is wrong with a program, as data. Stages make diagnostics, views draw them; nobody throws one.
 * The words of every code live in `catalogue.ts`, so that a message is worded in one place.
 */
import type { Span } from './source-file.js';

export type Severity = 'error' | 'warning' | 'note';

/** A second place that explains the first. */
export interface Label {
  readonly span: Span;
  readonly text: string;
}

/** An edit that mends the program: replace the span by the text. */
export interface Fix {
  readonly span: Span;
  readonly text: string;
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
