/**
 * Reports positions in which even a quoted value becomes code or a name: arithmetic, names of variables, programs for a
 * shell, the command word. Quoting cannot make them safe, so they are errors.
 */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { unreachable } from '../../../prelude/unreachable.js';
import { type UnsafePosition, unsafePosition } from '../../source/catalogue/shell.js';
import { commandIn, isCodeVariable, valuesTaken } from './code-names.js';
import { type HeldValues, heldValues } from './held-values.js';
import {
  baseName,
  CONTAINER_RUNNERS,
  DECLARING_BUILTINS,
  NAMING_BUILTINS,
  programName,
  resolveProgram,
  SHELL_STARTERS,
  SHELLS,
} from './known-programs.js';
import type { ShellFinding } from './lexing.js';
import {
  assignedName,
  type Command,
  exactText,
  isProgramDir,
  type LexedHole,
  type LexedShell,
  NO_NAMES,
  type Word,
  withItem,
  withName,
} from './tree.js';

/** Variables of bash that evaluate assigned values. */
export const INTEGER_VARIABLES = new Set(['OPTIND', 'RANDOM', 'SRANDOM', 'SECONDS', 'LINENO', 'HISTCMD', 'BASHPID']);
const ARITHMETIC_TEST = /^-(?:eq|ne|lt|le|gt|ge)$/;

/** The context that the checks of one text share. */
export interface ShellChecks {
  readonly lexed: LexedShell;
  readonly strict: boolean;
  /** Whether the command is a list of words, which no shell reads. */
  readonly argv: boolean;
  readonly findings: ShellFinding[];
  /** Shell variables that contain a value of the program. */
  readonly held: HeldValues;
  /** Those that contain one when the text begins. */
  readonly given: ReadonlyMap<string, string>;
  /** Variables that programs inherit; null before anything asks. */
  exported: ReadonlySet<string> | null;
  /** Shell variables that the text declares as integers: their assignments are arithmetic. */
  integers: ReadonlySet<string>;
  /** Arrays that the text declares as associative: their subscripts are texts. */
  associative: ReadonlySet<string>;
}

/** `given` are variables that contain a value when the text begins, each with the interpolation. */
export function shellChecks(
  lexed: LexedShell,
  given: ReadonlyMap<string, string>,
  { strict, findings, argv = false }: Pick<ShellChecks, 'strict' | 'findings'> & { readonly argv?: boolean },
): ShellChecks {
  // Spreading the options would take longer than the checks of a short text.
  const checks: ShellChecks = {
    strict,
    argv,
    findings,
    lexed,
    given,
    held: heldValues(lexed, given),
    exported: null,
    integers: NO_NAMES,
    associative: NO_NAMES,
  };
  for (const command of lexed.commands)
    if (DECLARING_BUILTINS.has(programName(command.words[0]) ?? '')) collectDeclared(checks, command);
  return checks;
}

export function checkPositions(checks: ShellChecks): void {
  const { lexed } = checks;
  for (const hole of lexed.holes) if (hole.zone !== null) checkUnsafe(checks, hole, hole.zone, '', true);
  for (const command of lexed.commands) checkCommand(checks, command);
}

/**
 * Reports a value, unless it is inserted with `raw`, or is a checked number in a position where numbers are harmless.
 */
function checkUnsafe(
  checks: ShellChecks,
  hole: LexedHole,
  position: UnsafePosition,
  command: string,
  numbers: boolean,
): void {
  const { filter, source } = hole.hole;
  if (hole.raw || hole.reported || (numbers && filter === 'int')) return;
  // The value is the program's own folder, so running a script next to it is safe.
  if ((position === 'command-word' || position === 'code-argument') && isProgramDir(hole)) return;
  hole.reported = true;
  const mendable = numbers && filter === undefined && !hole.list;
  checks.findings.push({
    start: hole.start,
    end: hole.end,
    make: (span) =>
      unsafePosition(span, {
        position,
        source,
        command,
        ...omitUndefined({ integer: mendable ? { span, text: `${source.slice(0, -1)}:int}` } : undefined }),
      }),
  });
}

function unsafeWord(
  checks: ShellChecks,
  word: Word | undefined,
  position: UnsafePosition,
  command: string,
  numbers = true,
): void {
  for (const hole of word?.holes ?? []) checkUnsafe(checks, hole, position, command, numbers);
}

