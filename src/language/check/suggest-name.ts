/** Suggestions for misspelt names, limited in number. */
import { nearest } from '../../prelude/nearest.js';
import type { Diagnostic } from '../source/diagnostic.js';

/** More mistakes than this have another cause than misspelling. */
const READABLE = 200;

/**
 * The candidate nearest to a name, for a message that will be added to `diagnostics`. After many messages there are no
 * suggestions, because comparing every unknown name with every known one takes quadratic time.
 */
export function suggestName(
  diagnostics: readonly Diagnostic[],
  name: string,
  candidates: () => Iterable<string>,
): string | undefined {
  return diagnostics.length < READABLE ? nearest(name, candidates()) : undefined;
}
