/** A stand-in for name resolution: every name exists, and a value is looked up by the text in the braces. */
import type { ShellInterpolation } from '../../src/language/check/shell/text.js';
import type { Filter } from '../../src/machine/expression.js';

const INTERPOLATION = /\{([A-Za-z_]\w*(?:\.\w+|\[\d+\]|\([^(){}]*\))*)(\*?)(?::(json|int|path|file))?\}/y;

/** Reads interpolations of one text. Braces around the names in `unknown` are left to the shell. */
export function interpolationsOf(text: string, unknown: readonly string[] = []) {
  return (at: number): ShellInterpolation | null => {
    INTERPOLATION.lastIndex = at;
    const match = INTERPOLATION.exec(text);
    if (match === null) return null;
    const [source, name, star, filter] = match;
    if (unknown.includes(name as string)) return null;
    return {
      end: INTERPOLATION.lastIndex,
      list: star === '*',
      hole: {
        value: { op: 'read', name: name as string, places: [] },
        source,
        ...(filter === undefined ? {} : { filter: filter as Filter }),
      },
    };
  };
}
