/**
 * Reports values that are safe for the shell but may be special for the programs that it runs: options, formats,
 * programs of awk or python, variables that are evaluated later in the same text. These are warnings, because the
 * author may intend them.
 */
import { mayBeReadAsOption, type ProgramReader, unsafeProgram } from '../../source/catalogue/shell.js';
import { isCodeVariable } from './code-names.js';
import { exportedNames, printedIn, valueIn, valueOfInput } from './held-values.js';
import {
  ACTS_ON_OPTIONS,
  BUILTINS,
  DECLARING_BUILTINS,
  NAMING_BUILTINS,
  type OptionSpec,
  type ProgramArgument,
  programName,
  readArguments,
  resolveProgram,
  SHELLS,
} from './known-programs.js';
import {
  codeOfShell,
  firstOperand,
  INTEGER_VARIABLES,
  readsInput,
  type ShellChecks,
  shellChecks,
  shellCodes,
} from './positions.js';
import { lexShell } from './shell-lexer.js';
import {
  assignedName,
  type Command,
  EXPANSION,
  exactText,
  HOLE,
  isProgramDir,
  type LexedHole,
  type Redirect,
  type VariableUse,
  type Word,
} from './tree.js';

export function checkWarnings(checks: ShellChecks): void {
  const { lexed } = checks;
  for (const command of lexed.commands) {
    for (const word of command.assignments) warnAssigned(checks, word);
    if (command.role === 'test') warnTest(checks, command);
    if (command.role !== 'command' || command.words.length === 0) continue;
    const { program, chosen } = resolveProgram(command);
    for (const at of chosen) warnReads(checks, command.words[at], 'code');
    for (let at = 1; at < program; at++) warnAssigned(checks, command.words[at] as Word);
    const name = programName(command.words[program]);
    if (name === null) continue;
    warnEvaluated(checks, command, program, name);
    if (!PRINTS.has(name)) warnShells(checks, command, program, name);
    warnPrograms(checks, command, program, name);
    warnOptions(checks, command, program, name);
  }
  for (const use of lexed.arithmetic)
    if (use.prompt === true) warnUse(checks, use, 'code');
    else if (use.array === undefined || !checks.associative.has(use.array)) warnUse(checks, use, 'arithmetic');
  const value = lexed.holes.find((hole) => hole.hole.filter !== 'int');
  if (value === undefined) return;
  for (const use of lexed.indirect) warnAt(checks, use, 'indirect', value.hole.source, `\${!${use.name}}`);
}

function warnAt(
  checks: ShellChecks,
  span: { start: number; end: number },
  reader: ProgramReader,
  source: string,
  command: string,
): void {
  const { start, end } = span;
  checks.findings.push({ start, end, make: (span) => unsafeProgram(span, { reader, source, command }) });
}

function warnHole(checks: ShellChecks, hole: LexedHole, reader: ProgramReader, command: string): void {
  if (hole.raw || hole.hole.filter === 'int' || hole.reported) return;
  hole.reported = true;
  warnAt(checks, hole, reader, hole.hole.source, command);
}

function warnWord(checks: ShellChecks, word: Word | undefined, reader: ProgramReader, command: string): void {
  for (const hole of word?.holes ?? []) warnHole(checks, hole, reader, command);
  const held = word?.reads.find((name) => checks.held.names.has(name));
  if (word !== undefined && held !== undefined)
    warnAt(checks, word, reader, checks.held.names.get(held) as string, command);
}

// ---- variables that hold a value --------------------------------------------------------------------

function warnUse(checks: ShellChecks, use: VariableUse, reader: ProgramReader): void {
  const source = checks.held.names.get(use.name);
  if (source !== undefined) warnAt(checks, use, reader, source, use.name);
}

/** Variables whose text the shell or another program evaluates. */
function warnAssigned(checks: ShellChecks, word: Word): void {
  const name = assignedName(word);
  if (name === null) return;
  // In `PATH="{v}:$PATH"` the text of before is read, which was reported where it was assigned.
  if (isCodeVariable(name)) warnReads(checks, word, 'code', name);
  else if (INTEGER_VARIABLES.has(name) || checks.integers.has(name)) warnReads(checks, word, 'arithmetic');
}

