/** The operators of the shell: they end a command, open a group, redirect, or belong to a `case` or `[[ ]]`. */
import { choiceWord } from '../../source/catalogue/shell.js';
import {
  endCommand,
  endWord,
  grow,
  growExpansion,
  newCommand,
  openCommandFrame,
  openQuoteFrame,
  wordAt,
} from './frames.js';
import { readHeredocStart } from './heredoc.js';
import { readRaw } from './holes.js';
import { ACTS_ON_OPTIONS, BUILTINS, DECLARING_BUILTINS, KEYWORDS } from './known-programs.js';
import { type CommandFrame, type Lexing, report } from './lexing.js';
import { wrapMember } from './piped-members.js';
import { reservedText, withName } from './tree.js';

export function readOperator(l: Lexing, frame: CommandFrame, character: string): void {
  if (frame.globs > 0 && '()|&;'.includes(character)) return insideGlob(l, frame, character);
  if (frame.command.role === 'test' && !endsTest(frame)) return insideTest(l, frame, character);
  switch (character) {
    case ';':
      return semicolon(l, frame);
    case '&':
      return ampersand(l, frame);
    case '|':
      return pipe(l, frame);
    case '(':
      return open(l, frame);
    case ')':
      return close(l, frame);
    default:
      return redirect(l, frame);
  }
}

function insideGlob(l: Lexing, frame: CommandFrame, character: string): void {
  frame.globs += character === '(' ? 1 : character === ')' ? -1 : 0;
  grow(wordAt(l, frame), character, false);
  l.at++;
}

/** Whether a `[[` has met its `]]`. */
export function endsTest(frame: CommandFrame): boolean {
  const last = frame.word ?? frame.command.words.at(-1);
  return last !== undefined && frame.command.words.length > 0 && reservedText(last) === ']]';
}

/** In `[[ … ]]` only `&&` and `||` are separators; parentheses and bars may belong to a regular expression. */
function insideTest(l: Lexing, frame: CommandFrame, character: string): void {
  const double = l.text[l.at + 1] === character && '&|'.includes(character);
  const matching = frame.command.words.at(-1)?.text === '=~';
  if (matching && !double) {
    const word = wordAt(l, frame);
    word.expands = true;
    grow(word, character, true);
    l.at++;
    return;
  }
  endWord(l, frame);
  // The operator becomes a separate word, which distinguishes it from operands.
  grow(wordAt(l, frame), double ? character + character : character, true);
  l.at += double ? 2 : 1;
  endWord(l, frame);
}

function semicolon(l: Lexing, frame: CommandFrame): void {
  l.compound = true;
  endCommand(l, frame);
  const written = /;;&|;;|;&|;/y;
  written.lastIndex = l.at;
  const operator = written.exec(l.text)?.[0] as string;
  if (operator !== ';' && frame.cases.at(-1) === 'body') {
    frame.cases[frame.cases.length - 1] = 'pattern';
    frame.command = newCommand(frame);
  }
  l.at += operator.length;
}

function ampersand(l: Lexing, frame: CommandFrame): void {
  if (l.text[l.at + 1] === '>') {
    const append = l.text[l.at + 2] === '>';
    endWord(l, frame);
    frame.redirect = append ? '&>>' : '&>';
    l.at += frame.redirect.length;
    return;
  }
  l.compound = true;
  endCommand(l, frame);
  const isJoin = l.text[l.at + 1] === '&';
  if (isJoin) l.joins = { start: l.at, end: l.at + 2 };
  l.at += isJoin ? 2 : 1;
}

/** Patterns for the first word of a choice (alone, as the value of an option, or in braces) and for the others. */
const FIRST_CHOICE = /^(?:-{0,2}\w[\w-]*=)?\{?[A-Za-z_][\w-]*$/;
const CHOICES = /(?:\|\w[\w-]*)+\}?(?=[\s;&)]|$)/y;

function pipe(l: Lexing, frame: CommandFrame): void {
  if (frame.command.role === 'pattern') {
    endWord(l, frame);
    l.at++;
    return;
  }
  findChoice(l, frame);
  const or = l.text[l.at + 1] === '|';
  l.compound = true;
  if (!or) {
    endWord(l, frame);
    wrapMember(l, frame);
  }
  endCommand(l, frame, !or);
  const end = l.at + (or || l.text[l.at + 1] === '&' ? 2 : 1);
  l.joins = { start: l.at, end };
  l.at = end;
}

