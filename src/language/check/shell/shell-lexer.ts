/**
 * Reads shell text once, from the first character to the last, and finds its words, commands and interpolations. It
 * follows the quoting rules of bash and dash; where these differ, it follows the shell of the text. Even a text that it
 * misreads is safe, because a value is always written as a quoted reference to a variable.
 */
import { unreachable } from '../../../prelude/unreachable.js';
import { unclosedQuote, unclosedSubstitution } from '../../source/catalogue/shell.js';
import { badCharacter, missingPart } from '../../source/catalogue/syntax.js';
import { lexArithmetic, lexDollar, lexParameter } from './expansions.js';
import { endCommand, endWord, grow, openCommandFrame, openQuoteFrame, top, wordAt } from './frames.js';
import { readHeredocs } from './heredoc.js';
import { readEscapedBrace, readHole } from './holes.js';
import {
  type CommandFrame,
  type Lexing,
  type LexingFrame,
  type QuoteFrame,
  report,
  rewrite,
  type ShellFinding,
  type ShellInterpolation,
} from './lexing.js';
import { beginMember } from './piped-members.js';
import { checkBackticks, lexBackquote, noteEscape, readSingle } from './quotes.js';
import { endsTest, readOperator } from './shell-operators.js';
import { type LexedShell, NO_NAMES } from './tree.js';

export interface ShellTextOptions {
  readonly shell: 'bash' | 'sh';
  /** Warns of values that any external program, not only known ones, may read as options. */
  readonly strict: boolean;
  /** Returns the interpolation that begins at a `{`, if there is one. Called once for each such brace. */
  readonly interpolation: (at: number) => ShellInterpolation | null;
  /** Whether the program has a value of that name. */
  readonly isValue: (name: string) => boolean;
  /**
   * The text runs under `pipefail`. A member of a pipe that stops because its reader needs no more must not fail the
   * pipe.
   */
  readonly wrapsPipes?: boolean;
  /** Variables of the environment that contain a value, each with the interpolation. */
  readonly given?: ReadonlyMap<string, string>;
}

/** What looks like a space or like nothing, is neither to a shell, and comes from other programs with the text. */
const ODD_BLANK = /[^\S \t\r\n]|[\u200b-\u200d\u2060]/;

/** Texts in some scripts, and some emoji, have the two that are missing here. */
const ODD_BLANK_IN_WORD = /[^\S \t\r\n]|[\u200b\u2060]/;

