/**
 * The patterns of the lexer that no regular expression can state: where shell text, values and notes end. What
 * ends them depends on the verb and on whether the line is an action list, so the lexer keeps that much state,
 * in this file only. Lexing is synchronous; a nested use saves and restores the state.
 */
import type { CustomPatternMatcherFunc, IToken } from 'chevrotain';
import { interpolationEnd, quotedEnd } from './interpolation-scan.js';
import { actionFollows, type FoundVerb, readVerb, type Verb } from './verbs.js';

/** Brackets in brackets beyond this are refused, so that no later stage can run out of stack. */
export const deepestBrackets = 200;
/** `IF: a → IF: b → …` on one line nests as brackets do. */
const mostArrows = 200;

export interface ScanState {
  /** Within an action list: the text after an arrow. */
  inList: boolean;
  /** The verb whose text is being read; `TASK` for an agent call. */
  verb: Verb | 'TASK' | '';
  /** Open brackets. */
  depth: number;
  /** Arrows on this line. */
  arrows: number;
  /** Within the options between `DO` and its colon. */
  header: boolean;
}

export const scan: ScanState = { inList: false, verb: '', depth: 0, arrows: 0, header: false };

/** Runs `work` with fresh lexer state and puts the old state back. */
export function withFreshScan<Result>(start: Partial<ScanState>, work: () => Result): Result {
  const saved = { ...scan };
  Object.assign(scan, { inList: false, verb: '', depth: 0, arrows: 0, header: false }, start);
  try {
    return work();
  } finally {
    Object.assign(scan, saved);
  }
}

export type Matcher = CustomPatternMatcherFunc;

const none = null;

function image(text: string, at: number, end: number): RegExpExecArray | null {
  return end > at ? ([text.slice(at, end)] as unknown as RegExpExecArray) : none;
}

/** A regular expression that is only tried when the first character is one of `starts`. */
export function fast(starts: string, regex: RegExp): Matcher {
  const sticky = new RegExp(regex.source, `${regex.flags.replace('y', '')}y`);
  const table = new Set([...starts].map((c) => c.charCodeAt(0)));
  return (text, at) => {
    if (!table.has(text.charCodeAt(at))) return none;
    sticky.lastIndex = at;
    return sticky.exec(text) as RegExpExecArray | null;
  };
}

/** Tries `matcher` only while `when` holds. */
export function only(when: (last: IToken | undefined) => boolean, matcher: Matcher): Matcher {
  return (text, at, tokens, groups) => (when(tokens[tokens.length - 1]) ? matcher(text, at, tokens, groups) : none);
}

// ---- lines ------------------------------------------------------------------------------------------

export const newline: Matcher = (text, at) => {
  const c = text[at];
  if (c !== '\n' && !(c === '\r' && text[at + 1] === '\n')) return none;
  scan.inList = false;
  scan.verb = '';
  scan.depth = 0;
  scan.arrows = 0;
  scan.header = false;
  return image(text, at, c === '\n' ? at + 1 : at + 2);
};

const endCommentStart = /[ \t]{2,}#(?=[ \r\n]|$)/y;

/** Two blanks and `# ` outside brackets; the token starts with the blanks. */
export const endComment: Matcher = (text, at) => {
  if (scan.depth > 0 || (text[at] !== ' ' && text[at] !== '\t')) return none;
  return commentAhead(text, at) ? image(text, at, lineBreak(text, at)) : none;
};

function commentAhead(text: string, at: number): boolean {
  endCommentStart.lastIndex = at;
  return endCommentStart.test(text);
}

function lineBreak(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  if (end < 0) return text.length;
  return end > at && text[end - 1] === '\r' ? end - 1 : end;
}

let endedText = '';
let endedFrom = -1;
let endedAt = -1;

/**
 * End of the logical line that `at` is in: the first line end that no odd run of backslashes escapes. The last
 * answer is kept, since every action of a long list asks again.
 */
function logicalEnd(text: string, at: number): number {
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
    if (text.indexOf('\n', end) + 1 >= text.length) return text.length;
  }
}

function joins(text: string, from: number, end: number): boolean {
  let count = 0;
  for (let i = end - 1; i >= from && text[i] === '\\'; i--) count++;
  return count % 2 === 1;
}

