/** The token patterns of lines: line ends and comments, verbs, and separators in lists of actions. */
import { quotedEnd } from './interpolation-scan.js';
import { closeFrames, openFrame } from './lexer-frames.js';
import type { Matcher } from './token.js';
import { letters, matchTo, mostArrows, none, scan, starting } from './token.js';
import { actionFollows, type FoundVerb, isTextVerb, readVerb, type Verb } from './verbs.js';

export const newline = starting('\r\n', (text, at) => {
  const c = text[at];
  if (c !== '\n' && !(c === '\r' && text[at + 1] === '\n')) return none;
  scan.inList = false;
  scan.verb = '';
  scan.depth = 0;
  scan.arrows = 0;
  scan.header = false;
  scan.passing = false;
  const end = c === '\n' ? at + 1 : at + 2;
  if (scan.frame !== null) closeFrames(text, end);
  return matchTo(at, end);
});

/** Two spaces and `# ` outside of brackets. The token starts with the spaces. */
export const endComment = starting(' \t', (text, at) => {
  if (scan.depth > 0 || (text[at] !== ' ' && text[at] !== '\t')) return none;
  return commentAhead(text, at) ? matchTo(at, lineBreak(text, at)) : none;
});

export function commentAhead(text: string, at: number): boolean {
  const end = blanksEnd(text, at);
  return end - at >= 2 && text[end] === '#' && (end + 1 === text.length || ' \r\n'.includes(text[end + 1] as string));
}

let blankText = '';
let blankFrom = -1;
let blankEnd = -1;

/** Where the spaces and tabs at `at` end. The last result is cached: many ask at each of the spaces in a row. */
function blanksEnd(text: string, at: number): number {
  if (at < blankFrom || at > blankEnd || text !== blankText) {
    blankText = text;
    blankFrom = at;
    for (blankEnd = at; text[blankEnd] === ' ' || text[blankEnd] === '\t'; ) blankEnd++;
  }
  return blankEnd;
}

export function lineBreak(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  if (end < 0) return text.length;
  return end > at && text[end - 1] === '\r' ? end - 1 : end;
}

let endedText = '';
let endedFrom = -1;
let endedAt = -1;

/**
 * The end of the logical line of `at`: the first line end that is not escaped by an odd number of backslashes. The last
 * result is cached, because it is needed for every action of a long list.
 */
export function logicalEnd(text: string, at: number): number {
  if (at < endedFrom || at > endedAt || text !== endedText) {
    endedAt = findLogicalEnd(text, at);
    endedText = text;
    endedFrom = at;
  }
  return endedAt;
}

function findLogicalEnd(text: string, at: number): number {
  for (let end = lineBreak(text, at); ; end = lineBreak(text, text.indexOf('\n', end) + 1)) {
    if (end >= text.length || !joins(text, at, end)) return end;
  }
}

function joins(text: string, from: number, end: number): boolean {
  let count = 0;
  for (let i = end - 1; i >= from && text[i] === '\\'; i--) count++;
  return count % 2 === 1;
}

export function trimmedEnd(text: string, at: number, end: number): number {
  let last = end;
  while (last > at && (text[last - 1] === ' ' || text[last - 1] === '\t' || text[last - 1] === '\r')) last--;
  return last;
}

// ---- verbs and lists --------------------------------------------------------------------------------

let classifiedText = '';
let classifiedAt = -1;
let classifiedInList = false;
let classified: FoundVerb | null = null;

/** The verb at this position. Called for every verb token, so the last result is cached. */
function classify(text: string, at: number): FoundVerb | null {
  if (at !== classifiedAt || scan.inList !== classifiedInList || text !== classifiedText) {
    classifiedText = text;
    classifiedAt = at;
    classifiedInList = scan.inList;
    classified = readVerb(text, at, scan.inList);
  }
  return classified;
}

