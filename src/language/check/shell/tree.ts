/**
 * The output of the shell lexer: words, simple commands, and their interpolations. The shell still reads the text
 * itself, so this tree contains only the facts that decide how a value is written and whether its position is safe.
 */
import type { Hole, ShellContext, ShellHole, Template } from '../../../machine/expression.js';

/** Placeholders for an interpolation and for a shell expansion in `Word.text`. No program text can contain them. */
export const HOLE = '\u0001';
export const EXPANSION = '\u0002';

/** Constructs in which even a quoted value is an expression. */
export type Zone = 'arithmetic' | 'parameter';

export interface LexedHole {
  /** The range in the text, from `{` or `raw(` to the end. */
  readonly start: number;
  readonly end: number;
  readonly hole: Hole;
  readonly list: boolean;
  /** Written as `raw({x})`: inserted as shell source. */
  readonly raw: boolean;
  readonly context: ShellContext;
  readonly zone: Zone | null;
  /** The length of the word's text before the value; 0 if the value begins the word. */
  readonly offset: number;
  /** One message about a value is enough. */
  reported: boolean;
  /** Set if the value becomes an argument or an environment variable of an external program: the word that contains it. */
  word: ShellHole['word'];
}

export interface Word {
  readonly start: number;
  end: number;
  /** The text with quotes and escapes resolved. `HOLE` and `EXPANSION` replace parts that only the run knows. */
  text: string;
  /** The length of the beginning without quotes, escapes and expansions. */
  plain: number;
  /** A part is quoted, so even an empty text is a word. */
  quoted: boolean;
  /** Contains an expansion or a glob, so the resulting words are known only at run time. */
  expands: boolean;
  /** Most words have none: these lists are made when something comes into them. */
  holes: readonly LexedHole[];
  /** The names of the shell variables that the word reads. */
  reads: readonly string[];
  parts: readonly (string | Hole)[];
}

export interface Redirect {
  /** `>`, `>>`, `<`, `>&`, `<<<`, `<<`, … */
  readonly operator: string;
  readonly holes: readonly LexedHole[];
  /** The names of the shell variables that its word or its body reads. */
  readonly reads: readonly string[];
  readonly start: number;
  readonly end: number;
}

/** `pattern` is a list of patterns of a `case`; `array` the elements of `x=( … )`; `test` is `[[ … ]]`. */
type Role = 'command' | 'array' | 'pattern' | 'test';

/** The words of a command that choose the program. */
export interface Resolved {
  /** The index of the word that names the actual program. */
  readonly program: number;
  /** The indexes of all words that choose a program, including wrappers. */
  readonly chosen: readonly number[];
}

export interface Command {
  role: Role;
  /** The words, beginning with the command word. Assignments before it are separate. */
  readonly words: Word[];
  assignments: readonly Word[];
  redirects: readonly Redirect[];
  /** Its standard input is the output of another command. */
  pipedInto: boolean;
  /** The number of enclosing command substitutions. */
  readonly depth: number;
  /** For `array`: the command with the word that contains the array. */
  readonly owner: Command | null;
  /** Cached, because several checks need it. */
  resolved: Resolved | null;
}

/** A position in which the shell evaluates one of its variables as an expression. */
export interface VariableUse {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** In a subscript: its array. The keys of an associative one are texts. */
  readonly array?: string;
  /** `${name@P}`: its text is expanded again. */
  readonly prompt?: true;
}

/** `$name` or `${name…}` in text that the shell expands, or `name` in arithmetic. */
export interface ReadVariable extends VariableUse {
  /** It is just `$name` or `${name}`, without an operator, a subscript or `#`. */
  readonly whole: boolean;
  readonly zone: Zone | null;
  /** A test compares the word itself, as in `[ n -gt 3 ]`. */
  readonly literal?: true;
}

export interface LexedShell {
  /** The source in order. The strings contain no byte of a value. */
  readonly pieces: readonly (string | LexedHole | { readonly text: string })[];
  readonly holes: readonly LexedHole[];
  readonly commands: readonly Command[];
  readonly functions: ReadonlySet<string>;
  readonly arithmetic: readonly VariableUse[];
  /** Uses of `${!name}`. */
  readonly indirect: readonly VariableUse[];
  /** Variables that are read and would silently be empty if they are not set. */
  readonly variables: readonly ReadVariable[];
  /** Names that expansions and arithmetic set. */
  readonly made: ReadonlySet<string>;
  /** Whether members of pipes were put into groups. */
  readonly wrapped: boolean;
  /** The pipes of the script itself, each with its offset and the commands of its members. */
  readonly pipes: readonly { readonly start: number; readonly commands: readonly (Command | null)[] }[];
  /** More than one simple command: operators, groups, keywords. */
  readonly compound: boolean;
}

/** `{program_dir()}`: an absolute path that does not depend on values of the run. */
export function isProgramDir({ hole: { value } }: LexedHole): boolean {
  return value.op === 'call' && value.name === 'program_dir';
}

/** Whether the command receives exactly the text of the word. */
export function isExact(word: Word): boolean {
  return word.holes.length === 0 && !word.expands;
}

/** The text of an exact word, or null. */
export function exactText(word: Word | undefined): string | null {
  return word !== undefined && isExact(word) ? word.text : null;
}

/** The text of a word if it can be a reserved word: nothing in it is quoted. */
export function reservedText(word: Word): string | null {
  return isExact(word) && !word.quoted && word.plain === word.text.length ? word.text : null;
}

export function wordTemplate(word: Word): Template {
  return word.parts.length > 0 ? word.parts : [''];
}

/** The name in a word that is an assignment, or null. */
export function assignedName(word: Word): string | null {
  const match = /^([A-Za-z_]\w*)(\[[^\]]*\])?\+?=/.exec(word.text);
  if (match === null) return null;
  const name = match[1] as string;
  // Only an unquoted name makes an assignment. The subscript of an array element may be quoted.
  const needed = match[2] === undefined ? match[0].length : name.length + 1;
  return word.plain >= needed ? name : null;
}

/** `push` would reserve room for seventeen, and most lists of words and commands stay with one or none. */
export function withItem<Item>(list: readonly Item[], item: Item): readonly Item[] {
  if (list.length === 0) return [item];
  (list as Item[]).push(item);
  return list;
}

/** The names of most texts: those that define nothing share an empty set. */
export const NO_NAMES: ReadonlySet<string> = new Set();

export function withName(names: ReadonlySet<string>, name: string): ReadonlySet<string> {
  if (names === NO_NAMES) return new Set([name]);
  (names as Set<string>).add(name);
  return names;
}
