/**
 * Finds the shell variables that a text reads and sets. A value of the program is not a shell variable, so `$name` is
 * empty unless the text sets it. The caller, which knows the program's names, reports such reads.
 */
import { isSign, programName, resolveProgram } from './known-programs.js';
import type { Lexing } from './lexing.js';
import {
  assignedName,
  type Command,
  EXPANSION,
  exactText,
  HOLE,
  isExact,
  type LexedShell,
  type ReadVariable,
  reservedText,
  type VariableUse,
  type Word,
  withName,
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
    if (/^:?=/.test(rest)) l.made = withName(l.made, name);
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
  if (ASSIGNS.test(l.text) || /(?:\+\+|--)\s*$/.test(l.text.slice(Math.max(0, start - 4), start)))
    l.made = withName(l.made, name);
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
  const inWords: ReadVariable[] = [];
  for (const command of lexed.commands) for (const one of variablesInWords(command)) inWords.push(one);
  if (lexed.variables.length + inWords.length === 0) return lexed.variables;
  const made = new Set(lexed.made);
  for (const command of lexed.commands) if (!noteMade(command, made)) return [];
  const read = [...lexed.variables, ...inWords].filter(({ name }) => !made.has(name));
  return inWords.length === 0 ? read : read.sort((a, b) => a.start - b.start);
}

const NOTHING: readonly ReadVariable[] = [];

/** Words without a `$` that were meant as values: those that are evaluated, and those that a test compares as they are written. */
function variablesInWords({ role, words }: Command): readonly ReadVariable[] {
  const first = words[0]?.text;
  if (role === 'test') return comparedWords(words, true);
  if (role !== 'command') return NOTHING;
  if (first === '[' || first === 'test') return comparedWords(words, false);
  if (first === 'let') return words.slice(1).flatMap((word) => namesEvaluated(word));
  if (first !== 'declare' && first !== 'typeset' && first !== 'local') return NOTHING;
  return words.some(({ text }) => /^-[a-zA-Z]*i/.test(text))
    ? words.slice(1).flatMap((word) => namesEvaluated(word))
    : NOTHING;
}

/** `[[ n -gt 3 ]]` evaluates `n`; `[ n -gt 3 ]`, `[ n = 3 ]` and `[ -z n ]` compare the letter. */
function comparedWords(words: readonly Word[], evaluates: boolean): ReadVariable[] {
  const found: ReadVariable[] = [];
  words.forEach((word, at) => {
    const operator = reservedText(word) ?? '';
    const [left, right] = [words[at - 1], words[at + 1]];
    if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(operator)) {
      for (const side of [left, right])
        if (side !== undefined) found.push(...(evaluates ? namesEvaluated(side) : writtenWord(side, 'arithmetic')));
    } else if (operator === '-z' || operator === '-n') {
      if (right !== undefined) found.push(...writtenWord(right, null));
    } else if (
      /^(?:==?|!=)$/.test(operator) &&
      left !== undefined &&
      right !== undefined &&
      isExact(left) &&
      isExact(right)
    )
      found.push(...writtenWord(left, null), ...writtenWord(right, null));
  });
  return found;
}

function writtenWord(word: Word, zone: ReadVariable['zone']): ReadVariable[] {
  const name = reservedText(word);
  if (name === null || !/^[A-Za-z_]\w*$/.test(name)) return [];
  return [{ name, start: word.start, end: word.end, whole: true, zone, literal: true }];
}

/** Longer expressions are not looked through. */
const LONGEST_EXPRESSION = 1000;

/** The names that a word reads as an expression: not those that it sets, no digits as in `0xff`, and no key of an array. */
function namesEvaluated(word: Word): ReadVariable[] {
  const { text, start, end } = word;
  const around = end - start - text.length;
  const isWritten = word.quoted ? around === 2 && word.plain === 0 : around === 0;
  if (!isWritten || text.length > LONGEST_EXPRESSION || text.includes(HOLE) || text.includes(EXPANSION)) return [];
  const from = start + around / 2;
  return [...text.matchAll(/(?<![\w#[]|\+\+|--)[A-Za-z_]\w*(?!\w|\s*(?:=(?!=)|\+\+|--|(?:[-+*/%&|^]|<<|>>)=))/g)].map(
    ({ 0: name, index }) => ({
      name,
      start: from + index,
      end: from + index + name.length,
      whole: true,
      zone: 'arithmetic',
    }),
  );
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