function trimmedEnd(text: string, at: number, end: number): number {
  let last = end;
  while (last > at && (text[last - 1] === ' ' || text[last - 1] === '\t' || text[last - 1] === '\r')) last--;
  return last;
}

// ---- verbs and lists --------------------------------------------------------------------------------

let classifiedText = '';
let classifiedAt = -1;
let classifiedInList = false;
let classified: FoundVerb | null = null;

/** The verb at this place. Asked once for every verb's token, so the last answer is kept. */
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
  return (text, at) => {
    const found = classify(text, at);
    if (found === null || found.verb !== verb) return none;
    scan.verb = verb;
    scan.header = verb === 'DO' || verb === 'CHECK';
    if (opensList) scan.inList = true;
    return image(text, at, found.end);
  };
}

/** The arrow after a condition: what follows is an action list. */
export const arrow: Matcher = (text, at) => {
  const length = arrowLength(text, at);
  if (length === 0 || scan.arrows >= mostArrows) return none;
  if (scan.verb !== 'IF' && scan.verb !== 'ELSE IF') return none;
  // An arrow is never part of a condition, so a bracket that is still open was forgotten.
  scan.depth = 0;
  scan.inList = true;
  scan.arrows++;
  return image(text, at, at + length);
};

/** The arrow some write after `ELSE`, `DEFAULT:` and `ON ERROR:`. */
export const branchArrow: Matcher = (text, at) => {
  const length = arrowLength(text, at);
  return length > 0 ? image(text, at, at + length) : none;
};

function arrowLength(text: string, at: number): number {
  if (text[at] === '→') return 1;
  return text[at] === '-' && text[at + 1] === '>' ? 2 : 0;
}

/** The blanks before a verb that stands where an arrow is missing. */
export const missingArrow: Matcher = (text, at) => {
  if ((text[at] !== ' ' && text[at] !== '\t') || scan.depth > 0) return none;
  if ((scan.verb !== 'IF' && scan.verb !== 'ELSE IF') || scan.arrows >= mostArrows) return none;
  let end = at;
  while (text[end] === ' ' || text[end] === '\t') end++;
  if (!actionFollows(text, end)) return none;
  scan.inList = true;
  scan.arrows++;
  return image(text, at, end);
};