function warnReads(checks: ShellChecks, word: Word | undefined, reader: ProgramReader, except?: string): void {
  for (const name of word?.reads ?? [])
    if (name !== except) warnUse(checks, { name, start: (word as Word).start, end: (word as Word).end }, reader);
  const printed = word?.expands === true ? printedIn(checks.held, word) : undefined;
  if (printed !== undefined) warnAt(checks, printed, 'output', printed.source, '');
}

function warnTest(checks: ShellChecks, command: Command): void {
  warnNamed(checks, wordsAfterOption(command.words, /^-[vR]$/));
  command.words.forEach((word, at) => {
    if (!/^-(?:eq|ne|lt|le|gt|ge)$/.test(exactText(word) ?? '')) return;
    for (const operand of [command.words[at - 1], command.words[at + 1]]) {
      const text = operand === undefined ? null : exactText(operand);
      if (operand !== undefined && text !== null) warnUse(checks, { ...operand, name: text }, 'arithmetic');
      warnReads(checks, operand, 'arithmetic');
    }
  });
}

/** The words after an option. */
function wordsAfterOption(words: readonly Word[], option: RegExp): Word[] {
  return words.filter((_, at) => at > 0 && option.test(exactText(words[at - 1]) ?? ''));
}

/** Names of variables: a subscript in one is evaluated, also one that a variable brings along. */
function warnNamed(checks: ShellChecks, words: readonly Word[]): void {
  for (const word of words) {
    const [, subscript] = /^[A-Za-z_]\w*\[([^\]]*)/.exec(word.text) ?? [];
    if (word.text.startsWith(EXPANSION) || subscript?.includes(EXPANSION)) warnReads(checks, word, 'arithmetic');
    for (const [name] of subscript?.matchAll(/[A-Za-z_]\w*/g) ?? [])
      warnUse(checks, { name, start: word.start, end: word.end }, 'arithmetic');
  }
}

function warnEvaluated(checks: ShellChecks, command: Command, program: number, name: string): void {
  const rest = command.words.slice(program + 1);
  if (name === 'trap') warnReads(checks, firstOperand(rest), 'code');
  if (NAMING_BUILTINS.has(name)) warnNamed(checks, rest);
  else if (name === 'printf') warnNamed(checks, wordsAfterOption(rest.slice(0, 2), /^-v$/));
  else if (name === 'test' || name === '[') warnNamed(checks, wordsAfterOption(rest, /^-v$/));
  if (name === 'eval') for (const word of rest) warnReads(checks, word, 'code');
  if (name === 'let')
    for (const word of rest) {
      warnReads(checks, word, 'arithmetic');
      for (const variable of word.text.match(/[A-Za-z_]\w*/g) ?? [])
        warnUse(checks, { start: word.start, end: word.end, name: variable }, 'arithmetic');
    }
  if (DECLARING_BUILTINS.has(name)) for (const word of rest) warnAssigned(checks, word);
}

// ---- programs for shells ----------------------------------------------------------------------------

/** Programs whose words are not run, whatever they say. */
const PRINTS = new Set(['echo', 'printf']);

function warnShells(checks: ShellChecks, command: Command, program: number, name: string): void {
  const { words, redirects } = command;
  const rest = words.slice(program + 1);
  for (const { shell, code, at } of shellCodes(words)) {
    // Text in single quotes is not expanded by this shell, so the rest is a variable that this shell inserts.
    warnReads(checks, code, 'code');
    const text = exactText(code);
    if (text === null) continue;
    warnInner(checks, code, text, { command, shell, given: words.slice(at + 1) });
    const read = valueRead(checks, command);
    if (read !== undefined && text.includes(placeholder(words.slice(0, program)) ?? HOLE))
      warnAt(checks, code, 'starter', read, 'xargs');
  }
  if (name === 'find')
    rest.forEach((word, at) => {
      if (/^-(?:exec|execdir|ok|okdir)$/.test(word.text)) warnReads(checks, rest[at + 1], 'code');
    });
  const sources = name === '.' || name === 'source';
  if (!sources && !SHELLS.has(name)) return;
  const script = firstOperand(rest);
  const printed = script === undefined ? undefined : printedIn(checks.held, script);
  if (printed !== undefined) warnAt(checks, printed, 'output', printed.source, '');
  if (!readsInput(sources ? rest.slice(0, 1) : rest)) return;
  // A value that is written into the input itself is an error.
  const input = redirects.filter(({ operator, holes }) => /^<(?:<<?)?$/.test(operator) && holes.length === 0);
  const source = valueOfInput(checks.held, input);
  if (source !== undefined) warnAt(checks, input[0] as Redirect, 'output', source, '');
  for (const one of checks.held.piped.get(command) ?? []) warnAt(checks, one, 'output', one.source, '');
}

