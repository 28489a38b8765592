/** The token patterns of DO and CHECK: shell text, its blocks, bindings, agents and lists of arguments. */
import { commentAhead, lineBreak, logicalEnd, trimmedEnd } from './line-patterns.js';
import type { Matcher } from './token.js';
import { matchTo, none, scan, starting } from './token.js';
import { actionFollows } from './verbs.js';

/** The rest of the line, or in an action list the text up to `, VERB` outside of quotes and brackets. */
export const shellText: Matcher = (text, at) => {
  const limit = logicalEnd(text, at);
  return matchTo(at, trimmedEnd(text, at, scan.inList ? shellEnd(text, at, limit) : limit));
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

/** The offset of the closing quote, or of the last character of the line if there is none. */
function shellQuoteEnd(text: string, at: number, limit: number): number {
  const quote = text[at];
  for (let i = at + 1; i < limit; i++) {
    if (text[i] === '\\' && quote === '"') i++;
    else if (text[i] === quote) return i;
  }
  return limit - 1;
}

/** The `[` of `DO [options]`. In a list of arguments a quote follows, in a shell test a space. */
export const optionsOpen: Matcher = (text, at) => {
  if (!scan.header || text[at] !== '[') return none;
  optionName.lastIndex = at;
  return optionName.test(text) ? matchTo(at, at + 1) : none;
};
const optionName = /\[(?:[ \t]*\]|[ \t]*[A-Za-z_][\w.-]*[ \t]*(?:=|\]|,|[A-Za-z]))/y;

/**
 * The lines below an empty `DO:` with deeper indentation: a shell script, with its comments and blank lines. A comment
 * with less indentation does not end the script if lines of the script follow it.
 */
export const shellBlock: Matcher = (text, at) => linesBelow(text, at, '#');

/**
 * The lines below this line end with deeper indentation. Lines with less indentation that begin with `passed` may be
 * between them.
 */
export function linesBelow(text: string, at: number, passed?: string): ReturnType<Matcher> {
  const c = text[at];
  if (c !== '\n' && !(c === '\r' && text[at + 1] === '\n')) return none;
  const indent = indentOf(text, text.lastIndexOf('\n', at - 1) + 1);
  let end = at;
  for (let line = text.indexOf('\n', at) + 1; line > 0 && line < text.length; ) {
    const stop = lineBreak(text, line);
    const depth = indentOf(text, line);
    if (line + depth < stop) {
      if (depth > indent) end = stop;
      else if (text[line + depth] !== passed) break;
    }
    line = text.indexOf('\n', stop) + 1;
  }
  return matchTo(at, trimmedEnd(text, at, end));
}

/** The number of spaces at the start of the line that begins at `at`. */
export function indentOf(text: string, at: number): number {
  let end = at;
  while (text[end] === ' ' || text[end] === '\t') end++;
  return end - at;
}