export function verbPattern(verb: Verb): Matcher {
  const opensList = verb === 'ELSE' || verb === 'DEFAULT' || verb === 'ON ERROR';
  // A misspelt verb counts too, so any letter may begin it.
  return starting(letters, (text, at) => {
    const found = classify(text, at);
    if (found === null || found.verb !== verb) return none;
    scan.verb = verb;
    scan.header = verb === 'DO' || verb === 'UNDO' || verb === 'CHECK' || verb === 'CALL' || verb === 'PLAN';
    if (verb === 'STEP') openFrame('step', text, at);
    if (opensList) scan.inList = true;
    return matchTo(at, found.end);
  });
}

/** The arrow after a condition. An action list follows. */
export const arrow: Matcher = (text, at) => {
  const length = arrowLength(text, at);
  if (length === 0 || scan.arrows >= mostArrows) return none;
  if (scan.verb !== 'IF' && scan.verb !== 'ELSE IF') return none;
  // An arrow is never part of a condition, so an open bracket is an unclosed one.
  scan.depth = 0;
  scan.inList = true;
  scan.arrows++;
  return matchTo(at, at + length);
};

/** An optional arrow after `ELSE`, `DEFAULT:` and `ON ERROR:`. */
export const branchArrow: Matcher = (text, at) => {
  const length = arrowLength(text, at);
  return length > 0 ? matchTo(at, at + length) : none;
};

export function arrowLength(text: string, at: number): number {
  if (text[at] === '→') return 1;
  return text[at] === '-' && text[at + 1] === '>' ? 2 : 0;
}

/** Arrows of other languages. */
const otherArrow = /(?:[=~]+>|--+>|[⇒➜⟶➔➡➝➞⟹↦⇾]\uFE0F?|then(?!\w)|THEN(?!\w))[ \t]*/y;

/** The spaces before a verb if an arrow is missing there, with the text in its position. */
export const missingArrow = starting(' \t', (text, at) => {
  if ((text[at] !== ' ' && text[at] !== '\t') || scan.depth > 0) return none;
  if ((scan.verb !== 'IF' && scan.verb !== 'ELSE IF') || scan.arrows >= mostArrows) return none;
  let end = at;
  while (text[end] === ' ' || text[end] === '\t') end++;
  otherArrow.lastIndex = end;
  const instead = otherArrow.test(text);
  if (instead) end = otherArrow.lastIndex;
  if (!actionFollows(text, end) && !(instead && lineBreak(text, end) === end)) return none;
  scan.inList = true;
  scan.arrows++;
  return matchTo(at, end);
});