/** The value in the input of a command. */
function valueRead({ held }: ShellChecks, command: Command): string | undefined {
  return valueOfInput(held, command.redirects) ?? held.piped.get(command)?.[0]?.source;
}

/** What `xargs -I %` replaces in the words after it. */
function placeholder(words: readonly Word[]): string | undefined {
  const at = words.findIndex(({ text }) => text.startsWith('-I'));
  return at < 0 ? undefined : (words[at] as Word).text.slice(2) || words[at + 1]?.text;
}

interface InnerScript {
  readonly command: Command;
  readonly shell: string;
  /** The words after the script: its `$0`, `$1`, … */
  readonly given: readonly Word[];
}

/** The script of `sh -c '…' sh {v}`: what it does with its arguments and with variables that it inherits. */
function warnInner(checks: ShellChecks, code: Word, text: string, { command, shell, given }: InnerScript): void {
  const { held } = checks;
  checks.exported ??= exportedNames(checks.lexed);
  const { exported } = checks;
  const isInherited = (name: string): boolean => /^\D/.test(name) && (exported.has(name) || checks.given.has(name));
  const names = new Map([...held.names].filter(([name]) => isInherited(name)));
  for (const word of [...command.assignments, ...command.words]) {
    const name = word.end <= code.start ? assignedName(word) : null;
    const source = name === null ? undefined : valueIn(held, word);
    if (name !== null && source !== undefined) names.set(name, source);
  }
  given.forEach((word, at) => {
    const source = valueIn(held, word);
    if (source === undefined) return;
    for (const name of at === 0 ? ['0'] : [String(at), '@', '*']) names.set(name, source);
  });
  if (names.size === 0) return;
  const { lexed } = lexShell(text, shell !== 'sh' && shell !== 'dash', {
    interpolation: () => null,
    isValue: () => false,
  });
  const inner = shellChecks(lexed, names, { strict: checks.strict, findings: [] });
  checkWarnings(inner);
  const [found] = inner.findings;
  if (found !== undefined) checks.findings.push({ start: code.start, end: code.end, make: found.make });
}

// ---- programs in other languages --------------------------------------------------------------------

interface OptionReader {
  readonly spec: OptionSpec;
  /** Options that take a program as their value. */
  readonly options: readonly string[];
  /** Without such an option, the first operand is the program. */
  readonly operand?: true;
}

const JQ: OptionSpec = {
  letters: 'fL',
  long: { arg: 2, argjson: 2, slurpfile: 2, rawfile: 2, indent: 1, 'from-file': 1 },
};
const AWK: OptionReader = {
  spec: { letters: 'Fvfei', long: { assign: 1, file: 1, source: 1, 'field-separator': 1 }, stops: true },
  options: ['e', 'source'],
  operand: true,
};
const SCRIPT = (letters: string, options: readonly string[], long: Record<string, number> = {}): OptionReader => ({
  spec: { letters, long, stops: true },
  options,
});
/** SQL, and commands of the client that start a shell. */
const SQL = (letters: string, options: readonly string[]): OptionReader => ({
  spec: { letters, long: { command: 1, execute: 1 } },
  options,
});
const NODE = SCRIPT('epr', ['e', 'p', 'eval', 'print'], { eval: 1, print: 1, require: 1, import: 1 });
const PYTHON = SCRIPT('cmWX', ['c']);

