/** Opens and closes frames of the shell lexer, and collects the words and commands in them. */
import type { Hole, ShellContext } from '../../../machine/expression.js';
import { KEYWORDS } from './known-programs.js';
import {
  type CaseState,
  type CommandFrame,
  type Frame,
  type Lexing,
  type Member,
  type PendingHeredoc,
  type QuoteFrame,
  rewrite,
} from './lexing.js';
import {
  assignedName,
  type Command,
  EXPANSION,
  HOLE,
  type LexedHole,
  type Redirect,
  reservedText,
  type Word,
} from './tree.js';

// ---- words ------------------------------------------------------------------------------------------

export function top(l: Lexing): Frame {
  return l.frames[l.frames.length - 1] as Frame;
}

/** The current word; begins one if there is none. */
export function wordAt(l: Lexing, frame: CommandFrame): Word {
  frame.word ??= {
    start: l.at,
    end: l.at,
    text: '',
    plain: 0,
    quoted: false,
    expands: false,
    holes: [],
    reads: [],
    parts: [],
  };
  return frame.word;
}

/** Adds text that the command will receive unchanged. */
export function grow(word: Word, text: string, plain: boolean): void {
  if (plain && word.plain === word.text.length && !word.quoted) word.plain += text.length;
  word.text += text;
  const last = word.parts.length - 1;
  if (typeof word.parts[last] === 'string') word.parts[last] += text;
  else word.parts.push(text);
}

/** Adds a part with a text that only the shell will know. */
export function growExpansion(word: Word): void {
  word.text += EXPANSION;
  word.expands = true;
}

export function addHole(
  l: Lexing,
  found: { start: number; end: number; hole: Hole; list: boolean; raw?: boolean },
  context: ShellContext,
): LexedHole {
  const frame = top(l);
  const word = wordAt(l, frame.commandFrame);
  const hole: LexedHole = {
    start: found.start,
    end: found.end,
    hole: found.hole,
    list: found.list,
    raw: found.raw === true,
    context,
    zone: frame.zone,
    offset: word.text.length,
  };
  word.text += HOLE;
  word.holes.push(hole);
  word.parts.push(found.hole);
  l.holes.push(hole);
  const backtick = l.backtick < 0 ? null : (l.frames[l.backtick] as CommandFrame);
  if (backtick !== null) backtick.value ??= hole;
  rewrite(l, found.start, found.end, hole);
  return hole;
}

// ---- commands ---------------------------------------------------------------------------------------

export function newCommand(frame: Pick<CommandFrame, 'depth' | 'owner' | 'cases'>): Command {
  const role = frame.owner !== null ? 'array' : frame.cases.at(-1) === 'pattern' ? 'pattern' : 'command';
  return {
    role,
    words: [],
    assignments: [],
    redirects: [],
    pipedInto: false,
    depth: frame.depth,
    owner: frame.owner,
    resolved: null,
  };
}

export function openCommandFrame(
  l: Lexing,
  close: CommandFrame['close'],
  enclosing: { depth: number; owner: Command | null; heredocs: PendingHeredoc[] },
): CommandFrame {
  const parts = { depth: enclosing.depth, owner: enclosing.owner, cases: [] as CaseState[] };
  const frame = {
    kind: 'command',
    close,
    start: l.at,
    zone: null,
    ...parts,
    word: null,
    command: newCommand(parts),
    redirect: null,
    globs: 0,
    member: null,
    enclosing: [],
    heredocs: enclosing.heredocs,
    escape: -1,
    value: null,
  } as Omit<CommandFrame, 'commandFrame'> as { -readonly [K in keyof CommandFrame]: CommandFrame[K] };
  frame.commandFrame = frame;
  l.frames.push(frame);
  return frame;
}

export function openQuoteFrame(l: Lexing, kind: QuoteFrame['kind'], close: QuoteFrame['close'], quotes = true): void {
  const { zone, commandFrame } = top(l);
  l.frames.push({
    kind,
    close,
    start: l.at,
    zone: kind === 'double' ? zone : kind,
    commandFrame,
    quotes,
    open: 0,
  });
}

function isEmpty(command: Command): boolean {
  return command.words.length === 0 && command.assignments.length === 0 && command.redirects.length === 0;
}

/** Registers the command when its first part is complete, so that commands are in the order of the text. */
function register(l: Lexing, command: Command): Command {
  if (isEmpty(command)) l.commands.push(command);
  return command;
}

export function addRedirect(l: Lexing, frame: CommandFrame, redirect: Redirect): void {
  register(l, frame.command).redirects.push(redirect);
}

