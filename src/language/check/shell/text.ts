/**
 * Compiles shell text: finds its values, writes each so that it can never become syntax, and reports positions where it
 * still would. No byte of a value is part of the result, and the text is never lexed again.
 */
import type { ShellHole, ShellPipe, ShellTemplate, Template } from '../../../machine/expression.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { utf8Length } from '../../../prelude/utf8-length.js';
import { BUILTINS, baseName, resolveProgram } from './known-programs.js';
import type { ShellFinding } from './lexing.js';
import { PIPE_PRELUDE } from './piped-members.js';
import { checkPositions, shellChecks } from './positions.js';
import { lexShell, type ShellTextOptions } from './shell-lexer.js';
import {
  assignedName,
  type Command,
  exactText,
  HOLE,
  isExact,
  type LexedHole,
  type LexedShell,
  type ReadVariable,
  type Word,
  wordTemplate,
} from './tree.js';
import { unmadeVariables } from './variables.js';
import { checkWarnings } from './warnings.js';

export type { ShellFinding, ShellInterpolation } from './lexing.js';

/** A word of a command; `text` is null if only the run determines it. */
interface ShellWord {
  readonly text: string | null;
  readonly start: number;
  readonly end: number;
}

/** A simple command, in the order of the text. */
export interface ShellCommand {
  /** The command word, or null if a value or an expansion chooses it. */
  readonly name: string | null;
  readonly nameStart: number;
  readonly nameEnd: number;
  /** All words, the command word first. */
  readonly words: readonly ShellWord[];
  /** Index in `words` of the program that does the work, after `env`, `sudo`, `timeout 5`, … */
  readonly program: number;
  /** It reads the output of the previous command. */
  readonly pipedInto: boolean;
  /** The name is a builtin, or a function of this text. */
  readonly builtinOrKeyword: boolean;
  /** The number of enclosing command substitutions. */
  readonly depth: number;
}

export interface CompiledShellText {
  readonly template: ShellTemplate;
  readonly findings: readonly ShellFinding[];
  readonly commands: readonly ShellCommand[];
  /** Assignments that are separate commands: `X=5`. `text` is the assigned text, or null if only the run knows it. */
  readonly assignments: readonly { name: string; text: string | null; start: number; end: number }[];
  /** Shell variables that the text reads and does not set. */
  readonly variables: readonly ReadVariable[];
  /** One command of plain words and values: no operators, expansions, globs, redirections, assignments. */
  readonly simple: boolean;
  /** The words of a simple command. Created on demand, because few programs need them. */
  readonly functionWords: () => readonly { readonly template: Template; readonly list?: true }[];
}

const NOTHING_GIVEN: ReadonlyMap<string, string> = new Map();

export function compileShellText(text: string, options: ShellTextOptions): CompiledShellText {
  const { lexed, findings } = lexShell(text, options.shell === 'bash', options);
  // All that these report is about values.
  if (lexed.holes.length > 0 || options.given !== undefined) {
    const checks = shellChecks(lexed, options.given ?? NOTHING_GIVEN, { strict: options.strict, findings });
    checkPositions(checks);
    checkWarnings(checks);
  }
  if (findings.length > 1) findings.sort((a, b) => a.start - b.start || a.end - b.end);
  const simple = isSimple(lexed);
  return {
    template: { parts: templateParts(lexed), source: text, ...pipesOf(lexed, text) },
    findings,
    commands: lexed.commands
      .filter(({ role, words }) => words.length > 0 && (role === 'command' || role === 'test'))
      .map((command) => shellCommand(command, lexed)),
    assignments: loneAssignments(lexed),
    variables: unmadeVariables(lexed),
    simple,
    functionWords: () => (simple ? (lexed.commands[0] as Command).words.map(functionWord) : []),
  };
}

function loneAssignments({ commands }: LexedShell): CompiledShellText['assignments'] {
  return commands.flatMap(({ role, words, assignments }) =>
    role !== 'command' || words.length > 0
      ? []
      : assignments.flatMap((word) => {
          const name = assignedName(word);
          // `a[0]{v}` is the name of a command.
          if (name === null) return [];
          const text = exactText(word)?.slice(name.length + 1) ?? null;
          return [{ name, text, start: word.start, end: word.end }];
        }),
  );
}

function shellCommand(command: Command, lexed: LexedShell): ShellCommand {
  const first = command.words[0] as Word;
  const name = exactText(first);
  return {
    name,
    nameStart: first.start,
    nameEnd: first.end,
    words: command.words.map((word) => ({ text: exactText(word), start: word.start, end: word.end })),
    program: command.role === 'command' ? Math.min(resolveProgram(command).program, command.words.length - 1) : 0,
    pipedInto: command.pipedInto,
    builtinOrKeyword: name !== null && (BUILTINS.has(name) || lexed.functions.has(name)),
    depth: command.depth,
  };
}

function isSimple({ commands, compound }: LexedShell): boolean {
  const command = commands[0];
  return (
    !compound &&
    commands.length === 1 &&
    command?.role === 'command' &&
    command.words.length > 0 &&
    command.assignments.length === 0 &&
    command.redirects.length === 0 &&
    command.words.every((word) => !word.expands)
  );
}