const READERS: ReadonlyMap<string, OptionReader> = new Map<string, OptionReader>([
  ...['awk', 'gawk', 'mawk', 'nawk'].map((name): [string, OptionReader] => [name, AWK]),
  ['sed', { spec: { letters: 'efl', long: { expression: 1, file: 1 } }, options: ['e', 'expression'], operand: true }],
  ...['jq', 'gojq', 'jaq', 'yq'].map((name): [string, OptionReader] => [
    name,
    { spec: JQ, options: [], operand: true },
  ]),
  ['python', PYTHON],
  ['node', NODE],
  ['nodejs', NODE],
  ['bun', NODE],
  ['perl', SCRIPT('eEIMm', ['e', 'E'])],
  ['ruby', SCRIPT('erIC', ['e'])],
  ['php', SCRIPT('rfdc', ['r'])],
  ['lua', SCRIPT('el', ['e'])],
  ...['luajit', 'tclsh', 'expect', 'guile', 'julia', 'osascript'].map((name): [string, OptionReader] => [
    name,
    SCRIPT('cefl', ['c', 'e', 'eval'], { eval: 1 }),
  ]),
  ['dc', { spec: { letters: 'ef', long: { expression: 1, file: 1 } }, options: ['e', 'expression'] }],
  ['psql', SQL('cdfhpUvoLFRTP', ['c', 'command'])],
  ['mysql', SQL('ehPupDS', ['e', 'execute'])],
  ['mariadb', SQL('ehPupDS', ['e', 'execute'])],
  ['duckdb', SQL('cs', ['c', 's'])],
  ['sqlcmd', SQL('QqSUPdi', ['Q', 'q'])],
  ['snowsql', SQL('qacudsf', ['q', 'query'])],
  ['clickhouse-client', { spec: { letters: 'qhudp', long: { query: 1 } }, options: ['q', 'query'] }],
]);

const PLAIN: OptionSpec = { letters: '' };
/** Programs whose subcommand `eval` takes a program. */
const HAS_EVAL = new Set(['deno', 'redis-cli', 'valkey-cli']);
const SSH: OptionSpec = { letters: 'BbcDEeFIiJLlmOopQRSWw', stops: true };
const PDSH: OptionSpec = { letters: 'wxlfutoRgX', stops: true };
const ADB: OptionSpec = { letters: 'stHPL', stops: true };
const WATCHEXEC: OptionSpec = {
  letters: 'weifdos',
  long: { watch: 1, exts: 1, ignore: 1, filter: 1, debounce: 1 },
  stops: true,
};
const WATCH: OptionSpec = { letters: 'nq', long: { interval: 1 }, stops: true };
const HYPERFINE: OptionSpec = {
  letters: 'wmMrpscCSun',
  long: Object.fromEntries(
    `warmup min-runs max-runs runs prepare setup cleanup conclude reference
    shell style sort time-unit export-json export-csv export-markdown output input command-name`
      .split(/\s+/)
      .map((name) => [name, 1]),
  ),
};
const TMUX: OptionSpec = { letters: 'ceFfnstxylp' };
const TMUX_STARTERS =
  /^(?:new|new-session|new-window|neww|split-window|splitw|respawn-pane|respawn-window|run|run-shell)$/;
const PARALLEL: OptionSpec = { letters: 'jaIPSN', long: { jobs: 1, colsep: 1, joblog: 1, 'arg-file': 1 }, stops: true };

