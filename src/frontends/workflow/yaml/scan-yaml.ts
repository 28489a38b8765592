/**
 * A first pass over YAML that uses only tokens, so that no nesting can break it. Finds comments, nesting that is too
 * deep to parse, and a common form that is not valid YAML.
 */
import yaml from 'yaml';

const DEEPEST_BRACKETS = 60;
const DEEPEST_COLUMN = 240;
const MOST_DASHES = 60;

interface ScannedYaml {
  /** The text with `session: from: x` replaced. It has the length of the original. */
  readonly text: string;
  readonly comments: readonly { readonly start: number; readonly text: string }[];
  /** The offset at which it is nested too deeply, or null. */
  readonly tooDeep: number | null;
}

export function scanYaml(source: string): ScannedYaml {
  const comments: { start: number; text: string }[] = [];
  const colons: number[] = [];
  /** The tokens of this line without spaces, to find `session: from:`. */
  let line: { text: string; start: number }[] = [];
  let at = 0;
  let brackets = 0;
  let dashes = 0;
  let lineStart = 0;
  let scalar = false;
  for (const token of new yaml.Lexer().lex(source)) {
    // Tokens without characters, which only announce a document, the end of one in braces, or a scalar.
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
    // A block scalar ends after a line end that is not a separate token.
    if (text && token.endsWith('\n')) {
      line = [];
      dashes = 0;
      lineStart = at;
    }
  }
  return { text: withSigns(source, colons), comments, tooDeep: null };
}

/** The second colon of `session: from: x`, after its value was read. */
function twoKeys(line: readonly { readonly text: string; readonly start: number }[]): number | null {
  const [session, first, from, second, value] = line;
  const found =
    session?.text === 'session' &&
    first?.text === ':' &&
    (from?.text === 'from' || from?.text === 'reuse') &&
    second?.text === ':';
  return found && value !== undefined && /^[\w"'-]/.test(value.text) ? second.start : null;
}

/** `session: from= x` is a plain text, which the reader of sessions recognizes. All offsets stay the same. */
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