/** Runs of characters without a special meaning, by the enclosing construct. */
const RUN = {
  command: /[^ \t\n\\{$`"'#;&|()<>]+/y,
  double: /[^\\{$`"]+/y,
};

export function lexShell(
  text: string,
  bash: boolean,
  { interpolation: ask, isValue, wrapsPipes }: Pick<ShellTextOptions, 'interpolation' | 'isValue' | 'wrapsPipes'>,
): { lexed: LexedShell; findings: ShellFinding[] } {
  const l: Lexing = {
    text,
    bash,
    ask,
    isValue,
    hasOddBlank: ODD_BLANK.test(text),
    wrapsPipes: wrapsPipes === true && text.includes('|'),
    wrapped: false,
    pipes: [],
    at: 0,
    frames: [],
    pieces: [],
    copied: 0,
    holes: [],
    findings: [],
    commands: [],
    functions: NO_NAMES,
    arithmetic: [],
    indirect: [],
    variables: [],
    made: NO_NAMES,
    compound: false,
    joins: null,
    backtick: -1,
    nextBrace: -1,
  };
  openCommandFrame(l, '', { depth: 0, owner: null, heredocs: [] });
  while (l.at < text.length) lexNext(l, top(l));
  finish(l);
  return { lexed: l, findings: l.findings };
}

function finish(l: Lexing): void {
  const open = l.frames.find((frame) => frame.close !== '');
  if (open !== undefined) reportUnclosed(l, open);
  else if (l.joins !== null && l.text.slice(l.joins.end).trim() === '') reportOpenEnd(l, l.joins);
  for (let at = l.frames.length - 1; at >= 0; at--) {
    const frame = l.frames[at] as LexingFrame;
    if (frame.kind !== 'command') continue;
    endCommand(l, frame);
    if (frame.heredocs.length > 0) readHeredocs(l, frame);
    if (frame.close === '`') checkBackticks(l, frame);
  }
  rewrite(l, l.text.length, l.text.length, '');
}

/** No shell runs a text that ends with such an operator. */
function reportOpenEnd(l: Lexing, { start, end }: { readonly start: number; readonly end: number }): void {
  const after = l.text.slice(start, end);
  report(l, start, end, (span) => missingPart(span, { what: 'a command', after }));
}

function reportUnclosed(l: Lexing, frame: LexingFrame): void {
  const { start } = frame;
  if (frame.kind === 'double') report(l, start, start + 1, (span) => unclosedQuote(span, { quote: '"' }));
  else if (frame.close !== '')
    report(l, start, start + 1, (span) => unclosedSubstitution(span, { close: frame.close }));
}

function lexNext(l: Lexing, frame: LexingFrame): void {
  switch (frame.kind) {
    case 'command':
      return lexCommand(l, frame);
    case 'double':
      return lexDouble(l, frame);
    case 'parameter':
      return lexParameter(l, frame);
    case 'arithmetic':
      return lexArithmetic(l, frame);
    default:
      return unreachable(frame);
  }
}

// ---- what is in commands ------------------------------------------------------------------------

function lexCommand(l: Lexing, frame: CommandFrame): void {
  const { text, at } = l;
  const character = text[at] as string;
  beginMember(l, frame, character);
  switch (character) {
    case '\\':
      return lexEscape(l, frame);
    case '{':
      if (!readHole(l, 'word')) take(l, frame, 1);
      return;
    case '$':
      return lexDollar(l, frame);
    case '`':
      return lexBackquote(l);
    case '"':
      wordAt(l, frame).quoted = true;
      openQuoteFrame(l, 'double', '"');
      l.at++;
      return;
    case "'":
      return readSingle(l, 'single', at);
    case '#':
      return frame.word === null ? skipComment(l) : take(l, frame, 1);
    case '\n':
      if (frame.command.role === 'test' && !endsTest(frame)) endWord(l, frame);
      else endCommand(l, frame);
      l.at++;
      if (frame.heredocs.length > 0 && frame.owner === null) readHeredocs(l, frame);
      return;
    case ';':
    case '&':
    case '|':
    case '(':
    case ')':
    case '<':
    case '>':
      return readOperator(l, frame, character);
    case ' ':
    case '\t':
      endWord(l, frame);
      l.at++;
      return;
    default:
      return readRun(l, frame);
  }
}

/** Adds literal characters to the word. */
function take(l: Lexing, frame: CommandFrame, count: number): void {
  const word = wordAt(l, frame);
  const text = l.text.slice(l.at, l.at + count);
  if (text === '{' && /^\{[^{}\s]*(?:,|\.\.)[^{}\s]*\}/.test(l.text.slice(l.at, l.at + 200))) word.expands = true;
  grow(word, text, true);
  l.at += count;
}

function readRun(l: Lexing, frame: CommandFrame): void {
  const run = runAt(RUN.command, l);
  const word = wordAt(l, frame);
  if (/[*?[]/.test(run) || (word.text === '' && run.startsWith('~'))) word.expands ||= run !== '[' && run !== '[[';
  if (l.hasOddBlank) reportOddBlank(l, frame, run);
  grow(word, run, true);
  l.at += run.length;
}

/** In a name, a space was meant. In another word it can be a letter, and then the word is in quotes. */
function reportOddBlank(l: Lexing, { word, command, redirect }: CommandFrame, run: string): void {
  const isName =
    redirect === null &&
    command.role === 'command' &&
    command.words.length === 0 &&
    word?.text === '' &&
    !/^\w+\+?[=[]/.test(run);
  const odd = (isName ? ODD_BLANK : ODD_BLANK_IN_WORD).exec(run);
  if (odd === null) return;
  const start = l.at + odd.index;
  report(l, start, start + 1, (span) => badCharacter(span, { character: odd[0], ...(isName ? {} : { inWord: true }) }));
}

/** The text that a pattern matches here. Runs are frequent, and `exec` would create an array for each. */
function runAt(pattern: RegExp, { text, at }: Lexing): string {
  pattern.lastIndex = at;
  return pattern.test(text) ? text.slice(at, pattern.lastIndex) : '';
}

function lexEscape(l: Lexing, frame: CommandFrame): void {
  noteEscape(l);
  if (readEscapedBrace(l, false)) return;
  const next = l.text[l.at + 1];
  if (next === undefined) grow(wordAt(l, frame), '\\', false);
  else if (next !== '\n') grow(wordAt(l, frame), next, false);
  l.at += 2;
}

/** A comment extends to the end of its line, or to the backtick that ends its command. */
function skipComment(l: Lexing): void {
  const end = l.text.indexOf('\n', l.at);
  const line = end < 0 ? l.text.length : end;
  const backtick = l.backtick < 0 ? -1 : l.text.slice(l.at, line).indexOf('`');
  l.at = backtick < 0 ? line : l.at + backtick;
}

// ---- quotes -----------------------------------------------------------------------------------------

function lexDouble(l: Lexing, frame: QuoteFrame): void {
  const character = l.text[l.at] as string;
  const word = wordAt(l, frame.commandFrame);
  if (character === '"') {
    l.frames.pop();
    l.at++;
  } else if (character === '{') {
    if (readHole(l, 'double')) return;
    grow(word, '{', false);
    l.at++;
  } else if (character === '\\') {
    noteEscape(l);
    if (readEscapedBrace(l, true)) return;
    const next = l.text[l.at + 1] ?? '';
    if (next !== '\n') grow(word, '$`"\\'.includes(next) ? next : `\\${next}`, false);
    l.at += 2;
  } else if (character === '$') lexDollar(l, frame);
  else if (character === '`') lexBackquote(l);
  else {
    const run = runAt(RUN.double, l);
    grow(word, run, false);
    l.at += run.length;
  }
}