function warnPrograms(checks: ShellChecks, command: Command, program: number, name: string): void {
  const { words } = command;
  const operands = (spec: OptionSpec): Word[] =>
    readArguments(words, program + 1, spec).flatMap(({ word, option }) => (option === null ? [word] : []));
  if (name === 'printf') return warnWord(checks, printfFormat(words, program + 1), 'printf', name);
  if (name === '.' || name === 'source') return warnWord(checks, words[program + 1], 'source', name);
  // It replaces `$(shell …)` in values too, also in those that it inherits, if a rule reads them as `$(NAME)`.
  if (name === 'make' || name === 'gmake')
    for (const word of words.slice(program + 1))
      if (/^[\w.-]+[:?+!]*=/.test(word.text)) warnWord(checks, word, 'program', name);
  if (name === 'ssh') warnRemote(checks, command, operands(SSH).slice(1), name);
  if (name === 'pdsh') warnRemote(checks, command, operands(PDSH), name);
  if (name === 'adb' && operands(ADB)[0]?.text === 'shell') warnRemote(checks, command, operands(ADB).slice(1), name);
  if (name === 'watchexec') for (const word of operands(WATCHEXEC)) warnWord(checks, word, 'starter', name);
  if (name === 'watch' && !words.some((word) => /^-x$|^--exec$/.test(word.text)))
    for (const word of operands(WATCH)) warnWord(checks, word, 'starter', name);
  if (name === 'hyperfine' || name === 'concurrently')
    for (const word of operands(HYPERFINE)) warnWord(checks, word, 'starter', name);
  if (name === 'tmux') {
    const [subcommand, ...rest] = operands(TMUX);
    // Several words are a program with its arguments, for which no shell is started.
    if (rest.length === 1 && TMUX_STARTERS.test(subcommand?.text ?? '')) warnWord(checks, rest[0], 'starter', name);
  }
  if (name === 'parallel') {
    const found = operands(PARALLEL);
    const inputs = found.findIndex((word) => /^:::/.test(word.text));
    for (const word of inputs < 0 ? found : found.slice(0, inputs)) warnWord(checks, word, 'starter', name);
  }
  const isDatabase = name === 'sqlite3' || name === 'duckdb';
  if (isDatabase || (HAS_EVAL.has(name) && exactText(words[program + 1]) === 'eval'))
    warnWord(checks, operands(PLAIN)[1], 'program', name);
  const reader = readerOf(name);
  // Who writes `--` before it has thought about what the value may be.
  if (SHELLS.has(name) && !words.slice(program + 1).some(({ text }) => text === '--'))
    warnScript(checks, readArguments(words, program + 1, SHELL), name);
  if (reader !== undefined) warnReader(checks, command, program, name, reader);
}

const SHELL: OptionSpec = { letters: 'cosO', long: { rcfile: 1, 'init-file': 1 }, stops: true };

/** A value that is the whole name of a script. */
function warnScript(checks: ShellChecks, given: readonly ProgramArgument[], name: string): void {
  const script = given.find(({ option }) => option === null)?.word;
  if (script?.text === HOLE && !given.some(({ option }) => option === 'c' || option === 's'))
    warnWord(checks, script, 'source', name);
}

/** A remote shell reads the command, and its standard input if there is no command. */
function warnRemote(checks: ShellChecks, command: Command, words: readonly Word[], name: string): void {
  for (const word of words) warnWord(checks, word, 'remote', name);
  if (words.length > 0 && !words.some((word) => SHELLS.has(programName(word) ?? ''))) return;
  for (const hole of inputHoles(command)) warnHole(checks, hole, 'remote', name);
}

/** The values in the here-documents and here-strings of a command. */
function inputHoles(command: Command): LexedHole[] {
  return command.redirects.flatMap(({ operator, holes }) => (operator === '<<' || operator === '<<<' ? holes : []));
}

function readerOf(name: string): OptionReader | undefined {
  return READERS.get(/^python[\d.]*$/.test(name) ? 'python' : name);
}

function printfFormat(words: readonly Word[], from: number): Word | undefined {
  let at = from;
  if (words[at]?.text === '-v') at += 2;
  else if (/^-v./.test(words[at]?.text ?? '')) at++;
  if (exactText(words[at]) === '--') at++;
  return words[at];
}

function warnReader(checks: ShellChecks, command: Command, program: number, name: string, reader: OptionReader): void {
  const found: ProgramArgument[] = readArguments(command.words, program + 1, reader.spec);
  const programs = found.filter(({ option }) => option !== null && reader.options.includes(option));
  const first = found.find(({ option }) => option === null);
  for (const { word } of programs) warnWord(checks, word, 'program', name);
  for (const { word, option } of found)
    if (reader.operand === true && /^f(?:ile)?$|^from-file$/.test(option ?? '') && word.text === HOLE)
      warnWord(checks, word, 'source', name);
  const given = programs.length > 0 || found.some(({ option }) => option === 'f' || option === 'file');
  if (reader.operand === true) {
    if (!given) warnWord(checks, first?.word, 'program', name);
    return;
  }
  // Without a script to run, an interpreter reads its program from its input.
  const module = found.some(({ option }) => option === 'm');
  if (programs.length > 0 || module || (first !== undefined && exactText(first.word) !== '-')) return;
  for (const hole of inputHoles(command)) warnHole(checks, hole, 'program', name);
}

