/**
 * What is wrong with a program, as data. Stages make diagnostics, views draw them; nobody throws one.
 * The words of every code live in `catalogue/`, so that a message is worded in one place.
 */
import type { Span } from './source-file.js';
import type { Spelling } from './spelling.js';

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

/** What to do at the span of a message. A `guess` is offered, and made only when asked for. `anySpelling`: in YAML too. */
export type Repair = { readonly guess?: true; readonly anySpelling?: true } & (
  | { readonly instead: string }
  | { readonly before: string }
  | { readonly after: string }
  /** Both sides of the span. */
  | { readonly around: readonly [string, string] }
  /** The first whole word `replace` in the span or, failing that, after it on its line. */
  | { readonly replace: string; readonly by: string }
  /** `item` goes with the comma that parts it from its neighbor; `line` is the line where the span begins. */
  | { readonly remove: 'span' | 'line' | 'item' }
  /** Lines above or below that of the span, indented like it (`deeper`: one level more). */
  | { readonly above: string }
  | { readonly below: string; readonly deeper?: true }
  /** At the end of the line on which the span begins. */
  | { readonly endOfLine: string }
  /** The bracket or quote that the span opens: before an arrow, or else at the end of the line. */
  | { readonly close: string }
  /** A new line above the first one of the file that is neither blank nor a comment. */
  | { readonly top: string }
);

/** What a diagnostic says. */
export interface Words {
  /** A lower-case clause, names in backticks, saying what is wrong in the program. */
  readonly message: string;
  /** What is under the carets: why this place is to blame. */
  readonly label?: string;
  readonly labels?: readonly Label[];
  /** The rule that the message follows from. */
  readonly notes?: readonly string[];
  /** One next step, as code where it can be pasted. */
  readonly help?: string;
  readonly fix?: Fix;
  /** The help as an edit, where the place and the facts are enough to make it: `repair.ts` turns it into a fix. */
  readonly repair?: Repair;
}

/** What the words of a diagnostic were made of. Other stages read the facts, never the words. */
interface Origin {
  readonly facts: unknown;
  readonly words: (facts: unknown, spelling: Spelling) => Words;
}

export interface Diagnostic extends Words {
  readonly code: string;
  readonly severity: Severity;
  /** The smallest span to blame. */
  readonly span: Span;
  /** Absent where no definition of the catalogue made it, and outside of the compiler. */
  readonly origin?: Origin;
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
