/** Suggestions for misspelt names, as long as somebody can still be reading them. */
import type { Diagnostic } from '../source/diagnostic.js';
import { nearest } from '../source/suggest.js';

/** A text with more mistakes than this has another cause than misspelling. */
const READABLE = 200;

/**
 * The candidate nearest to a name, for a message that joins `diagnostics`. After many messages there are no
 * suggestions: comparing every unknown name with every known one would take the square of the program.
 */
export function suggestName(
  diagnostics: readonly Diagnostic[],
  name: string,
  candidates: () => Iterable<string>,
): string | undefined {
  return diagnostics.length < READABLE ? nearest(name, candidates()) : undefined;
}