// ---- options ----------------------------------------------------------------------------------------

/** Filters whose result cannot begin with a dash, except for that of a number. */
const NO_DASH = new Set(['path', 'file', 'int', 'json']);

/** Programs whose first operand is a script, and everything after it an argument of the script. */
const INTERPRETERS = /^(?:python[\d.]*|node|ruby|perl|php|lua|Rscript|bash|sh|zsh|dash)$/;

/** Programs whose first operand is the code that they run, and everything after it a file, unless an option names the code. */
const CODE_ENDS_OPTIONS = /^[gmn]?awk$/;

/** Options that take no value, so that the word after them is an operand. */
const FLAGS: ReadonlyMap<string, RegExp> = new Map([
  ['rm', /^-[rRfivdI]+$|^--(?:force|recursive|dir|verbose)$/],
  ['cp', /^-[aRrfnipuvdlLPx]+$/],
  ['mv', /^-[fnivu]+$/],
  ['mkdir', /^-[pv]+$/],
  ['rmdir', /^-[pv]+$/],
  ['ln', /^-[sfnvirLP]+$/],
  ['touch', /^-[acm]+$/],
  ['cat', /^-[AbeEnstTuv]+$/],
  ['ls', /^-[aAlhtrRdF1]+$/],
  ['grep', /^-[qivnrRlcowxsEFPhH]+$/],
  ['sort', /^-[nrubfgV]+$/],
  ['wc', /^-[clmwL]+$/],
  ['chmod', /^-[Rvf]+$/],
  ['chown', /^-[Rvf]+$/],
  ['gzip', /^-[kfdvr1-9]+$/],
  ['gunzip', /^-[kfv]+$/],
  ['git', /^-[fDdAqv]+$|^--(?:force|hard|soft|all|quiet|staged)$/],
]);

/** After `sh -c code` and `python3 -c code`, words are not options of the interpreter. */
function codeEndsOptions(words: readonly Word[], program: number, name: string): boolean {
  if (SHELLS.has(name)) return codeOfShell(words, program + 1) !== null;
  const isPython = /^python[\d.]*$/.test(name);
  return isPython && readArguments(words, program + 1, PYTHON.spec).some(({ option }) => option === 'c');
}

function warnOptions(checks: ShellChecks, command: Command, program: number, name: string): void {
  if (BUILTINS.has(name) || checks.lexed.functions.has(name)) return;
  if (!checks.strict && !ACTS_ON_OPTIONS.has(name) && !/^python[\d.]+$/.test(name)) return;
  const { words } = command;
  if (name === 'expr' || codeEndsOptions(words, program, name)) return;
  // `jq --arg name {v}`: the second word after an option is not an operand either.
  const reader = readerOf(name);
  const found = reader === undefined ? [] : readArguments(words, program + 1, reader.spec);
  const values = found.length === 0 ? null : new Set(found.map(({ word, option }) => (option === null ? null : word)));
  // What follows a script belongs to the script, which may have no options, and may not know `--`.
  const script =
    INTERPRETERS.test(name) || CODE_ENDS_OPTIONS.test(name)
      ? found.find(({ option }) => option === null)?.word
      : undefined;
  for (let at = program + 1; at < words.length; at++) {
    const word = words[at] as Word;
    if (exactText(word) === '--') return;
    if (values?.has(word) === true) continue;
    const hole = word.holes[0];
    if (script === word && hole === undefined) return;
    if (hole === undefined || hole.offset > 0 || hole.raw || hole.reported) continue;
    if (NO_DASH.has(hole.hole.filter ?? '') || isProgramDir(hole)) continue;
    const before = (words[at - 1] as Word).text;
    if (/^-./.test(before) && at - 1 > program && !FLAGS.get(name)?.test(before)) continue;
    const { source } = hole.hole;
    const { start, end } = hole;
    const subcommand = exactText(words[program + 1] as Word) ?? '';
    checks.findings.push({
      start,
      end,
      make: (span) => mayBeReadAsOption(span, { source, command: name, subcommand, argv: checks.argv }),
    });
    // A `--` before the first value also protects the others.
    return;
  }
}