/** The maximum length of the words before `in PARALLEL`. The limit keeps long action lists linear. */
const longestHeader = 2000;
const inParallel = /(?<!\w)in[ \t]+PARALLEL(?!\w)/gi;
/** Quotes and signs of a shell. */
const shellSigns = /["'`|;&<>$]/;
/** What is not a note: it would name the members in another language. */
export const notWords = /[=[\]{}]|(?<!\w)for[ \t]*each(?!\w)/i;
const aside = /\([^()]*\)/g;
const parallelOption = /[ \t]*[A-Za-z]\w*=[^\s[(:]+/y;

/**
 * `words in PARALLEL` at the start of a DO, if only options and notes follow on the line. In small letters it could be text
 * of a command, unless members follow.
 */
export const parallelHead: Matcher = (text, at) => {
  if (scan.verb !== 'DO') return none;
  const limit = logicalEnd(text, at);
  const line = text.slice(at, Math.min(limit, at + longestHeader));
  inParallel.lastIndex = 0;
  const match = inParallel.exec(line);
  const words = match === null ? '' : line.slice(0, match.index).replace(aside, '');
  if (match === null || shellSigns.test(words)) return none;
  boundWord.lastIndex = at;
  if (notWords.test(words) && (boundWord.test(text) || !membersFollow(text, limit))) return none;
  const end = at + match.index + match[0].length;
  if (!onlyOptions(text, end, limit)) return none;
  if (!match[0].endsWith('PARALLEL') && !membersFollow(text, limit)) return none;
  scan.header = false;
  return matchTo(at, end);
};

/** It is reported, and the members below it are read. */
const semicolons = /:?[ \t]*;+[ \t]*(?=\r?\n|$)/y;

const memberBelow = /(?:[ \t]*(?:#[^\n]*)?\r?\n)+[ \t]+-[ \t]/y;

function membersFollow(text: string, at: number): boolean {
  memberBelow.lastIndex = at;
  return memberBelow.test(text);
}

/** `FOR EACH x in` after `DO:` in any case. The loop of a shell begins with `for` and a name. */
const loopInWords = /for[ \t]*each[ \t]*:?(?=[ \t]+[A-Za-z_]\w*[ \t]+in(?!\w))/iy;

export const loopAfterDo: Matcher = (text, at) => {
  loopInWords.lastIndex = at;
  if (!loopInWords.test(text)) return none;
  scan.verb = 'FOR EACH';
  scan.header = false;
  return matchTo(at, loopInWords.lastIndex);
};

function onlyOptions(text: string, from: number, limit: number): boolean {
  let at = from;
  while (at < limit) {
    const c = text[at];
    if (c === ' ' && commentAhead(text, at)) return true;
    semicolons.lastIndex = at;
    if ((c === ':' || c === ';') && semicolons.test(text)) return membersFollow(text, limit);
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

const boundWord = /[\p{L}\p{N}_][\p{L}\p{N}_.-]*[ \t]+=(?=[ \t]|\r?\n|$)/uy;

/**
 * `x =` between spaces. An invalid name such as `my-x` is also meant as one, because no command has `=` as its first
 * argument.
 */
export const binding: Matcher = (text, at) => {
  boundWord.lastIndex = at;
  return boundWord.test(text) ? matchTo(at, boundWord.lastIndex) : none;
};

const capturePrefix = /[A-Za-z_]\w*=(?=\$\()/y;

/** The `x=` of `x=$(command)`, if the parenthesis closes at the end of the action. */
export const capture: Matcher = (text, at, before) => {
  capturePrefix.lastIndex = at;
  if (!capturePrefix.test(text)) return none;
  const start = capturePrefix.lastIndex;
  const end = shellText(text, start, before);
  return end !== none && isSubstitution(text.slice(start, end)) ? matchTo(at, start) : none;
};

/** Whether the whole text is one `$(…)`. */
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

/** A text between three quotes. */
export const tripled = /"""[\s\S]*?"""|'''[\s\S]*?'''/;
const tripledNext = /:[ \t]*(?="""[\s\S]*?"""|'''[\s\S]*?''')/y;

/** With `|`, as YAML writes it. */
const blankRest = /:(?:[ \t]*\|-?)?(?=[ \t]*(?:[ \t]{2}#[^\n]*?)?(?:\r?\n))/y;

export const promptColon = starting(':', (text, at) => {
  tripledNext.lastIndex = at;
  if (tripledNext.test(text)) return matchTo(at, at + 1);
  blankRest.lastIndex = at;
  if (!blankRest.test(text)) return none;
  const { lastIndex } = blankRest;
  return linesBelow(text, lineBreak(text, at)) === none ? none : matchTo(at, lastIndex);
});

const agentName = /Task\([ \t]*[^\s()]*[ \t]*\)/y;

/** `Task(name)`: the following words belong to the language and not to the shell. */
export const agent: Matcher = (text, at) => {
  if (text[at] !== 'T') return none;
  agentName.lastIndex = at;
  if (!agentName.test(text)) return none;
  scan.verb = 'TASK';
  scan.header = false;
  return matchTo(at, agentName.lastIndex);
};

/**
 * The `[` of `DO: ["program", …]`: a quote follows directly, unlike in a shell test. A list that an operator follows is
 * a value.
 */
export const argvOpen: Matcher = (text, at) => {
  if (text[at] !== '[' || !`"'{`.includes(text[at + 1] ?? ' ')) return none;
  operand.lastIndex = listEnd(text, at, logicalEnd(text, at));
  if (operand.test(text)) return none;
  scan.depth = 1;
  scan.header = false;
  scan.verb = scan.verb === '' ? 'DO' : scan.verb;
  return matchTo(at, at + 1);
};

const operand = /[ \t]*(?:[-+*/%<>=!.?[]|(?:AND|OR|in|is|not|contains|exists)(?!\w))/y;

/** The offset after the bracket that closes the list at `at`, or the end of the line. */
function listEnd(text: string, at: number, limit: number): number {
  let depth = 0;
  for (let i = at; i < limit; i++) {
    const c = text[i] as string;
    if (c === "'" || c === '"') i = shellQuoteEnd(text, i, limit);
    else if ('[{('.includes(c)) depth++;
    else if (']})'.includes(c) && --depth === 0) return i + 1;
  }
  return limit;
}
