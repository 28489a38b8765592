/**
 * The state of the shell lexer: a stack of frames (what encloses the current character) and the word and
 * command being collected. The stack is explicit because the text is hostile: nesting may be as deep as the
 * text is long.
 */
import type { Hole, ShellContext } from '../../machine/expression.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import type { Span } from '../../source/source-file.js';
import { type Member, memberAfterEsac, memberAfterKeyword, memberOfHeader } from './pipes.js';
import { KEYWORDS } from './programs.js';
import {
  assignedName,
  type Command,
  EXPANSION,
  HOLE,
  type LexedHole,
  type ReadVariable,
  type Redirect,
  reservedText,
  type VariableUse,
  type Word,
  type Zone,
} from './tree.js';

/** What the caller says an interpolation is. `end` is the offset behind its `}`. */
export interface ShellInterpolation {
  readonly end: number;
  readonly hole: Hole;
  readonly list: boolean;
}

/** A mistake at offsets of the shell text; the caller knows where that text stands in a file. */
export interface ShellFinding {
  readonly start: number;
  readonly end: number;
  readonly make: (span: Span) => Diagnostic;
}

/** A here-document announced by `<<` whose body has not begun. */
export interface PendingHeredoc {
  readonly delimiter: string;
  readonly quoted: boolean;
  readonly strip: boolean;
  readonly start: number;
  readonly end: number;
  /** The delimiter as it will be written; changed when a quoted body holds a value. */
  readonly written: { text: string };
  readonly holes: LexedHole[];
}

/** Where a `case` stands: before `in`, among patterns, or among commands. */
type CaseState = 'subject' | 'pattern' | 'body';

export interface CommandFrame {
  readonly kind: 'command';
  /** What ends it; '' for the whole text. */
  readonly close: '' | ')' | '`';
  readonly start: number;
  readonly zone: null;
  readonly commandFrame: CommandFrame;
  readonly depth: number;
  readonly owner: Command | null;
  word: Word | null;
  command: Command;
  redirect: string | null;
  readonly cases: CaseState[];
  /** The member of a pipe that is being read, and those around it that a compound command is part of. */
  member: Member | null;
  readonly enclosing: Member[];
  /** Open parentheses of an extended glob in the current word. */
  globs: number;
  /** Shared by groups of one command list: bodies follow the next line end. */
  readonly heredocs: PendingHeredoc[];
  /** For backticks: the first backslash and the first value inside. */
  escape: number;
  value: LexedHole | null;
}

export interface QuoteFrame {
  readonly kind: 'double' | 'parameter' | 'arithmetic';
  readonly close: '"' | '}' | '))' | ']';
  readonly start: number;
  readonly zone: Zone | null;
  readonly commandFrame: CommandFrame;
  /** In `${…}`: whether single quotes quote there. */
  readonly quotes: boolean;
  /** Open parentheses (or brackets) inside arithmetic. */
  open: number;
}

export type Frame = CommandFrame | QuoteFrame;

export interface Lexing {
  readonly text: string;
  readonly bash: boolean;
  readonly ask: (at: number) => ShellInterpolation | null;
  /** Whether the program has a value of that name here. */
  readonly isValue: (name: string) => boolean;
  /** Members of pipes get groups; some did. */
  readonly wrapsPipes: boolean;
  wrapped: boolean;
  at: number;
  readonly frames: Frame[];
  readonly pieces: (string | LexedHole | { text: string })[];
  /** The text before this offset is in `pieces`. */
  copied: number;
  readonly holes: LexedHole[];
  readonly findings: ShellFinding[];
  readonly commands: Command[];
  readonly functions: Set<string>;
  readonly arithmetic: VariableUse[];
  readonly indirect: VariableUse[];
  readonly variables: ReadVariable[];
  readonly made: Set<string>;
  compound: boolean;
  /** Index in `frames` of the open backtick, or -1. */
  backtick: number;
  /** The next `}` at or behind `at`, found so far; text.length when there is none. */
  nextBrace: number;
}

// ---- output -----------------------------------------------------------------------------------------

/** Writes `written` instead of the text from `start` to `end`. */
export function rewrite(l: Lexing, start: number, end: number, written: string | LexedHole | { text: string }): void {
  if (start > l.copied) l.pieces.push(l.text.slice(l.copied, start));
  if (written !== '') l.pieces.push(written);
  l.copied = end;
}

export function report(l: Lexing, start: number, end: number, make: (span: Span) => Diagnostic): void {
  l.findings.push({ start, end, make });
}

// ---- words ------------------------------------------------------------------------------------------

export function top(l: Lexing): Frame {
  return l.frames[l.frames.length - 1] as Frame;
}

/** The word at this place, begun if there is none. */
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

/** Adds text that the command will receive as it is. */
export function grow(word: Word, text: string, plain: boolean): void {
  if (plain && word.plain === word.text.length && !word.quoted) word.plain += text.length;
  word.text += text;
  const last = word.parts.length - 1;
  if (typeof word.parts[last] === 'string') word.parts[last] += text;
  else word.parts.push(text);
}

/** Adds something whose text only the shell will know. */
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

/** Makes the command known when its first part is complete, so that commands are in the order of the text. */
function known(l: Lexing, command: Command): Command {
  if (isEmpty(command)) l.commands.push(command);
  return command;
}

export function addRedirect(l: Lexing, frame: CommandFrame, redirect: Redirect): void {
  known(l, frame.command).redirects.push(redirect);
}

/** Ends the word before `l.at`, if there is one, and says what it is to its command. */
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
      known(l, command).assignments.push(word);
      return;
    }
  }
  known(l, command).words.push(word);
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

/** Ends the command before `l.at`; `piped` says that the next one reads from it. */
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
