/**
 * Reads expansions that begin with `$`: variables, `${…}`, `$(…)` and arithmetic, including the content of braces and
 * parentheses.
 */
import { grow, growExpansion, openCommandFrame, openQuoteFrame, top, wordAt } from './frames.js';
import { readEscapedBrace, readHole, serviceValue } from './holes.js';
import type { Lexing, LexingFrame, QuoteFrame } from './lexing.js';
import { lexBackquote, noteEscape, readSingle } from './quotes.js';
import type { Word } from './tree.js';
import { withItem } from './tree.js';
import { noteArithmetic, noteEvaluated, noteSubscript, noteVariable } from './variables.js';

/** Runs of characters without a special meaning, by the enclosing construct. */
const RUN = {
  parameter: /[^\\{}$`"']+/y,
  arithmetic: /[^\\{$`"'()[\]A-Za-z_]+/y,
};

const PARAMETER = /\$\{(!)?#?([A-Za-z_]\w*|\d+|[@*#?$!-])?(\[[@*]\])?(.)?/sy;
const VARIABLE = /\$([A-Za-z_]\w*|[\d@*#?$!-])/y;

/** Reads an expansion that begins with `$` at `l.at`, in a command, in double quotes or inside another expansion. */
export function lexDollar(l: Lexing, frame: LexingFrame): void {
  const { text, at } = l;
  const command = frame.commandFrame;
  const next = text[at + 1];
  if (frame.kind === 'command' && next === "'" && l.bash) return readSingle(l, 'ansi', at);
  const word = wordAt(l, command);
  if (next === '(' && text[at + 2] === '(') {
    growExpansion(word);
    openQuoteFrame(l, 'arithmetic', '))');
    l.at += 3;
  } else if (next === '(') {
    growExpansion(word);
    openCommandFrame(l, ')', { depth: command.depth + 1, owner: null, heredocs: [] });
    l.at += 2;
  } else if (next === '[' && l.bash) {
    growExpansion(word);
    openQuoteFrame(l, 'arithmetic', ']');
    l.at += 2;
  } else if (next === '{') openParameter(l, word);
  else {
    VARIABLE.lastIndex = at;
    const name = VARIABLE.exec(text)?.[1];
    if (name === undefined) grow(word, '$', false);
    else {
      noteVariable(l, at, frame.zone);
      growExpansion(word);
      word.reads = withItem(word.reads, name);
      if (frame.zone === 'arithmetic') l.arithmetic.push({ name, start: at, end: at + 1 + name.length });
    }
    l.at += 1 + (name?.length ?? 0);
  }
}

function openParameter(l: Lexing, word: Word): void {
  const { at } = l;
  const service = serviceValue(l, at);
  if (service !== null) {
    grow(word, service, false);
    l.at += service.length;
    return;
  }
  PARAMETER.lastIndex = at;
  const [, bang, name, all, operator = ''] = PARAMETER.exec(l.text) as RegExpExecArray;
  growExpansion(word);
  const { zone } = top(l);
  noteVariable(l, at, zone);
  // After `:-` and similar operators, single quotes inside double quotes are literal; in patterns they quote.
  const inDouble = top(l).kind === 'double';
  openQuoteFrame(l, 'parameter', '}', !inDouble || '#%/^,'.includes(operator || ' '));
  l.at += 2;
  if (name === undefined) return;
  const isLength = l.text[at + 2] === '#';
  if (!isLength) word.reads = withItem(word.reads, name);
  const nameEnd = at + 2 + name.length + (bang !== undefined || isLength ? 1 : 0);
  const use = { name, start: at, end: operator === '}' ? nameEnd + 1 : nameEnd };
  if (bang !== undefined && all === undefined && !'*@'.includes(operator || ' ')) l.indirect.push(use);
  // `${#n}` is the length of the value, which is a number.
  if (zone === 'arithmetic' && !isLength) l.arithmetic.push(use);
  if (operator === '@' && l.text[nameEnd + 1] === 'P') l.arithmetic.push({ ...use, prompt: true });
  if (operator === '[') noteSubscript(l, nameEnd + 1, name);
  else if (operator === ':' && !/[-=?+]/.test(l.text[nameEnd + 1] ?? '-')) noteEvaluated(l, nameEnd + 1, '}');
}

export function lexParameter(l: Lexing, frame: QuoteFrame): void {
  const character = l.text[l.at] as string;
  const word = wordAt(l, frame.commandFrame);
  if (character === '}') {
    l.frames.pop();
    l.at++;
  } else if (character === '{') {
    if (!readHole(l, 'double')) l.at++;
  } else if (character === '\\') {
    noteEscape(l);
    if (!readEscapedBrace(l, true)) l.at += 2;
  } else if (character === '$') lexDollar(l, frame);
  else if (character === '`') lexBackquote(l);
  else if (character === '"') {
    openQuoteFrame(l, 'double', '"');
    l.at++;
  } else if (character === "'") {
    if (frame.quotes) readSingle(l, 'single', l.at);
    else l.at++;
  } else {
    RUN.parameter.lastIndex = l.at;
    l.at += RUN.parameter.exec(l.text)?.[0].length ?? 1;
  }
  word.expands = true;
}

const IDENTIFIER = /[A-Za-z_]\w*/y;

export function lexArithmetic(l: Lexing, frame: QuoteFrame): void {
  const character = l.text[l.at] as string;
  if (character === '{') {
    if (!readHole(l, 'double')) l.at++;
  } else if (character === '\\') {
    noteEscape(l);
    if (!readEscapedBrace(l, true)) l.at += 2;
  } else if (character === '$') lexDollar(l, frame);
  else if (character === '`') lexBackquote(l);
  else if (character === '"') {
    openQuoteFrame(l, 'double', '"');
    l.at++;
  } else if (character === "'") readSingle(l, 'single', l.at);
  else if ('()[]'.includes(character)) lexParenthesis(l, frame, character);
  else if (/[A-Za-z_]/.test(character)) {
    IDENTIFIER.lastIndex = l.at;
    const name = IDENTIFIER.exec(l.text)?.[0] as string;
    l.arithmetic.push({ name, start: l.at, end: l.at + name.length });
    noteArithmetic(l, name, l.at + name.length);
    l.at += name.length;
  } else {
    RUN.arithmetic.lastIndex = l.at;
    l.at += RUN.arithmetic.exec(l.text)?.[0].length ?? 1;
  }
}

function lexParenthesis(l: Lexing, frame: QuoteFrame, character: string): void {
  const [opens, closes] = frame.close === ']' ? '[]' : '()';
  l.at++;
  if (character === opens) frame.open++;
  if (character !== closes) return;
  if (frame.open > 0) {
    frame.open--;
    return;
  }
  l.frames.pop();
  if (frame.close !== '))' || l.text[l.at] !== ')') return;
  l.at++;
  // Without these two, `((` begins two subshells. `$((` is an expansion in any case.
  if (l.text[frame.start] === '(') grow(wordAt(l, frame.commandFrame), '))', false);
}
