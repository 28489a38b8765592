/**
 * How a code of the catalogue is defined. A definition is called with the place and the facts, and gives the
 * diagnostic; the words stand only here. Defining registers the code, so that a test can ask for all of them.
 */
import type { Diagnostic, Repair, Severity, Words } from '../diagnostic.js';
import type { Span } from '../source-file.js';
import { type Spelling, textSpelling } from '../spelling.js';

/** A suggestion in place of the name that was written, or else what to do without one. */
export function didYouMean(
  written: string,
  near: string | undefined,
  otherwise: string,
): { readonly help: string; readonly repair?: Repair } {
  if (near === undefined) return { help: otherwise };
  return { help: `did you mean \`${near}\`?`, repair: { replace: written, by: near } };
}

/** A name that resembles the one that was written, where there is one. */
export interface Near {
  readonly near?: string | undefined;
}

/** Names as code, separated by commas. */
export function list(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

const codes = new Map<string, Severity>();

/** Called with the place and the facts, it gives the diagnostic. */
interface Definition<Facts> {
  (span: Span, facts: Facts): Diagnostic;
  /** What a diagnostic of this definition was made of; null for any other diagnostic. */
  factsOf(diagnostic: Diagnostic): Facts | null;
}

/**
 * Defines a code. Its facts are one object, so that a call reads like a sentence. `words` are asked for the words of a
 * workflow file too: where those quote code that differs there, they take it from the spelling.
 */
export function message<Facts = Record<string, never>>(
  code: string,
  severity: Severity,
  words: (facts: Facts, spelling: Spelling) => Words,
): Definition<Facts> {
  codes.set(code, severity);
  const wordsOf = words as (facts: unknown, spelling: Spelling) => Words;
  const define = (span: Span, facts: Facts): Diagnostic => ({
    code,
    severity,
    span,
    ...words(facts, textSpelling),
    origin: { facts, words: wordsOf },
  });
  const factsOf = ({ origin }: Diagnostic): Facts | null =>
    origin?.words === wordsOf ? (origin.facts as Facts) : null;
  return Object.assign(define, { factsOf });
}

/** Every code defined so far with its severity, sorted by name. */
export function definedCodes(): ReadonlyMap<string, Severity> {
  return new Map([...codes].sort(([a], [b]) => (a < b ? -1 : 1)));
}
