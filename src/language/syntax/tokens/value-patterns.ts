/** The token patterns of values: quotes, brackets, `=value`, notes, and the words of WAIT. */
import { computedEnd, dataReferenceEnd, interpolationEnd, quotedEnd } from './interpolation-scan.js';
import { arrowLength, fieldAhead, lineBreak, logicalEnd, trimmedEnd } from './line-patterns.js';
import type { Matcher, Token } from './token.js';
import { deepestBrackets, matchTo, mostArrows, none, scan, starting } from './token.js';
import { actionFollows } from './verbs.js';

export const quoted = starting(`"'`, (text, at) => {
  const c = text[at];
  return c === '"' || c === "'" ? matchTo(at, quotedEnd(text, at)) : none;
});

export const unclosedQuote = starting(`"'`, (text, at) => {
  const c = text[at];
  return c === '"' || c === "'" ? matchTo(at, trimmedEnd(text, at + 1, lineBreak(text, at))) : none;
});

export const bracedTarget = starting('{', (text, at) => matchTo(at, interpolationEnd(text, at)));

/** In a text a value is in braces, so authors write them around an expression, too. */
export const braced = starting('{', (text, at) => {
  const end = interpolationEnd(text, at);
  return matchTo(at, end < 0 ? computedEnd(text, at) : end);
});

export function openBracket(bracket: string): Matcher {
  return starting(bracket, (text, at) => {
    if (text[at] !== bracket || scan.depth >= deepestBrackets) return none;
    scan.depth++;
    return matchTo(at, at + 1);
  });
}

