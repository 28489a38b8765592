/** Opens and closes frames of the shell lexer, and collects the words and commands in them. */
import type { Hole, ShellContext } from '../../../machine/expression.js';
import { KEYWORDS } from './known-programs.js';
import {
  type CaseState,
  type CommandFrame,
  type Lexing,
  type LexingFrame,
  type PendingHeredoc,
  type QuoteFrame,
  rewrite,
} from './lexing.js';
import { endPipe, memberAfterEsac, memberAfterKeyword, memberOfHeader } from './piped-members.js';
import {
  assignedName,
  type Command,
  EXPANSION,
  HOLE,
  type LexedHole,
  type Redirect,
  reservedText,
  type Word,
  withItem,
  withName,
} from './tree.js';
import { noteSubscript } from './variables.js';

// ---- words ------------------------------------------------------------------------------------------

const NONE: readonly never[] = [];

export function top(l: Lexing): LexingFrame {
  return l.frames[l.frames.length - 1] as LexingFrame;
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
    holes: NONE,
    reads: NONE,
    parts: NONE,
  };
  return frame.word;
}

/** Adds text that the command will receive unchanged. */
export function grow(word: Word, text: string, plain: boolean): void {
  if (plain && word.plain === word.text.length && !word.quoted) word.plain += text.length;
  word.text += text;
  const last = word.parts.length - 1;
  const before = word.parts[last];
  if (typeof before === 'string') (word.parts as (string | Hole)[])[last] = before + text;
  else word.parts = withItem<string | Hole>(word.parts, text);
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
    reported: false,
    word: undefined,
  };
  word.text += HOLE;
  word.holes = withItem(word.holes, hole);
  word.parts = withItem<string | Hole>(word.parts, found.hole);
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
    assignments: NONE,
    redirects: NONE,
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
    piping: null,
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
  const command = register(l, frame.command);
  command.redirects = withItem(command.redirects, redirect);
}

/** Ends the word before `l.at`, if there is one, and assigns its role in the command. */
export function endWord(l: Lexing, frame: CommandFrame): void {
  const word = frame.word;
  if (word === null) return;
  frame.word = null;
  frame.globs = 0;
  word.end = l.at;
  if (frame.redirect !== null) {
    const { holes, reads, start, end } = word;
    addRedirect(l, frame, { operator: frame.redirect, holes, reads, start, end });
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
      register(l, command).assignments = withItem(command.assignments, word);
      noteAssigned(l, word);
      return;
    }
  }
  register(l, command).words.push(word);
  afterWord(l, frame, text);
}

/** `name[…]=`: the names in its subscript. */
function noteAssigned(l: Lexing, { start, text, plain }: Word): void {
  const [, name] = /^([A-Za-z_]\w*)\[/.exec(text.slice(0, plain)) ?? [];
  if (name !== undefined) noteSubscript(l, start + name.length + 1, name);
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
    l.functions = withName(l.functions, text);
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
  if (!piped) endPipe(l, frame);
  frame.member = null;
  if (isEmpty(frame.command) && frame.command.role === 'command') {
    if (frame.cases.at(-1) === 'pattern') frame.command = newCommand(frame);
    frame.command.pipedInto ||= piped;
    return;
  }
  frame.command = newCommand(frame);
  frame.command.pipedInto = piped;
}