/** Finds a choice as in a manual, `update task complete|blocked`, which a shell would run as a pipe. */
function findChoice(l: Lexing, frame: CommandFrame): void {
  const word = frame.word;
  if (word === null || frame.redirect !== null || frame.command.words.length === 0) return;
  if (frame.command.role !== 'command' || !FIRST_CHOICE.test(reservedText(word) ?? '')) return;
  CHOICES.lastIndex = l.at;
  const rest = CHOICES.exec(l.text)?.[0];
  if (rest === undefined) return;
  const names = rest.slice(1).replace(/\}$/, '').split('|');
  if (names.some((name) => BUILTINS.has(name) || KEYWORDS.has(name) || ACTS_ON_OPTIONS.has(name))) return;
  const { start } = word;
  const text = l.text.slice(start, l.at) + rest;
  report(l, start, l.at + rest.length, (span) => choiceWord(span, { text }));
}

// ---- parentheses ------------------------------------------------------------------------------------

function open(l: Lexing, frame: CommandFrame): void {
  const { text, at } = l;
  const { word, command } = frame;
  if (readRaw(l, frame)) return;
  if (frame.cases.at(-1) === 'pattern' && word === null && command.words.length === 0) {
    l.at++;
    return;
  }
  if (word !== null && /[?*+@!]/.test(text[at - 1] ?? '') && (command.words.length > 0 || word.text.length > 1)) {
    word.expands = true;
    frame.globs = 1;
    grow(word, '(', false);
    l.at++;
    return;
  }
  if (word !== null && word.plain === word.text.length && opensArray(frame, word.text)) return openArray(l, frame);
  if (definesFunction(l, frame)) return;
  l.compound = true;
  // In sh these are two subshells.
  if (l.bash && text[at + 1] === '(' && word === null && (command.words.length === 0 || isFor(frame))) {
    grow(wordAt(l, frame), '((', false);
    openQuoteFrame(l, 'arithmetic', '))');
    l.at += 2;
    return;
  }
  const { member } = frame;
  frame.member = null;
  endCommand(l, frame);
  frame.member = member;
  const { pipedInto } = frame.command;
  openCommandFrame(l, ')', { depth: frame.depth, owner: null, heredocs: frame.heredocs }).command.pipedInto = pipedInto;
  l.at++;
}

function isFor(frame: CommandFrame): boolean {
  return frame.command.words.length === 1 && frame.command.words[0]?.text === 'for';
}

function opensArray(frame: CommandFrame, text: string): boolean {
  const { words } = frame.command;
  const first = words[0]?.text ?? '';
  return (words.length === 0 || DECLARING_BUILTINS.has(first)) && /^[A-Za-z_]\w*(?:\[[^\]]*\])?\+?=$/.test(text);
}

function openArray(l: Lexing, frame: CommandFrame): void {
  growExpansion(wordAt(l, frame));
  const array = openCommandFrame(l, ')', { depth: frame.depth, owner: frame.command, heredocs: frame.heredocs });
  l.commands.push(array.command);
  l.at++;
}

/** `name()`: the following commands are the body of a function. */
function definesFunction(l: Lexing, frame: CommandFrame): boolean {
  const closing = /\([ \t]*\)/y;
  closing.lastIndex = l.at;
  const found = closing.exec(l.text);
  if (found === null) return false;
  const { word, command } = frame;
  const name = word !== null ? word : command.words[0];
  if (name === undefined || command.words.length !== (word !== null ? 0 : 1) || name.holes.length > 0) return false;
  l.functions = withName(l.functions, name.text);
  l.compound = true;
  frame.word = null;
  if (word === null) l.commands.splice(l.commands.lastIndexOf(command), 1);
  frame.command = newCommand(frame);
  l.at += found[0].length;
  return true;
}

function close(l: Lexing, frame: CommandFrame): void {
  l.compound = true;
  if (frame.cases.at(-1) === 'pattern' && (frame.word === null || reservedText(frame.word) !== 'esac')) {
    endWord(l, frame);
    frame.cases[frame.cases.length - 1] = 'body';
    frame.command = newCommand(frame);
    frame.member = null;
    l.at++;
    return;
  }
  endCommand(l, frame);
  l.at++;
  if (frame.close !== ')') return;
  l.frames.pop();
}

// ---- redirections -----------------------------------------------------------------------------------

const REDIRECT = /<<<|<>|<&|>&|>>|>\||[<>]/y;

function redirect(l: Lexing, frame: CommandFrame): void {
  const { text, at } = l;
  if (text[at + 1] === '(') {
    growExpansion(wordAt(l, frame));
    openCommandFrame(l, ')', { depth: frame.depth + 1, owner: null, heredocs: [] });
    l.at += 2;
    return;
  }
  // Digits directly before the operator are a file descriptor, not an argument.
  if (frame.word !== null && /^\d+$/.test(reservedText(frame.word) ?? '')) frame.word = null;
  if (text.startsWith('<<', at) && text[at + 2] !== '<' && readHeredocStart(l, frame)) return;
  endWord(l, frame);
  REDIRECT.lastIndex = at;
  const operator = REDIRECT.exec(text)?.[0] as string;
  l.at += operator.length;
  frame.redirect = operator;
}