/** `name=` or `[name=` after a comma: the event continues. */
export const fieldAhead = /(?:[ \t]|\\[ \t]*\r?\n)*\[?[ \t]*[A-Za-z_]\w*[ \t]*=(?!=)/y;

const withWord = /with(?!\w)/y;
/** Other than in small letters, only before names of values. */
const withInCapitals = /with(?=[ \t]+[A-Za-z_]\w*[ \t]*(?:[=,:\r\n]|$|[A-Za-z_]))/iy;

/** `with`, after which commas separate arguments. */
export const passes = starting('wW', (text, at) => {
  const pattern = text[at] === 'w' ? withWord : withInCapitals;
  pattern.lastIndex = at;
  if (!pattern.test(text)) return none;
  scan.passing = true;
  return matchTo(at, at + 4);
});

const valueAhead = /[ \t]+(?=[A-Za-z_]\w*[ \t]*=(?![=<>]))/y;

/** The spaces between two values after `with` that no comma separates. */
export const missingComma = starting(' \t', (text, at) => {
  if (!scan.passing || scan.depth > 0) return none;
  valueAhead.lastIndex = at;
  return valueAhead.test(text) ? matchTo(at, valueAhead.lastIndex) : none;
});

/** A comma that ends an action of a list. After a command or a `with` list, it does so only if a verb follows. */
export const nextAction = starting(',', (text, at) => {
  if (!scan.inList || text[at] !== ',' || scan.depth > 0) return none;
  if (!endsAction(text, at)) return none;
  scan.depth = 0;
  scan.header = false;
  return matchTo(at, at + 1);
});

function endsAction(text: string, at: number): boolean {
  switch (scan.verb) {
    case 'DO':
    case 'UNDO':
    case 'CHECK':
    case 'TASK':
    case 'GOTO':
    case 'USE':
    case 'FOR EACH':
    case 'CALL':
    case 'PLAN':
      return actionFollows(text, at + 1);
    case 'EMIT':
      fieldAhead.lastIndex = at + 1;
      return actionFollows(text, at + 1) || !fieldAhead.test(text);
    default:
      return !isTextVerb(scan.verb) || !scan.passing || actionFollows(text, at + 1);
  }
}

/** An action without a verb: everything up to the next comma outside of quotes and brackets. */
export const prose: Matcher = (text, at) => {
  scan.verb = '';
  return matchTo(
    at,
    listItemEnd(text, at, () => true),
  );
};

/**
 * The text of RETURN: the rest of the line, or in a list the text up to a comma. After `with`, commas separate values, so
 * only one before a verb ends it.
 */
export const returnText: Matcher = (text, at, tokens) => {
  const isEnd =
    tokens.at(-1)?.tokenType.name === 'ReturnWith' ? (comma: number) => actionFollows(text, comma + 1) : () => true;
  const end = scan.inList ? listItemEnd(text, at, isEnd) : commentCut(text, at, logicalEnd(text, at));
  return matchTo(at, trimmedEnd(text, at, end));
};

/** The `with` of a text verb such as FAIL. In plain text `with` is an ordinary word, unless a name and `=` follow. */
const saidWith = /(?:^|[ \t])with[ \t]+[A-Za-z_]\w*[ \t]*=(?!=)/i;
/** Only `with` can follow a quoted text. */
const quotedTail = /(?:[ \t]|\\[ \t]*\r?\n)*(?:$|[\r\n,]|with(?!\w)|[ \t]{2}#)/iy;

/** The text of a text verb: a quoted text, or the rest of the line up to the `with` of its values. */
export const saidText: Matcher = (text, at) => {
  if (text[at] === '"' || text[at] === "'") {
    const close = quotedEnd(text, at);
    quotedTail.lastIndex = close;
    if (close > 0 && quotedTail.test(text)) return matchTo(at, close);
  }
  const end = scan.inList ? listItemEnd(text, at, () => true) : commentCut(text, at, logicalEnd(text, at));
  const passed = saidWith.exec(text.slice(at, end));
  const stop = trimmedEnd(text, at, passed === null ? end : at + passed.index);
  return stop > at ? matchTo(at, stop) : none;
};

function commentCut(text: string, at: number, end: number): number {
  for (let i = at; i < end; i++) {
    const c = text[i];
    if (c === '"') {
      const close = quotedEnd(text, i);
      if (close > 0) i = close - 1;
    } else if (c === ' ' && text[i + 1] === ' ' && commentAhead(text, i)) return i;
  }
  return end;
}

/**
 * The end of an item of an action list that starts at `at`: a comma outside of quotes and brackets, or the end of the
 * line.
 */
function listItemEnd(text: string, at: number, isEnd: (comma: number) => boolean): number {
  const limit = logicalEnd(text, at);
  let depth = 0;
  for (let i = at; i < limit; i++) {
    const c = text[i] as string;
    if (c === '"') {
      const close = quotedEnd(text, i);
      if (close > 0) i = close - 1;
    } else if ('([{'.includes(c)) depth++;
    else if (')]}'.includes(c)) depth = Math.max(0, depth - 1);
    else if (c === ',' && depth === 0 && isEnd(i)) return trimmedEnd(text, at, i);
    else if (c === ' ' && text[i + 1] === ' ' && depth === 0 && commentAhead(text, i)) return trimmedEnd(text, at, i);
  }
  return trimmedEnd(text, at, limit);
}