const optionAhead = /\[[ \t]*[A-Za-z_]\w*[ \t]*=(?!=)/y;

export const loopOptions = starting('[', (text, at) => {
  optionAhead.lastIndex = at;
  if (scan.verb !== 'FOR EACH' || scan.depth > 0 || !optionAhead.test(text)) return none;
  scan.depth++;
  return matchTo(at, at + 1);
});

export function closeBracket(bracket: string): Matcher {
  return starting(bracket, (text, at) => {
    if (text[at] !== bracket) return none;
    scan.depth = Math.max(0, scan.depth - 1);
    return matchTo(at, at + 1);
  });
}

/** An opening bracket beyond the limit. The token includes the rest of the line. */
export const tooDeep: Matcher = (text, at) => {
  const c = text[at] ?? ' ';
  const deep = '([{'.includes(c) && scan.depth >= deepestBrackets;
  return deep || (scan.arrows >= mostArrows && arrowLength(text, at) > 0) ? matchTo(at, logicalEnd(text, at)) : none;
};

/** The word after `>`: a file name, which may contain quotes and braces. */
export const target: Matcher = (text, at) => matchTo(at, valueEnd(text, at));

/** `=value` of an option or of an event's field: up to a space outside of quotes and braces. */
export const assigned = starting('=', (text, at) => {
  if (text[at] !== '=') return none;
  return matchTo(at, valueEnd(text, at + 1));
});

function valueEnd(text: string, start: number): number {
  const first = text[start];
  if (first === '"' || first === "'") {
    const end = quotedEnd(text, start);
    if (end > 0) return text[end] === ',' && scan.verb === 'ASK' ? bareValueEnd(text, start) : end;
  }
  // `choices=["a", "b"]`
  const list = first === '[' && scan.verb === 'ASK' ? bracketEnd(text, start) : -1;
  if (list > 0) return list;
  return bareValueEnd(text, start);
}

/** Verbs with options that a colon may follow. */
const colonVerbs: ReadonlySet<string> = new Set(['DO', 'FOR EACH', 'STEP', 'EACH']);
/** Verbs with values that never contain an unquoted comma. */
const listVerbs: ReadonlySet<string> = new Set(['STEP', 'CONTEXT', 'SESSION', 'AGENT', 'EACH']);

function bareValueEnd(text: string, start: number): number {
  const endsHeader = colonVerbs.has(scan.verb) && !scan.header;
  for (let i = start; i < text.length; i++) {
    const c = text[i] as string;
    const interpolated = c === '{' ? interpolationEnd(text, i) : -1;
    if (interpolated > 0) i = interpolated - 1;
    else if (c === '"') {
      const end = quotedEnd(text, i);
      if (end > 0) i = end - 1;
    } else if (scan.verb === 'EMIT' && (c === '(' || c === '[' || c === '{')) {
      const end = bracketEnd(text, i);
      if (end > 0) i = end - 1;
    } else if (c === ' ' || c === '\t' || c === '\n' || c === '\r') {
      const end = noteOfField(text, i);
      if (end < 0) return i;
      i = end - 1;
    } else if (c === ']' && (scan.depth > 0 || scan.header)) return i;
    else if (c === '\\' && /^[ \t]*\r?\n/.test(text.slice(i + 1, i + 8))) return i;
    else if (c === ':' && endsHeader && /^\s|^$/.test(text.slice(i + 1, i + 2))) return i;
    else if (c === ',' && valueStops(text, i)) return i;
  }
  return text.length;
}

/** The maximum length of a bracket. The limit keeps lines with many open brackets linear. */
const longestBracket = 200;

/**
 * The end of a bracket in the text of an event, such as `[1, 2]` or `{"n": 1}`, if it closes on its line within the
 * limit; else -1.
 */
function bracketEnd(text: string, at: number): number {
  const limit = Math.min(text.length, at + longestBracket);
  const closing: string[] = [];
  for (let i = at; i < limit; i++) {
    const c = text[i] as string;
    if (c === '\n') return -1;
    if (c === '(') closing.push(')');
    else if (c === '[') closing.push(']');
    else if (c === '{') closing.push('}');
    else if (c === ')' || c === ']' || c === '}') {
      if (closing.pop() !== c) return -1;
      if (closing.length === 0) return i + 1;
    }
  }
  return -1;
}

/** The end of `(…)` after the last field of an event, which belongs to the field's text, as in RETURN; else -1. */
function noteOfField(text: string, at: number): number {
  if (scan.verb !== 'EMIT' || scan.depth > 0) return -1;
  const start = skipBlanks(text, at);
  if (text[start] !== '(') return -1;
  const end = bracketEnd(text, start);
  return end > 0 && noteMayEnd(text, end) ? end : -1;
}

function valueStops(text: string, comma: number): boolean {
  const next = text[comma + 1] ?? ' ';
  if (/\s/.test(next) || listVerbs.has(scan.verb)) return true;
  if (scan.inList && actionFollows(text, comma + 1)) return true;
  if (scan.verb !== 'EMIT') return false;
  fieldAhead.lastIndex = comma + 1;
  return fieldAhead.test(text);
}

const noteVerbs: ReadonlySet<string> = new Set(['STATE', 'TRACK', 'WAIT', 'GOTO', 'INPUT', 'FOR EACH', 'DO']);
const operandEnd = /[\w"'\])}?]/;

/**
 * A parenthesis at the end of the line, after a space or after the name that belongs to the verb: a note. After an
 * operator, or if anything except another note follows, it is part of the expression.
 */
export const note: Matcher = (text, at, tokens) => {
  if (text[at] !== '(' || scan.depth > 0 || !noteVerbs.has(scan.verb)) return none;
  const last = tokens[tokens.length - 1];
  if (!' \t)]:'.includes(text[at - 1] ?? '') && !endsNamed(last)) return none;
  if (last !== undefined && !isOperandEnd(last)) return none;
  const end = balancedNote(text, at);
  if (end < 0) return none;
  return noteMayEnd(text, end) ? matchTo(at, end) : none;
};

const passedNames = /\(\s*(?:\)|[A-Za-z_]\w*\s*(?:[,)]|=(?!=)|$))/my;
const passedValue = /\(\s*(?!(?:max|quorum)\b)[A-Za-z_]\w*\s*=(?!=)/iy;

/** The `(` of `PATTERN: P(a, b)`, `USE: P(a=1)` and `GOTO: A(x=1)`. Other parentheses after a state are a note. */
export const passOpen = starting('(', (text, at, tokens) => {
  if (text[at] !== '(' || tokens[tokens.length - 1]?.tokenType.name !== 'Word') return none;
  if (scan.verb !== 'PATTERN' && scan.verb !== 'USE' && scan.verb !== 'GOTO') return none;
  const names = scan.verb === 'GOTO' ? passedValue : passedNames;
  names.lastIndex = at;
  if (!names.test(text)) return none;
  scan.depth++;
  return matchTo(at, at + 1);
});

/** The name that belongs to a verb, or the value of an INPUT: neither can be called. */
function endsNamed(last: Token | undefined): boolean {
  const name = last?.tokenType.name;
  return name === 'Word' || (scan.verb === 'INPUT' && name !== 'Name');
}

function isOperandEnd(last: Token): boolean {
  const name = last.tokenType.name;
  if (name === 'And' || name === 'Or' || name === 'Not' || name === 'Relation' || name === 'With' || name === 'By')
    return false;
  return operandEnd.test(last.image[last.image.length - 1] ?? '');
}

/** Notes are prose: only parentheses count in them, and apostrophes are not quotes. */
function balancedNote(text: string, at: number): number {
  let depth = 0;
  const limit = Math.min(text.length, at + 1000);
  for (let i = at; i < limit; i++) {
    const c = text[i];
    if (c === '\n') return -1;
    if (c === '(') depth++;
    else if (c === ')' && --depth === 0) return i + 1;
  }
  return -1;
}

const noteEnd = /[ \t]*(?:\(|\[|:?[ \t]*(?:\r?\n|$)|:?[ \t]{2,}#[ \r\n]|\\[ \t]*\r?\n)/y;

function noteMayEnd(text: string, end: number): boolean {
  noteEnd.lastIndex = end;
  if (noteEnd.test(text)) return true;
  return scan.inList && text[end] === ',' && actionFollows(text, end + 1);
}

const durationRun = /(?:[\d.]*\{|[\d.]+)/y;

/** A duration alone after WAIT, or before its time-out: `5s`, `{pause}`, `{n}s`. */
export const waitDuration: Matcher = (text, at) => {
  // Nothing begins in the middle of text that could not be read, and trying at each character would take quadratic
  // time.
  if (scan.verb !== 'WAIT' || /[\w.}]/.test(text[at - 1] ?? '')) return none;
  durationRun.lastIndex = at;
  if (!durationRun.test(text)) return none;
  let end = at;
  while (end < text.length) {
    const c = text[end] as string;
    if (c === '{') {
      const close = interpolationEnd(text, end);
      if (close < 0) return none;
      end = close;
    } else if (/[\w.]/.test(c)) end++;
    else break;
  }
  waitEnd.lastIndex = end;
  return waitEnd.test(text) || (scan.inList && text[end] === ',') ? matchTo(at, end) : none;
};
const waitEnd = /[ \t]*(?:\r?\n|$)|[ \t]+\(|[ \t]{2,}#[ \r\n]/y;

const timeoutStart = /(?:(?:OR|or|\|\||AND|and|&&)[ \t]+)?timeout[ \t]*=(?!=)/y;
const everyStart = /\[?[ \t]*every[ \t]*=/y;

/** `OR timeout=30s` of a WAIT, including the value. */
export const timeout = starting('OoAa|&t', (text, at) => {
  if (scan.verb !== 'WAIT' || scan.depth > 0) return none;
  timeoutStart.lastIndex = at;
  if (!timeoutStart.test(text)) return none;
  return matchTo(at, valueEnd(text, skipBlanks(text, timeoutStart.lastIndex)));
});

/** `every=1s` or `[every=1s]` of a WAIT. */
export const every = starting('[ \te', (text, at) => {
  if (scan.verb !== 'WAIT' || scan.depth > 0) return none;
  everyStart.lastIndex = at;
  if (!everyStart.test(text)) return none;
  const bracket = text[at] === '[';
  if (bracket) scan.depth = 1;
  let end = valueEnd(text, skipBlanks(text, everyStart.lastIndex));
  scan.depth = 0;
  if (bracket) {
    const close = skipBlanks(text, end);
    if (text[close] === ']') end = close + 1;
  }
  return matchTo(at, end);
});

function skipBlanks(text: string, at: number): number {
  let end = at;
  while (text[end] === ' ' || text[end] === '\t') end++;
  return end;
}

/** `†kind.path["key"][0]`, even if the last segment is missing, so that the message marks all of it. */
export const dataReference: Matcher = (text, at) => matchTo(at, dataReferenceEnd(text, at));
