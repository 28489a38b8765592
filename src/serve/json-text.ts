/**
 * What the parser of JSON would not report about the body of a request: a name that comes twice, of which it takes the last
 * (a proxy that reads the request may take the first), and nesting that would exhaust the stack of what reads the value.
 */
import { MAX_DEPTH } from '../interpreter/values/value.js';

/** Values are members of the body, or members of a member. */
const MOST_LEVELS = MAX_DEPTH + 2;

/** A clause about the first such thing; null: there is none. A text that is not JSON is left to the parser. */
export function jsonProblem(text: string): string | null {
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
        if (around.length > MOST_LEVELS) return `is nested deeper than ${MOST_LEVELS} levels`;
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
