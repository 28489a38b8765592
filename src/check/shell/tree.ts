/**
 * What the shell lexer finds: words, simple commands, and the interpolations in them. It is a description of
 * the author's text, never a second shell: the shell still reads the text itself, so all that is kept is what
 * decides how a value is written into it and whether the place is safe.
 */
import type { Hole, ShellContext, Template } from '../../machine/expression.js';

/** Stand for an interpolation and for a shell expansion in `Word.text`; no program text can name them. */
export const HOLE = '\u0001';
export const EXPANSION = '\u0002';

/** Lexical surroundings that make even a quoted value an expression. */
export type Zone = 'arithmetic' | 'parameter';

export interface LexedHole {
  /** From `{` (or from `raw(`) to after the last character, in the text. */
  readonly start: number;
  readonly end: number;
  readonly hole: Hole;
  readonly list: boolean;
  /** Written `raw({x})`: spliced as shell source. */
  readonly raw: boolean;
  readonly context: ShellContext;
  readonly zone: Zone | null;
  /** Length of the word's text before it: 0 means that the value begins the word. */
  readonly offset: number;
}

export interface Word {
  readonly start: number;
  end: number;
  /** Quotes and escapes resolved; `HOLE` and `EXPANSION` where the text is only known at run time. */
  text: string;
  /** How much of the text's beginning is written without quotes, escapes and expansions. */
  plain: number;
  /** Some part is quoted, so an empty text is still a word. */
  quoted: boolean;
  /** Holds an expansion or a glob, so the words it becomes are known only at run time. */
  expands: boolean;
  readonly holes: LexedHole[];
  /** Names of the shell variables it reads. */
  readonly reads: string[];
  readonly parts: (string | Hole)[];
}

export interface Redirect {
  /** `>`, `>>`, `<`, `>&`, `<<<`, `<<`, … */
  readonly operator: string;
  readonly holes: readonly LexedHole[];
}

/** `pattern` is a list of patterns of a `case`; `array` the elements of `x=( … )`; `test` is `[[ … ]]`. */
type Role = 'command' | 'array' | 'pattern' | 'test';

/** Which words of a command choose what runs. */
export interface Resolved {
  /** Index of the word that names the program which does the work. */
  readonly program: number;
  /** Indexes of all words that choose a program on the way there. */
  readonly chosen: readonly number[];
}

export interface Command {
  role: Role;
  /** The command word first. Assignments before it are kept apart. */
  readonly words: Word[];
  readonly assignments: Word[];
  readonly redirects: Redirect[];
  /** Its input is the output of another command. */
  pipedInto: boolean;
  /** How many command substitutions it is in. */
  readonly depth: number;
  /** For `array`: the command whose word the array is part of. */
  readonly owner: Command | null;
  /** Kept once found, since several checks ask for it. */
  resolved: Resolved | null;
}

/** A place where the shell evaluates a variable of its own as an expression. */
export interface VariableUse {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

/** `$name` or `${name…}` in text that the shell expands. */
export interface ReadVariable extends VariableUse {
  /** It is `$name` or `${name}` and nothing else: an operator, a subscript or `#` makes more of it. */
  readonly whole: boolean;
  readonly zone: Zone | null;
}

export interface LexedShell {
  /** Source in order; the strings hold no byte of a value. */
  readonly pieces: readonly (string | LexedHole)[];
  readonly holes: readonly LexedHole[];
  readonly commands: readonly Command[];
  readonly functions: ReadonlySet<string>;
  readonly arithmetic: readonly VariableUse[];
  /** Uses of `${!name}`. */
  readonly indirect: readonly VariableUse[];
  /** Variables that are read, where a name that is not there would be empty without a word. */
  readonly variables: readonly ReadVariable[];
  /** Names that expansions and arithmetic assign. */
  readonly made: ReadonlySet<string>;
  /** Members of pipes were put into groups. */
  readonly wrapped: boolean;
  /** More than one simple command: operators, groups, keywords. */
  readonly compound: boolean;
}

/** `{program_dir()}`: an absolute path that no value of the run decides. */
export function isProgramDir({ hole: { value } }: LexedHole): boolean {
  return value.op === 'call' && value.name === 'program_dir';
}

/** A word whose text is exactly what the command will receive. */
export function isExact(word: Word): boolean {
  return word.holes.length === 0 && !word.expands;
}

/** The text of an exact word, or null. */
export function exactText(word: Word | undefined): string | null {
  return word !== undefined && isExact(word) ? word.text : null;
}

/** The word read as a reserved word would be: nothing in it is quoted. */
export function reservedText(word: Word): string | null {
  return isExact(word) && !word.quoted && word.plain === word.text.length ? word.text : null;
}

export function wordTemplate(word: Word): Template {
  return word.parts.length > 0 ? word.parts : [''];
}

/** The name before an `=` that makes a word an assignment, or null. */
export function assignedName(word: Word): string | null {
  const match = /^([A-Za-z_]\w*)(\[[^\]]*\])?\+?=/.exec(word.text);
  if (match === null) return null;
  const name = match[1] as string;
  // Only an unquoted name counts; the subscript of an array element may be quoted.
  const needed = match[2] === undefined ? match[0].length : name.length + 1;
  return word.plain >= needed ? name : null;
}
