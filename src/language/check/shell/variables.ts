/**
 * Finds the shell variables that a text reads and sets. A value of the program is not a shell variable, so `$name` is
 * empty unless the text sets it. The caller, which knows the program's names, reports such reads.
 */
import { isSign, programName, resolveProgram } from './known-programs.js';
import type { Lexing } from './lexing.js';
import {
  assignedName,
  type Command,
  exactText,
  type LexedShell,
  type ReadVariable,
  type VariableUse,
  type Word,
} from './tree.js';

const READ = /\$(?:([A-Za-z_]\w*)|\{(#?)([A-Za-z_]\w*)(\[[^\]\n]{0,200}\])?(.?))/y;
/** `${x:-…}`, `${x:=…}`, `${x:?…}`, `${x:+…}`: their author expects that the variable may be missing. */
const DEFAULTS = /^:?[-=?+]/;

/** Records the variable that is read at a `$`. */
export function noteVariable(l: Lexing, at: number, zone: ReadVariable['zone']): void {
  READ.lastIndex = at;
  const match = READ.exec(l.text);
  if (match === null) return;
  const [, bare, length, braced, subscript, operator = ''] = match;
  if (bare !== undefined) {
    l.variables.push({ name: bare, start: at, end: at + 1 + bare.length, whole: true, zone });
    return;
  }
  const name = braced as string;
  const nameEnd = at + 2 + (length?.length ?? 0) + name.length + (subscript?.length ?? 0);
  const rest = l.text.slice(nameEnd, nameEnd + 2);
  if (DEFAULTS.test(rest)) {
    if (/^:?=/.test(rest)) l.made.add(name);
    return;
  }
  const whole = operator === '}' && length === '' && subscript === undefined;
  l.variables.push({ name, start: at, end: whole ? nameEnd + 1 : nameEnd, whole, zone });
}

const ASSIGNS = /\s*(?:=(?!=)|\+\+|--|(?:[-+*/%&|^]|<<|>>)=)/y;

/** Records a name in arithmetic, which sets it (`(( n++ ))`, `$(( n = 1 ))`) or reads it like `$n`. */
export function noteArithmetic(l: Lexing, name: string, end: number): void {
  ASSIGNS.lastIndex = end;
  const start = end - name.length;
  if (ASSIGNS.test(l.text) || /(?:\+\+|--)\s*$/.test(l.text.slice(Math.max(0, start - 4), start))) l.made.add(name);
  // Not the digits of `0xff` and `16#ff`, and no key of an array.
  else if (!/[\w#]$|(?:^|[^$])\[$/.test(l.text.slice(Math.max(0, start - 2), start)))
    l.variables.push({ name, start, end, whole: true, zone: 'arithmetic' });
}

/** Records the names in the subscript of an array that begins at `from`. */
export function noteSubscript(l: Lexing, from: number, array: string): void {
  noteEvaluated(l, from, ']', { array });
}

/** Longer ones are not looked through. */
const LONGEST = 200;

/** Subscripts and the numbers of a substring are arithmetic: a variable in them is evaluated, and so is what it contains. */
export function noteEvaluated(l: Lexing, from: number, close: string, of: Pick<VariableUse, 'array'> = {}): void {
  const [text = '', isClosed] = l.text.slice(from, from + LONGEST).split(close, 2);
  if (isClosed === undefined) return;
  for (const { 0: name, index } of text.matchAll(/[A-Za-z_]\w*/g))
    l.arithmetic.push({ name, start: from + index, end: from + index + name.length, ...of });
}

/** Variables that the text reads and does not set; none if it runs code that is not visible here. */
export function unmadeVariables(lexed: LexedShell): readonly ReadVariable[] {
  if (lexed.variables.length === 0) return lexed.variables;
  const made = new Set(lexed.made);
  for (const command of lexed.commands) if (!noteMade(command, made)) return [];
  return lexed.variables.filter(({ name }) => !made.has(name));
}

/** Builtins that set the variables named by their arguments. */
const MAKERS = new Set(
  'read mapfile readarray getopts local declare typeset export readonly for select let'.split(' '),
);

/** False if a command runs other shell text in this shell. */
function noteMade(command: Command, made: Set<string>): boolean {
  for (const word of command.assignments) noteName(assignedName(word), made);
  const [first] = command.words;
  if (command.role !== 'command' || first === undefined) return true;
  const { program } = resolveProgram(command);
  const name = programName(command.words[program]) ?? '';
  if (name === 'eval' || name === 'source' || name === '.') return false;
  // `DO := read x`: the command is behind a sign that is none.
  if (isSign(name)) return false;
  const rest = command.words.slice(program + 1);
  if (MAKERS.has(name)) {
    // `export $(cat .env)` sets names that are not visible here.
    if (rest.some(({ text, expands }) => expands && !/^-|^[A-Za-z_]\w*(?:\[.*\])?\+?=/.test(text))) return false;
    for (const word of rest) noteName(/^[A-Za-z_]\w*/.exec(word.text)?.[0] ?? null, made);
  } else if (name === 'printf' || name === 'wait') noteOption(rest, name === 'printf' ? '-v' : '-p', made);
  // `coproc NAME { …; }`: the keyword is skipped, and its name is in the position of a command.
  else noteName(exactText(first) === null ? null : coprocName(first), made);
  return true;
}

function coprocName(word: Word): string | null {
  return /^[A-Z_][A-Z0-9_]*$/.test(word.text) ? word.text : null;
}

function noteOption(words: readonly Word[], option: string, made: Set<string>): void {
  words.forEach((word, at) => {
    if (word.text === option) noteName(words[at + 1]?.text ?? null, made);
    else if (word.text.startsWith(option)) noteName(word.text.slice(option.length), made);
  });
}

function noteName(name: string | null, made: Set<string>): void {
  const found = name === null ? null : /^[A-Za-z_]\w*/.exec(name)?.[0];
  if (found != null) made.add(found);
}
