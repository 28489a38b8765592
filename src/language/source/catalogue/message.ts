/**
 * Defines codes of the catalogue. A definition is a function from a location and facts to a diagnostic. Defining a code
 * registers it, so that a test can list all codes.
 */
import { isMisspelling } from '../../../prelude/nearest.js';
import type { Diagnostic, Repair, Severity, Span, Words } from '../diagnostic.js';
import { type Spelling, textSpelling } from '../diagnostic.js';

/**
 * A suggestion for the written name, or else another next step. `words`: all words that are possible there, if the language
 * defines them. Other names are chosen by the author, so that only the author knows which one is meant.
 */
export function didYouMean(
  written: string,
  near: string | undefined,
  otherwise: string,
  words?: readonly string[],
): { readonly help: string; readonly repair?: Repair } {
  if (near === undefined) return { help: otherwise };
  const isSure = words !== undefined && isMisspelling(written, near, words);
  const repair = { replace: written, by: near } as const;
  return { help: `did you mean \`${near}\`?`, repair: isSure ? repair : { ...repair, guess: true } };
}

/** A name that resembles the written one, if there is one. */
export interface Near {
  readonly near?: string | undefined;
}

/** Names in backticks, separated by commas. */
export function list(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(', ');
}

const codes = new Map<string, Severity>();

/** Returns the diagnostic for a location and its facts. */
interface Definition<Facts> {
  (span: Span, facts: Facts): Diagnostic;
  /** The facts of a diagnostic of this definition; null for any other diagnostic. */
  factsOf(diagnostic: Diagnostic): Facts | null;
}

/**
 * Defines a code. Its facts are one object, so that a call reads like a sentence. `words` also produces the wording for
 * workflow files: code that differs there comes from the spelling.
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