/** Names declared with `-i` or `-n`: values assigned to them anywhere in the text are evaluated. And those declared with `-A`. */
function collectDeclared(checks: ShellChecks, command: Command): void {
  const isAssociative = command.words.some((word) => /^-\w*A/.test(word.text));
  if (!isAssociative && !command.words.some((word) => /^[-+]\w*[in]/.test(word.text))) return;
  for (const word of command.words.slice(1)) {
    const name = /^[A-Za-z_]\w*/.exec(word.text)?.[0];
    if (name === undefined) continue;
    if (isAssociative) checks.associative = withName(checks.associative, name);
    else checks.integers = withName(checks.integers, name);
  }
}

function checkCommand(checks: ShellChecks, command: Command): void {
  for (const word of command.assignments) checkAssignment(checks, word);
  for (const redirect of command.redirects)
    if (redirect.operator === '>&' || redirect.operator === '<&')
      for (const hole of redirect.holes) checkUnsafe(checks, hole, 'descriptor', redirect.operator, true);
  switch (command.role) {
    case 'array':
      return checkArray(checks, command);
    case 'test':
      return checkDoubleBracket(checks, command);
    case 'pattern':
      return;
    case 'command':
      return checkSimple(checks, command);
    default:
      return unreachable(command.role);
  }
}

// ---- assignments ------------------------------------------------------------------------------------