const fieldAhead = /(?:[ \t]|\\[ \t]*\r?\n)*\[?[ \t]*[A-Za-z_]\w*[ \t]*=(?!=)/y;

/** The comma that ends an action of a list. After a command or a `with` list only if a verb follows. */
export const nextAction: Matcher = (text, at) => {
  if (!scan.inList || text[at] !== ',' || scan.depth > 0) return none;
  if (!endsAction(text, at)) return none;
  scan.depth = 0;
  scan.header = false;
  return image(text, at, at + 1);
};

function endsAction(text: string, at: number): boolean {
  switch (scan.verb) {
    case 'DO':
    case 'CHECK':
    case 'TASK':
    case 'GOTO':
    case 'USE':
    case 'FOR EACH':
      return actionFollows(text, at + 1);
    case 'EMIT':
      fieldAhead.lastIndex = at + 1;
      return actionFollows(text, at + 1) || !fieldAhead.test(text);
    default:
      return true;
  }
}

/** An action that begins with no verb: everything up to the next comma outside quotes and brackets. */
export const prose: Matcher = (text, at) => {
  scan.verb = '';
  return image(
    text,
    at,
    listItemEnd(text, at, () => true),
  );
};

/** The text of RETURN: the rest of the line, in a list up to a comma. */
export const returnText: Matcher = (text, at) => {
  const end = scan.inList ? listItemEnd(text, at, () => true) : commentCut(text, at, logicalEnd(text, at));
  return image(text, at, trimmedEnd(text, at, end));
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

/** Where an item of an action list that starts at `at` ends: a comma outside quotes and brackets, or the line. */
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

// ---- what DO and CHECK perform ----------------------------------------------------------------------

/** The rest of the line; in an action list up to `, VERB` outside quotes and brackets. */
export const shellText: Matcher = (text, at) => {
  const limit = logicalEnd(text, at);
  return image(text, at, trimmedEnd(text, at, scan.inList ? shellEnd(text, at, limit) : limit));
};

function shellEnd(text: string, at: number, limit: number): number {
  let depth = 0;
  for (let i = at; i < limit; i++) {
    const c = text[i] as string;
    if (c === '\\') i++;
    else if (c === "'" || c === '"') i = shellQuoteEnd(text, i, limit);
    else if ('([{'.includes(c)) depth++;
    else if (')]}'.includes(c)) depth = Math.max(0, depth - 1);
    else if (c === ',' && depth === 0 && actionFollows(text, i + 1)) return i;
  }
  return limit;
}

/** Offset of the closing quote, or of the line's last character when there is none. */
function shellQuoteEnd(text: string, at: number, limit: number): number {
  const quote = text[at];
  for (let i = at + 1; i < limit; i++) {
    if (text[i] === '\\' && quote === '"') i++;
    else if (text[i] === quote) return i;
  }
  return limit - 1;
}

/** `[` that opens `DO [options]`; a list of arguments opens with a quote, a shell test with a blank. */
export const optionsOpen: Matcher = (text, at) => {
  if (!scan.header || text[at] !== '[') return none;
  optionName.lastIndex = at;
  return optionName.test(text) ? image(text, at, at + 1) : none;
};
const optionName = /\[(?:[ \t]*\]|[ \t]*[A-Za-z_][\w.-]*[ \t]*(?:=|\]|,|[A-Za-z]))/y;

/** The lines below an empty `DO:` that are indented deeper: a shell script, with its comments and blank lines. */
export const shellBlock: Matcher = (text, at) => {
  const c = text[at];
  if (c !== '\n' && !(c === '\r' && text[at + 1] === '\n')) return none;
  const indent = indentOf(text, text.lastIndexOf('\n', at - 1) + 1);
  let end = at;
  for (let line = text.indexOf('\n', at) + 1; line > 0 && line < text.length; ) {
    const stop = lineBreak(text, line);
    const depth = indentOf(text, line);
    if (line + depth < stop) {
      if (depth <= indent) break;
      end = stop;
    }
    line = text.indexOf('\n', stop) + 1;
  }
  return image(text, at, trimmedEnd(text, at, end));
};

/** Blanks at the start of the line that begins at `at`. */
export function indentOf(text: string, at: number): number {
  let end = at;
  while (text[end] === ' ' || text[end] === '\t') end++;
  return end - at;
}

/** The words before `in PARALLEL` are few; a bound keeps long action lists linear. */
const longestHeader = 2000;
const inParallel = /(?<!\w)in[ \t]+PARALLEL(?!\w)/g;
const parallelOption = /[ \t]*[A-Za-z]\w*=[^\s[(:]+/y;

/** `words in PARALLEL` at the start of a DO, when nothing but options and notes follows on the line. */
export const parallelHead: Matcher = (text, at) => {
  if (scan.verb !== 'DO') return none;
  const limit = logicalEnd(text, at);
  const line = text.slice(at, Math.min(limit, at + longestHeader));
  if (!line.includes('PARALLEL')) return none;
  inParallel.lastIndex = 0;
  const match = inParallel.exec(line);
  if (match === null || /["'`|;&<>$]/.test(line.slice(0, match.index))) return none;
  const end = at + match.index + match[0].length;
  if (!onlyOptions(text, end, limit)) return none;
  scan.header = false;
  return image(text, at, end);
};

function onlyOptions(text: string, from: number, limit: number): boolean {
  let at = from;
  while (at < limit) {
    const c = text[at];
    if (c === ' ' && commentAhead(text, at)) return true;
    if (c === ' ' || c === '\t') at++;
    else if (c === ':') return trimmedEnd(text, at + 1, limit) === at + 1 || commentAhead(text, at + 1);
    else if (c === '[' || c === '(') {
      const close = text.indexOf(c === '[' ? ']' : ')', at);
      if (close < 0 || close >= limit) return false;
      at = close + 1;
    } else {
      parallelOption.lastIndex = at;
      if (!parallelOption.test(text)) return scan.inList && c === ',';
      at = parallelOption.lastIndex;
    }
  }
  return true;
}

const capturePrefix = /[A-Za-z_]\w*=(?=\$\()/y;

/** `x=` of `x=$(command)`, when the parenthesis closes at the end of the action. */
export const capture: Matcher = (text, at, tokens, groups) => {
  capturePrefix.lastIndex = at;
  if (!capturePrefix.test(text)) return none;
  const start = capturePrefix.lastIndex;
  const rest = shellText(text, start, tokens, groups);
  return rest !== null && isSubstitution(rest[0] as string) ? image(text, at, start) : none;
};

/** Is all of `text` one `$(…)`? */
export function isSubstitution(text: string): boolean {
  if (!text.startsWith('$(') || !text.endsWith(')')) return false;
  let depth = 0;
  for (let i = 1; i < text.length; i++) {
    const c = text[i];
    if (c === '\\') i++;
    else if (c === "'" || c === '"') i = shellQuoteEnd(text, i, text.length);
    else if (c === '(') depth++;
    else if (c === ')' && --depth === 0) return i === text.length - 1;
  }
  return false;
}

const agentName = /Task\([ \t]*[^\s()]*[ \t]*\)/y;

/** `Task(name)`: what follows is read as words of the language, not of the shell. */
export const agent: Matcher = (text, at) => {
  if (text[at] !== 'T') return none;
  agentName.lastIndex = at;
  if (!agentName.test(text)) return none;
  scan.verb = 'TASK';
  scan.header = false;
  return image(text, at, agentName.lastIndex);
};

/** `[` of `DO: ["program", …]`: a quote follows at once, as it never does in a shell test. */
export const argvOpen: Matcher = (text, at) => {
  if (text[at] !== '[' || !`"'{`.includes(text[at + 1] ?? ' ')) return none;
  scan.depth = 1;
  scan.header = false;
  scan.verb = scan.verb === '' ? 'DO' : scan.verb;
  return image(text, at, at + 1);
};

// ---- values, quotes, brackets -----------------------------------------------------------------------

export const quoted: Matcher = (text, at) => {
  const c = text[at];
  return c === '"' || c === "'" ? image(text, at, quotedEnd(text, at)) : none;
};

export const unclosedQuote: Matcher = (text, at) => {
  const c = text[at];
  return c === '"' || c === "'" ? image(text, at, trimmedEnd(text, at + 1, lineBreak(text, at))) : none;
};

export const braced: Matcher = (text, at) => (text[at] === '{' ? image(text, at, interpolationEnd(text, at)) : none);

export function open(bracket: string): Matcher {
  return (text, at) => {
    if (text[at] !== bracket || scan.depth >= deepestBrackets) return none;
    scan.depth++;
    return image(text, at, at + 1);
  };
}

export function close(bracket: string): Matcher {
  return (text, at) => {
    if (text[at] !== bracket) return none;
    scan.depth = Math.max(0, scan.depth - 1);
    return image(text, at, at + 1);
  };
}

/** An opening bracket beyond the limit: it takes the rest of the line with it. */
export const tooDeep: Matcher = (text, at) => {
  const c = text[at] ?? ' ';
  const deep = '([{'.includes(c) && scan.depth >= deepestBrackets;
  return deep || (scan.arrows >= mostArrows && arrowLength(text, at) > 0)
    ? image(text, at, logicalEnd(text, at))
    : none;
};

/** The word after `>`: a file name, quotes and braces respected. */
export const target: Matcher = (text, at) => image(text, at, valueEnd(text, at));

/** `=value` of an option or of an event's field: up to a blank, quotes and braces respected. */
export const assigned: Matcher = (text, at) => {
  if (text[at] !== '=') return none;
  return image(text, at, valueEnd(text, at + 1));
};

function valueEnd(text: string, start: number): number {
  const first = text[start];
  if (first === '"' || first === "'") {
    const end = quotedEnd(text, start);
    if (end > 0) return text[end] === ',' && scan.verb === 'ASK' ? bareValueEnd(text, start) : end;
  }
  return bareValueEnd(text, start);
}

function bareValueEnd(text: string, start: number): number {
  const endsHeader = (scan.verb === 'DO' || scan.verb === 'FOR EACH') && !scan.header;
  for (let i = start; i < text.length; i++) {
    const c = text[i] as string;
    if (c === '{') {
      const end = interpolationEnd(text, i);
      if (end > 0) i = end - 1;
    } else if (c === '"') {
      const end = quotedEnd(text, i);
      if (end > 0) i = end - 1;
    } else if (scan.verb === 'EMIT' && (c === '(' || c === '[')) {
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

/** The longest bracket that is looked for: a bound keeps lines of opened brackets linear. */
const longestBracket = 200;

/** The end of a bracket in the text of an event, `[1, 2]` say, where it closes on its line and soon; else -1. */
function bracketEnd(text: string, at: number): number {
  const limit = Math.min(text.length, at + longestBracket);
  const closing: string[] = [];
  for (let i = at; i < limit; i++) {
    const c = text[i] as string;
    if (c === '\n') return -1;
    if (c === '(') closing.push(')');
    else if (c === '[') closing.push(']');
    else if (c === ')' || c === ']') {
      if (closing.pop() !== c) return -1;
      if (closing.length === 0) return i + 1;
    }
  }
  return -1;
}

/** The end of `(…)` behind the last field of an event, which belongs to its text as it does in RETURN; else -1. */
function noteOfField(text: string, at: number): number {
  if (scan.verb !== 'EMIT' || scan.depth > 0) return -1;
  const start = skipBlanks(text, at);
  if (text[start] !== '(') return -1;
  const end = bracketEnd(text, start);
  return end > 0 && noteMayEnd(text, end) ? end : -1;
}

function valueStops(text: string, comma: number): boolean {
  const next = text[comma + 1] ?? ' ';
  if (/\s/.test(next)) return true;
  if (scan.inList && actionFollows(text, comma + 1)) return true;
  if (scan.verb !== 'EMIT') return false;
  fieldAhead.lastIndex = comma + 1;
  return fieldAhead.test(text);
}

const noteVerbs: ReadonlySet<string> = new Set(['STATE', 'TRACK', 'WAIT', 'GOTO', 'INPUT', 'FOR EACH', 'DO']);
const operandEnd = /[\w"'\])}?]/;

/**
 * A parenthesis after a blank at the end of the line: a note. After an operator it is part of the expression,
 * and so it is where something other than another note follows.
 */
export const note: Matcher = (text, at, tokens) => {
  if (text[at] !== '(' || scan.depth > 0 || !noteVerbs.has(scan.verb)) return none;
  const before = text[at - 1];
  if (before !== ' ' && before !== '\t' && before !== ')' && before !== ']' && before !== ':') return none;
  const last = tokens[tokens.length - 1];
  if (last !== undefined && !isOperandEnd(last)) return none;
  const end = balancedNote(text, at);
  if (end < 0) return none;
  return noteMayEnd(text, end) ? image(text, at, end) : none;
};

function isOperandEnd(last: IToken): boolean {
  const name = last.tokenType.name;
  if (name === 'And' || name === 'Or' || name === 'Not' || name === 'Relation' || name === 'With' || name === 'By')
    return false;
  return operandEnd.test(last.image[last.image.length - 1] ?? '');
}

/** Notes are prose: only parentheses count in them, apostrophes do not. */
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

/** What stands alone after WAIT, or before its time-out, and is a length of time: `5s`, `{pause}`, `{n}s`. */
export const waitDuration: Matcher = (text, at) => {
  if (scan.verb !== 'WAIT') return none;
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
  return waitEnd.test(text) || (scan.inList && text[end] === ',') ? image(text, at, end) : none;
};
const waitEnd = /[ \t]*(?:\r?\n|$)|[ \t]+\(|[ \t]{2,}#[ \r\n]/y;

const timeoutStart = /(?:OR|or|\|\|)[ \t]+timeout[ \t]*=/y;
const everyStart = /\[?[ \t]*every[ \t]*=/y;

/** `OR timeout=30s` of a WAIT, value and all. */
export const timeout: Matcher = (text, at) => {
  if (scan.verb !== 'WAIT' || scan.depth > 0) return none;
  timeoutStart.lastIndex = at;
  if (!timeoutStart.test(text)) return none;
  return image(text, at, valueEnd(text, skipBlanks(text, timeoutStart.lastIndex)));
};

/** `every=1s` or `[every=1s]` of a WAIT. */
export const every: Matcher = (text, at) => {
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
  return image(text, at, end);
};

function skipBlanks(text: string, at: number): number {
  let end = at;
  while (text[end] === ' ' || text[end] === '\t') end++;
  return end;
}

/** `†kind.path["key"][0]`. */
export const dagger: Matcher = (text, at) => {
  if (text[at] !== '†') return none;
  daggerPath.lastIndex = at;
  return daggerPath.exec(text) as RegExpExecArray | null;
};
const daggerPath = /†(?:\w+(?:\.\w+|\[\d+\]|\["(?:[^"\\\r\n]|\\.)*"\])*)?/y;
