/** Finds what two readers of a JSON text could understand differently, and what the parser does not tell. */

/**
 * A clause about the first member that an object has twice, or about too many levels; null: there is none. A text that is
 * not JSON is left to the parser.
 */
export function ambiguityIn(text: string, mostLevels = Number.POSITIVE_INFINITY): string | null {
  /** The names of each object around the position; null for a list. */
  const around: (Set<string> | null)[] = [];
  /** The name before a string that is not one is that of a member. */
  let isName = false;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE: {
        const end = endOfString(text, at);
        const names = around.at(-1) ?? null;
        if (isName && names !== null) {
          const name = nameOf(text.slice(at, end + 1));
          if (name !== null && names.has(name)) return `has the member \`${name}\` twice`;
          if (name !== null) names.add(name);
        }
        isName = false;
        at = end;
        break;
      }
      case OPEN_OBJECT:
      case OPEN_LIST:
        isName = text.charCodeAt(at) === OPEN_OBJECT;
        around.push(isName ? new Set() : null);
        if (around.length > mostLevels) return `is nested deeper than ${mostLevels} levels`;
        break;
      case CLOSE_OBJECT:
      case CLOSE_LIST:
        around.pop();
        break;
      case COMMA:
        isName = true;
        break;
    }
  }
  return null;
}

const [QUOTE, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT, BACKSLASH] = [...'",[]{}\\'].map((one) =>
  one.charCodeAt(0),
);

/** Where the quote is that ends the string; the end of the text if none does. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

function nameOf(literal: string): string | null {
  try {
    return JSON.parse(literal) as string;
  } catch {
    return null;
  }
}
