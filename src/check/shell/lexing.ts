/**
 * The state of the shell lexer: a stack of frames (what encloses the current character), and what was read and written so
 * far. The stack is explicit because the text is hostile: nesting may be as deep as the text is long.
 */
import type { Hole } from '../../machine/expression.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import type { Span } from '../../source/source-file.js';
import type { Command, LexedHole, ReadVariable, VariableUse, Word, Zone } from './tree.js';

/** What the caller says an interpolation is. `end` is the offset after its `}`. */
export interface ShellInterpolation {
  readonly end: number;
  readonly hole: Hole;
  readonly list: boolean;
}

/** A mistake at offsets of the shell text; the caller knows where that text is in a file. */
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

/** Where a `case` is: before `in`, among patterns, or among commands. */
export type CaseState = 'subject' | 'pattern' | 'body';

/** Where a member of a pipe may begin: what is written there when a `|` follows it; null where that is not known. */
export interface Member {
  readonly marker: { text: string } | null;
}

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
  /** The next `}` at or after `at`, found so far; text.length when there is none. */
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