function checkAssignment(checks: ShellChecks, word: Word): void {
  if (word.holes.length === 0) return;
  checkSubscript(checks, word, /^[A-Za-z_]\w*\[/);
  const name = assignedName(word);
  // `a[0]{v}` looks like an assignment, but is the name of a command.
  if (name === null) unsafeWord(checks, word, 'command-word', '', false);
  else checkVariable(checks, name, word);
}

function checkVariable(checks: ShellChecks, name: string, word: Word): void {
  if (isCodeVariable(name)) unsafeWord(checks, word, 'special-variable', name, false);
  if (INTEGER_VARIABLES.has(name) || checks.integers.has(name)) unsafeWord(checks, word, 'integer-variable', name);
}

/** Values between the bracket that `opening` ends with and the next closing one. */
function checkSubscript(checks: ShellChecks, word: Word, opening: RegExp): void {
  const begin = opening.exec(word.text)?.[0].length;
  if (begin === undefined) return;
  const end = word.text.indexOf(']', begin);
  for (const hole of word.holes)
    if (hole.offset >= begin && (end < 0 || hole.offset < end)) checkUnsafe(checks, hole, 'subscript', '', true);
}

function checkArray(checks: ShellChecks, command: Command): void {
  const owner = programName(command.owner?.words[0]) ?? '';
  for (const word of command.words) {
    if (word.plain > 0) checkSubscript(checks, word, /^\[/);
    if (DECLARING_BUILTINS.has(owner)) unsafeWord(checks, word, 'naming-builtin', owner);
  }
}

// ---- tests ------------------------------------------------------------------------------------------

function checkDoubleBracket(checks: ShellChecks, command: Command): void {
  command.words.forEach((word, at) => {
    const text = exactText(word) ?? '';
    if (text === '-v' || text === '-R') unsafeWord(checks, command.words[at + 1], 'test-variable', '[[');
    if (!ARITHMETIC_TEST.test(text)) return;
    for (const operand of [command.words[at - 1], command.words[at + 1]]) unsafeWord(checks, operand, 'arithmetic', '');
  });
}

function checkBracket(checks: ShellChecks, words: readonly Word[], from: number, name: string): void {
  for (let at = from; at < words.length; at++) {
    const word = words[at] as Word;
    if (exactText(word) === '-v') unsafeWord(checks, words[at + 1], 'test-variable', name);
    // Of two adjacent values, the first could become an operator, for example `-v`.
    if (begins(word) && begins(words[at + 1])) unsafeWord(checks, word, 'test-operator', name);
  }
}

function begins(word: Word | undefined): boolean {
  return word?.holes[0]?.offset === 0;
}

/** `(( … ))`, which names nothing. Its values are checked like those of all arithmetic. `((… ) … )` are two subshells. */
function isArithmetic({ text, plain, quoted, holes }: Word): boolean {
  const isClosed = plain === 0 && !quoted && text.startsWith('((') && text.endsWith('))');
  return isClosed && holes.every(({ zone }) => zone === 'arithmetic');
}

// ---- commands ---------------------------------------------------------------------------------------

function checkSimple(checks: ShellChecks, command: Command): void {
  const { words } = command;
  const first = words[0];
  if (first === undefined || isArithmetic(first)) return;
  const { program, chosen } = resolveProgram(command);
  for (const at of chosen) unsafeWord(checks, words[at], 'command-word', '', false);
  checkEnvironment(checks, command, program);
  const name = programName(words[program]);
  if (name !== null) checkBuiltin(checks, words, program, name);
  if (name !== null) checkTaken(checks, words.slice(program + 1), name);
  if (name === 'echo' || name === 'printf') return;
  checkShellCode(checks, words);
  const sourced = (name === '.' || name === 'source') && isInput(words[program + 1]?.text ?? '');
  if (name !== null && (SHELLS.has(name) || sourced)) checkShellInput(checks, command, program, name);
  else if (name !== null && CONTAINER_RUNNERS.has(name)) checkContainerInput(checks, command, program);
  if (name === 'find')
    words.forEach((word, at) => {
      if (/^-(?:exec|execdir|ok|okdir)$/.test(word.text)) unsafeWord(checks, words[at + 1], 'command-word', '', false);
    });
}

/** Options and operands that a program takes as code. */
function checkTaken(checks: ShellChecks, args: readonly Word[], name: string): void {
  for (const { hole, by } of valuesTaken(name, args)) checkUnsafe(checks, hole, 'code-argument', by, false);
  const inner = commandIn(name, args);
  if (inner?.holes[0]?.offset === 0) unsafeWord(checks, inner, 'command-word', '', false);
}

/** `env NAME={v} command`, and `env -S`. */
function checkEnvironment(checks: ShellChecks, command: Command, program: number): void {
  const { words } = command;
  let assigns = false;
  for (let at = 0; at < Math.max(program, 1); at++) {
    const word = words[at] as Word;
    const name = programName(word);
    assigns ||= name === 'env' || name === 'sudo';
    if (name === 'env') checkSplitString(checks, words, at + 1);
    const variable = assigns ? /^([A-Za-z_]\w*)=/.exec(word.text)?.[1] : undefined;
    if (variable !== undefined && isCodeVariable(variable))
      unsafeWord(checks, word, 'special-variable', variable, false);
  }
}

function checkSplitString(checks: ShellChecks, words: readonly Word[], from: number): void {
  for (let at = from; at < words.length && (words[at] as Word).text.startsWith('-'); at++) {
    const text = (words[at] as Word).text;
    if (/^-\w*S$|^--split-string$/.test(text)) unsafeWord(checks, words[at + 1], 'split-string', 'env', false);
    else if (/^-\w*S|^--split-string=/.test(text)) unsafeWord(checks, words[at], 'split-string', 'env', false);
  }
}

function checkBuiltin(checks: ShellChecks, words: readonly Word[], at: number, name: string): void {
  const rest = words.slice(at + 1);
  if (name === 'eval') for (const word of rest) unsafeWord(checks, word, 'eval', name);
  else if (name === 'let') for (const word of rest) unsafeWord(checks, word, 'arithmetic', name);
  else if (name === 'trap') unsafeWord(checks, firstOperand(rest), 'trap', name);
  else if (name === '[' || name === 'test') checkBracket(checks, words, at + 1, name);
  else if (NAMING_BUILTINS.has(name)) for (const word of rest) unsafeWord(checks, word, 'naming-builtin', name);
  else if (name === 'export' || name === 'readonly') checkExport(checks, rest, name);
  else if (name === 'for' || name === 'select') {
    if (rest[0] !== undefined && !isArithmetic(rest[0])) unsafeWord(checks, rest[0], 'loop-variable', name, false);
    holdList(checks, rest);
  } else if (name === 'printf' || name === 'wait') {
    const option = name === 'printf' ? '-v' : '-p';
    rest.forEach((word, index) => {
      if (index > 1 && name === 'printf') return;
      if (word.text === option) unsafeWord(checks, rest[index + 1], 'variable-name', name);
      else if (word.text.startsWith(option)) unsafeWord(checks, word, 'variable-name', name);
    });
  }
}

/** A name of standard input, such as `/dev/stdin`. */
function isInput(name: string): boolean {
  return /^(?:-|\/dev\/stdin|\/dev\/fd\/0|\/proc\/self\/fd\/0)$/.test(name);
}

export function firstOperand(words: readonly Word[]): Word | undefined {
  return words.find((word) => !/^-./.test(word.text));
}

/** `export NAME={v}` is an assignment. In any other form the value chooses the name. */
function checkExport(checks: ShellChecks, words: readonly Word[], name: string): void {
  const attributes = words.some((word) => /^[-+]\w*[aAin]/.test(word.text));
  for (const word of words) {
    const variable = assignedName(word);
    if (variable === null || attributes) unsafeWord(checks, word, 'naming-builtin', name);
    else checkVariable(checks, variable, word);
  }
}

/** A loop assigns each word of its list to its variable. */
function holdList(checks: ShellChecks, words: readonly Word[]): void {
  const name = exactText(words[0]);
  if (name !== null) for (const word of words.slice(2)) checkVariable(checks, name, word);
}

// ---- programs for shells ----------------------------------------------------------------------------

/** The name of a shell if that is what the word is, by name or as `$SHELL`. */
function shellName(word: Word): string | null {
  const text = exactText(word);
  if (text !== null) return SHELLS.has(baseName(text)) ? baseName(text) : null;
  return word.reads.length === 1 && /^(?:SHELL|BASH)$/.test(word.reads[0] as string) ? 'sh' : null;
}

/** Finds `sh -c code` wherever it is: after `find -exec`, `docker exec x`, `sudo`, … */
function checkShellCode(checks: ShellChecks, words: readonly Word[]): void {
  words.forEach((word, at) => {
    const name = programName(word);
    if (name !== null && SHELL_STARTERS.has(name)) checkStarter(checks, words, at, name);
  });
  for (const { shell, code } of shellCodes(words)) unsafeWord(checks, code, 'shell-code', shell);
}

interface ShellCode {
  readonly shell: string;
  readonly code: Word;
  /** The number of its word. */
  readonly at: number;
}

const NO_CODE: readonly ShellCode[] = [];

/** Each `sh -c code` in the words of a command. */
export function shellCodes(words: readonly Word[]): readonly ShellCode[] {
  let found = NO_CODE;
  words.forEach((word, at) => {
    const shell = shellName(word);
    const code = shell === null ? null : codeOfShell(words, at + 1);
    if (shell !== null && code !== null) found = withItem(found, { shell, code, at: words.indexOf(code, at) });
  });
  return found;
}

export function codeOfShell(words: readonly Word[], from: number): Word | null {
  let code = false;
  for (let at = from; at < words.length; at++) {
    const text = (words[at] as Word).text;
    if (!/^[-+]./.test(text)) return code ? (words[at] as Word) : null;
    if (text === '--') return code ? (words[at + 1] ?? null) : null;
    if (/^-[A-Za-z]*c[A-Za-z]*$/.test(text)) code = true;
    else if (/^[-+][oO]$|^--(?:rcfile|init-file)$/.test(text)) at++;
  }
  return null;
}

/** `su user -c code`, `flock file -c code`. */
function checkStarter(checks: ShellChecks, words: readonly Word[], from: number, name: string): void {
  for (let at = from + 1; at < words.length; at++) {
    const text = (words[at] as Word).text;
    if (/^-\w*c$|^--command$/.test(text)) unsafeWord(checks, words[at + 1], 'shell-code', name);
    else if (text.startsWith('--command=')) unsafeWord(checks, words[at], 'shell-code', name);
  }
}

/** `docker exec -i box sh <<EOF`: the last operand is a shell, which reads the here-document. */
function checkContainerInput(checks: ShellChecks, command: Command, program: number): void {
  const { words } = command;
  let at = words.length - 1;
  while (at > program && (words[at] as Word).text.startsWith('-')) at--;
  const shell = shellName(words[at] as Word);
  if (shell !== null) checkShellInput(checks, command, at, shell);
}

/** A shell without operands reads its program from standard input, for example from a here-document. */
function checkShellInput(checks: ShellChecks, command: Command, program: number, name: string): void {
  if (!readsInput(command.words.slice(program + 1))) return;
  for (const redirect of command.redirects)
    if (redirect.operator === '<<' || redirect.operator === '<<<')
      for (const hole of redirect.holes) checkUnsafe(checks, hole, 'shell-input', name, true);
}

/** Whether a shell with these arguments reads its program from its input. */
export function readsInput(words: readonly Word[]): boolean {
  if (words.some((word) => /^-\w*c/.test(word.text))) return false;
  return words.some((word) => /^-\w*s/.test(word.text)) || isInput(firstOperand(words)?.text ?? '-');
}