function functionWord(word: Word): { template: Template; list?: true } {
  return { template: wordTemplate(word), ...omitUndefined({ list: word.holes[0]?.list === true ? true : undefined }) };
}

// ---- programs ---------------------------------------------------------------------------------------

/** Interpreters: their first plain argument is the script that runs. */
const INTERPRETER = /^(?:python[\d.]*|node|deno|bun|ruby|perl|php|bash|sh|dash|zsh|uv|npx)$/;

/** Builtins that only prepare the actual command of a line. */
const PREPARES = new Set(['cd', 'export', 'set', 'umask', 'shopt']);

/** A path that ends with a slash has no base name. */
const toolName = (path: string): string => baseName(path) || path;

/**
 * The base name of the program that runs, or of the script that an interpreter runs. Null if a value decides. `text` is
 * the source of the commands: `{home}/lib/poll.py` still names its script. `blamed` selects the program of a pipeline:
 * the last one determines the exit code, the first one is the source of the output.
 */
export function toolOf(commands: readonly ShellCommand[], text: string, blamed: 'first' | 'last'): string | null {
  const outer = commands.filter((c) => c.depth === 0);
  let at = outer.findIndex((c) => c.name === null || !PREPARES.has(c.name));
  if (blamed === 'last' && at >= 0) while (outer[at + 1]?.pipedInto === true) at++;
  const command = outer[at] ?? outer[0] ?? commands[0];
  return command === undefined ? null : programOf(command, text);
}

function programOf(command: ShellCommand, text: string): string | null {
  if (command.name === null) return null;
  const word = command.words[command.program];
  const program = word?.text == null ? toolName(command.name) : toolName(word.text);
  if (!INTERPRETER.test(program)) return program;
  const rest = command.words.slice(command.program + 1);
  if (rest.some((w) => w.text === '-c' || w.text === '-e')) return program;
  const script = rest.find((w) => w.text === null || !w.text.startsWith('-'));
  if (script === undefined) return program;
  return script.text === null ? (literalTail(text.slice(script.start, script.end)) ?? program) : toolName(script.text);
}

/** The part of a path after its last slash, if it contains no value and no expansion. */
function literalTail(word: string): string | null {
  const tail = /\/([\w.+-]+)["']?$/.exec(word);
  return tail === null ? null : (tail[1] as string);
}

/** What the shell needs to name the members of a pipe that fails. */
function pipesOf(lexed: LexedShell, text: string): { pipes?: ShellPipe[] } {
  if (lexed.pipes.length === 0) return {};
  const nameOf = (command: Command | null): string | null =>
    command === null ? null : programOf(shellCommand(command, lexed), text);
  let line = 1;
  let at = 0;
  // They are in the order of the text, so each line end is counted once.
  const lineOf = (start: number): number => {
    for (let end = text.indexOf('\n', at); end >= 0 && end < start; end = text.indexOf('\n', at)) {
      line++;
      at = end + 1;
    }
    return line;
  };
  return { pipes: lexed.pipes.map(({ start, commands }) => ({ line: lineOf(start), members: commands.map(nameOf) })) };
}

// ---- the template -----------------------------------------------------------------------------------

function templateParts(lexed: LexedShell): (string | ShellHole)[] {
  noteArguments(lexed);
  const parts: (string | ShellHole)[] = lexed.wrapped ? [PIPE_PRELUDE] : [];
  for (const piece of lexed.pieces) {
    const last = parts.length - 1;
    if (typeof piece === 'object' && !('text' in piece)) {
      parts.push(shellHole(piece));
      continue;
    }
    const literal = typeof piece === 'string' ? piece : piece.text;
    if (typeof parts[last] === 'string') parts[last] += literal;
    else if (literal !== '') parts.push(literal);
  }
  return parts;
}

function shellHole(lexed: LexedHole): ShellHole {
  const hole: { -readonly [K in keyof ShellHole]: ShellHole[K] } = {
    value: lexed.hole.value,
    source: lexed.hole.source,
    context: lexed.context,
  };
  if (lexed.hole.filter !== undefined) hole.filter = lexed.hole.filter;
  if (lexed.list) hole.list = true;
  if (lexed.raw) hole.raw = true;
  if (lexed.word !== undefined) {
    hole.argument = true;
    hole.word = lexed.word;
  }
  return hole;
}

/**
 * Finds values that become arguments or environment variables of an external program, because the kernel limits their
 * size.
 */
function noteArguments(lexed: LexedShell): void {
  if (lexed.holes.length === 0) return;
  let id = 0;
  for (const command of lexed.commands) {
    if (command.role !== 'command' || command.words.length === 0) continue;
    const { program } = resolveProgram(command);
    const name = exactText(command.words[program] ?? (command.words[0] as Word));
    if (name === null || BUILTINS.has(name) || lexed.functions.has(name)) continue;
    for (const word of [...command.assignments, ...command.words.slice(1)]) {
      if (isExact(word)) continue;
      const literal = word.text.replaceAll(HOLE, '');
      const bytes = utf8Length(literal);
      for (const hole of word.holes) if (!hole.raw) hole.word = { id, bytes };
      id++;
    }
  }
}
