/**
 * The state of the shell lexer: a stack of frames for the enclosing constructs, and the input and output so far. The
 * stack is explicit instead of recursive, because hostile text can be nested as deeply as it is long.
 */
import type { Hole } from '../../../machine/expression.js';
import type { Diagnostic, Span } from '../../source/diagnostic.js';
import type { Command, LexedHole, ReadVariable, VariableUse, Word, Zone } from './tree.js';

/** An interpolation, as the caller resolves it. `end` is the offset after its `}`. */
export interface ShellInterpolation {
  readonly end: number;
  readonly hole: Hole;
  readonly list: boolean;
}

/** A mistake at offsets of the shell text. The caller knows the position of that text in a file. */
export interface ShellFinding {
  readonly start: number;
  readonly end: number;
  readonly make: (span: Span) => Diagnostic;
}

/** A here-document after its `<<` and before its body. */
export interface PendingHeredoc {
  readonly delimiter: string;
  readonly quoted: boolean;
  readonly strip: boolean;
  readonly start: number;
  readonly end: number;
  /** The delimiter as it will be written. It changes if a quoted body contains a value. */
  readonly written: { text: string };
  readonly holes: LexedHole[];
  /** The names of the shell variables in its body. */
  readonly reads: string[];
}

/** The position in a `case`: before `in`, in patterns, or in commands. */
export type CaseState = 'subject' | 'pattern' | 'body';

/**
 * A position at which a member of a pipe may begin. `marker` is the output at that position, which is filled in if a
 * `|` follows; null if the position is unknown.
 */
export interface MemberStart {
  readonly marker: { text: string } | null;
  /** The offset at which it begins. */
  readonly start: number;
  /** The pipe of which it is a later member. */
  readonly pipe: LexedPipe | null;
}

/** A pipe, with the command of each member so far; null for a member that is not one simple command. */
export interface LexedPipe {
  readonly start: number;
  readonly commands: (Command | null)[];
}

export interface CommandFrame {
  readonly kind: 'command';
  /** The text that ends the command; '' for the whole text. */
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
  /** The current member of a pipe, and the enclosing members, which contain a compound command. */
  member: MemberStart | null;
  /** The pipe of which the next member is a part. */
  piping: LexedPipe | null;
  readonly enclosing: MemberStart[];
  /** Open parentheses of an extended glob in the current word. */
  globs: number;
  /** Groups of one command list share the list, because bodies follow the next line end. */
  readonly heredocs: PendingHeredoc[];
  /** For backticks: the offset of the first backslash, and the first value inside. */
  escape: number;
  value: LexedHole | null;
}

export interface QuoteFrame {
  readonly kind: 'double' | 'parameter' | 'arithmetic';
  readonly close: '"' | '}' | '))' | ']';
  readonly start: number;
  readonly zone: Zone | null;
  readonly commandFrame: CommandFrame;
  /** In `${…}`: whether single quotes quote. */
  readonly quotes: boolean;
  /** Open parentheses (or brackets) inside arithmetic. */
  open: number;
}

export type LexingFrame = CommandFrame | QuoteFrame;

export interface Lexing {
  readonly text: string;
  readonly bash: boolean;
  readonly ask: (at: number) => ShellInterpolation | null;
  /** Whether the program has a value of that name. */
  readonly isValue: (name: string) => boolean;
  /** Whether anything in it looks like a space and is none. */
  readonly hasOddBlank: boolean;
  /** Whether members of pipes are put into groups, and whether any was. */
  readonly wrapsPipes: boolean;
  wrapped: boolean;
  /** The pipes that the shell of the script itself executes. */
  readonly pipes: LexedPipe[];
  at: number;
  readonly frames: LexingFrame[];
  readonly pieces: (string | LexedHole | { text: string })[];
  /** The text before this offset is already in `pieces`. */
  copied: number;
  readonly holes: LexedHole[];
  readonly findings: ShellFinding[];
  readonly commands: Command[];
  functions: ReadonlySet<string>;
  readonly arithmetic: VariableUse[];
  readonly indirect: VariableUse[];
  readonly variables: ReadVariable[];
  made: ReadonlySet<string>;
  compound: boolean;
  /** The last operator after which a command must follow; null: none. */
  joins: { readonly start: number; readonly end: number } | null;
  /** Index in `frames` of the open backtick, or -1. */
  backtick: number;
  /** The offset of the next `}` found so far; text.length if there is none. */
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
