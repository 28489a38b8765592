/**
 * A first look at YAML by its tokens alone, which no nesting can break: where its comments are, whether it is
 * nested too deep to be read, and a spelling that people use although YAML has no such thing.
 */
import yaml from 'yaml';

const DEEPEST_BRACKETS = 60;
const DEEPEST_COLUMN = 240;
const MOST_DASHES = 60;

interface ScannedYaml {
  /** As long as the original, and the same but for `session: from: x`. */
  readonly text: string;
  readonly comments: readonly { readonly start: number; readonly text: string }[];
  /** The offset where it goes too deep, or null. */
  readonly tooDeep: number | null;
}

export function scanYaml(source: string): ScannedYaml {
  const comments: { start: number; text: string }[] = [];
  const colons: number[] = [];
  /** Tokens of this line but for spaces, to find `session: from:`. */
  let line: { text: string; start: number }[] = [];
  let at = 0;
  let brackets = 0;
  let dashes = 0;
  let lineStart = 0;
  let scalar = false;
  for (const token of new yaml.Lexer().lex(source)) {
    // These announce what follows and cover no character: a document, the end of one in braces, a scalar.
    if (token === '\u0002' || token === '\u0018' || token === '\u001f') {
      scalar = token === '\u001f';
      continue;
    }
    const text = scalar;
    scalar = false;
    const start = at;
    at += token.length;
    if (!text && (token === '\n' || token === '\r\n')) {
      line = [];
      dashes = 0;
      lineStart = at;
      continue;
    }
    if (!text && /^[ \t]*$/.test(token)) continue;
    if (!text && token[0] === '#') {
      comments.push({ start, text: token.trimEnd() });
      continue;
    }
    if (!text) {
      if (token === '{' || token === '[') brackets++;
      else if (token === '}' || token === ']') brackets--;
      else if (token === '-' || token === '?') dashes++;
    }
    const column = line.length === 0 && brackets === 0 ? start - lineStart : 0;
    if (brackets > DEEPEST_BRACKETS || dashes > MOST_DASHES || column > DEEPEST_COLUMN)
      return { text: source, comments, tooDeep: start };
    line.push({ text: token, start });
    if (line.length > 5) line.shift();
    const colon = twoKeys(line);
    if (colon !== null) colons.push(colon);
    // A block scalar ends after a line end that is no token of its own.
    if (text && token.endsWith('\n')) {
      line = [];
      dashes = 0;
      lineStart = at;
    }
  }
  return { text: withSigns(source, colons), comments, tooDeep: null };
}

/** The second colon of `session: from: x`, once its value is there. */
function twoKeys(line: readonly { readonly text: string; readonly start: number }[]): number | null {
  const [session, first, from, second, value] = line;
  const found =
    session?.text === 'session' &&
    first?.text === ':' &&
    (from?.text === 'from' || from?.text === 'reuse') &&
    second?.text === ':';
  return found && value !== undefined && /^[\w"'-]/.test(value.text) ? second.start : null;
}

/** `session: from= x` is a plain text that the reader of sessions knows, and every place stays what it was. */
function withSigns(source: string, colons: readonly number[]): string {
  if (colons.length === 0) return source;
  const pieces: string[] = [];
  let at = 0;
  for (const colon of colons) {
    pieces.push(source.slice(at, colon), '=');
    at = colon + 1;
  }
  return pieces.join('') + source.slice(at);
}
