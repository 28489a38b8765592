/**
 * How a code of the catalogue is defined. A definition is called with the place and the facts, and gives the
 * diagnostic; the words stand only here. Defining registers the code, so that a test can ask for all of them.
 */
import type { Diagnostic, Fix, Label, Severity } from '../diagnostic.js';
import type { Repair } from '../repair.js';
import type { Span } from '../source-file.js';

/** What a code says, given its facts. */
export interface Words {
  readonly message: string;
  readonly label?: string;
  readonly labels?: readonly Label[];
  readonly notes?: readonly string[];
  readonly help?: string;
  readonly fix?: Fix;
  /** The help as an edit, where the place and the facts are enough to make it. */
  readonly repair?: Repair;
}

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

/** Defines a code. Its facts are one object, so that a call reads like a sentence. */
export function message<Facts = Record<string, never>>(
  code: string,
  severity: Severity,
  words: (facts: Facts) => Words,
): (span: Span, facts: Facts) => Diagnostic {
  codes.set(code, severity);
  return (span, facts) => ({ code, severity, span, ...words(facts) });
}

/** Every code defined so far with its severity, sorted by name. */
export function definedCodes(): ReadonlyMap<string, Severity> {
  return new Map([...codes].sort(([a], [b]) => (a < b ? -1 : 1)));
}