/** Ends the word before `l.at`, if there is one, and assigns its role in the command. */
export function endWord(l: Lexing, frame: CommandFrame): void {
  const word = frame.word;
  if (word === null) return;
  frame.word = null;
  frame.globs = 0;
  word.end = l.at;
  if (frame.redirect !== null) {
    addRedirect(l, frame, { operator: frame.redirect, holes: word.holes });
    frame.redirect = null;
    return;
  }
  const { command } = frame;
  const text = reservedText(word);
  if (command.role === 'pattern' && text === 'esac' && command.words.length === 0) {
    frame.cases.pop();
    memberAfterEsac(frame);
    frame.command = newCommand(frame);
    return;
  }
  if (command.role === 'command' && command.words.length === 0) {
    if (text !== null && KEYWORDS.has(text)) {
      l.compound = true;
      memberAfterKeyword(frame, text);
      return;
    }
    if (text === 'esac') {
      frame.cases.pop();
      memberAfterEsac(frame);
      return;
    }
    if (text === 'case') frame.cases.push('subject');
    if (text === 'case' || text === 'for' || text === 'select') memberOfHeader(frame);
    if (text === '[[') command.role = 'test';
    if (
      assignedName(word) !== null ||
      (word.holes.length > 0 && /^[A-Za-z_]\w*\[/.test(word.text.slice(0, word.plain)))
    ) {
      register(l, command).assignments.push(word);
      return;
    }
  }
  register(l, command).words.push(word);
  afterWord(l, frame, text);
}

/** Reserved words that change what the following words are. */
function afterWord(l: Lexing, frame: CommandFrame, text: string | null): void {
  const { words } = frame.command;
  if (text === ']]' && frame.command.role === 'test') l.compound = true;
  if (frame.cases.at(-1) === 'subject' && text === 'in' && words.length === 3) {
    l.compound = true;
    frame.cases[frame.cases.length - 1] = 'pattern';
    frame.command = newCommand(frame);
  }
  const first = words[0] as Word;
  if (words.length === 2 && first.text === 'function' && reservedText(first) !== null && text !== null) {
    l.functions.add(text);
    words.length = 0;
    l.commands.splice(l.commands.lastIndexOf(frame.command), 1);
    frame.command = newCommand(frame);
  }
}

/** Ends the command before `l.at`. `piped`: the next command reads its output. */
export function endCommand(l: Lexing, frame: CommandFrame, piped = false): void {
  endWord(l, frame);
  frame.redirect = null;
  if (frame.owner !== null) return;
  frame.member = null;
  if (isEmpty(frame.command) && frame.command.role === 'command') {
    if (frame.cases.at(-1) === 'pattern') frame.command = newCommand(frame);
    frame.command.pipedInto ||= piped;
    return;
  }
  frame.command = newCommand(frame);
  frame.command.pipedInto = piped;
}

/** The prefix of a script with such groups: restores `-e` in a member, and examines the member's exit code. */
export const PIPE_PRELUDE =
  '__sdm() { case $1 in (*e*) set -e;; esac; };__sdz() { case $1 in (141) return 0;; esac; return "$1"; };';
// The member is a separate shell, so that it can be killed. It is not an operand of `||`, because `-e` would have no
// effect in it.
const OPEN = '{ __sdo=$-;set +e;(__sdm "$__sdo";';
const CLOSE = ' );__sdz "$?";} ';

const UNKNOWN: Member = { marker: null };
const OPENING = new Set(['if', 'while', 'until', '{']);
const CLOSING = new Set(['fi', 'done', '}']);

/** Called for every character of a command; records the beginning of a member. */
export function beginMember(l: Lexing, frame: CommandFrame, character: string): void {
  if (!l.wrapsPipes || frame.member !== null || frame.owner !== null) return;
  const inCase = frame.cases.at(-1);
  if (inCase === 'pattern' || inCase === 'subject' || ' \t\n;&|)#'.includes(character)) return;
  if (character === '\\' && l.text[l.at + 1] === '\n') return;
  const marker = { text: '' };
  rewrite(l, l.at, l.at, marker);
  frame.member = { marker };
}

/** After a reserved word, the next word begins another member, or the enclosing one continues. */
function memberAfterKeyword(frame: CommandFrame, keyword: string): void {
  if (CLOSING.has(keyword)) frame.member = frame.enclosing.pop() ?? UNKNOWN;
  else if (keyword === 'coproc') frame.member = UNKNOWN;
  else {
    if (OPENING.has(keyword)) frame.enclosing.push(frame.member ?? UNKNOWN);
    frame.member = null;
  }
}

/** `for`, `select` and `case` begin a member that ends with `done` or `esac`. Their own words do not begin members. */
function memberOfHeader(frame: CommandFrame): void {
  frame.enclosing.push(frame.member ?? UNKNOWN);
  frame.member = UNKNOWN;
}

function memberAfterEsac(frame: CommandFrame): void {
  frame.member = frame.enclosing.pop() ?? UNKNOWN;
}

/** Puts the member before the `|` at `l.at` into its group. */
export function wrapMember(l: Lexing, frame: CommandFrame): void {
  const marker = frame.member?.marker ?? null;
  if (!l.wrapsPipes || marker === null || marker.text !== '') return;
  marker.text = OPEN;
  rewrite(l, l.at, l.at, CLOSE);
  l.wrapped = true;
}
