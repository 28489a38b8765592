/**
 * Finds the shell variables that contain a value of the program: assigned from it or from another such variable, read
 * from text that contains it, arguments of a function or of `set --`. The order of the text does not count, because
 * loops and functions may run anything later.
 */
import { DECLARING_BUILTINS, programName, resolveProgram } from './known-programs.js';
import {
  assignedName,
  type Command,
  exactText,
  type LexedHole,
  type LexedShell,
  type Redirect,
  type Word,
} from './tree.js';

export interface HeldValues {
  /** Shell variables and positional parameters, each with the interpolation that it contains. */
  readonly names: Map<string, string>;
  /** Commands in substitutions whose output contains a value, by their beginnings. */
  substituted: readonly PrintedText[];
  /** The outputs with a value that a command reads through a pipe. */
  piped: ReadonlyMap<Command, readonly PrintedText[]>;
  /** Whether `shift` renumbers the positional parameters; null before anything asks. */
  shifts: boolean | null;
}

interface PrintedText {
  readonly start: number;
  readonly end: number;
  readonly source: string;
  /** The command that reads the output, if it is none that passes it on. */
  readonly reader: Command | null;
}

/** Programs that print their arguments, and programs that print what they read. Others print something else. */
const PRINTERS = new Set(['echo', 'printf', 'basename', 'dirname', 'realpath']);
const FILTERS = new Set('cat tac rev tr sed cut head tail sort uniq fold tee awk'.split(' '));
/** Builtins that give values to variables, but for those that declare them. */
const HOLDERS = new Set(['for', 'select', 'printf', 'read', 'mapfile', 'readarray', 'set']);
const POSITIONS = ['1', '2', '3', '4', '5', '6', '7', '8', '9'];

const NOTHING_PIPED: HeldValues['piped'] = new Map();
const NOTHING_HELD: HeldValues = { names: new Map(), substituted: [], piped: NOTHING_PIPED, shifts: null };

/** `given` are variables that already contain a value when the text begins. */
export function heldValues(lexed: LexedShell, given: ReadonlyMap<string, string>): HeldValues {
  const { commands } = lexed;
  // What a single command sets, nothing reads.
  if (given.size === 0 && (lexed.holes.length === 0 || commands.length < 2)) return NOTHING_HELD;
  const held: HeldValues = { names: new Map(given), substituted: [], piped: NOTHING_PIPED, shifts: null };
  for (let known = -1, turn = 0; held.names.size > known; turn++) {
    known = held.names.size;
    notePrinted(held, commands);
    const read = inputAround(held, commands);
    // A chain of assignments is found in one turn, whether it is written forwards or backwards.
    if (turn % 2 === 0) for (const command of commands) noteHeld(held, lexed, command, read);
    else for (let at = commands.length - 1; at >= 0; at--) noteHeld(held, lexed, commands[at] as Command, read);
  }
  return held;
}

function notePrinted(held: HeldValues, commands: readonly Command[]): void {
  const substituted: PrintedText[] = [];
  let piped: Map<Command, PrintedText[]> | null = null;
  for (let at = 0; at < commands.length; at++) {
    const one = printedBy(held, commands, at);
    if (one === undefined) continue;
    const others = one.reader === null ? substituted : piped?.get(one.reader);
    if (others !== undefined) others.push(one);
    else if (one.reader !== null) {
      piped ??= new Map();
      piped.set(one.reader, [one]);
    }
  }
  held.substituted = substituted.sort((a, b) => a.start - b.start);
  held.piped = piped ?? NOTHING_PIPED;
}

/** The first value that is part of a word, directly, in a variable or in the output of a substitution. */
export function valueIn(held: HeldValues, word: Word): string | undefined {
  return valueOfHoles(word.holes) ?? valueOfReads(held, word.reads) ?? printedIn(held, word)?.source;
}

/** The first printed value inside a substitution of a word or redirection. */
export function printedIn(
  { substituted }: HeldValues,
  within: { start: number; end: number },
): PrintedText | undefined {
  let [from, to] = [0, substituted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((substituted[middle] as PrintedText).start > within.start) to = middle;
    else from = middle + 1;
  }
  for (let one = substituted[from]; one !== undefined && one.start < within.end; one = substituted[++from])
    if (one.end <= within.end) return one;
  return undefined;
}

/** The value in a here-document, a here-string or a substitution that a command reads. */
export function valueOfInput(held: HeldValues, redirects: readonly Redirect[]): string | undefined {
  for (const redirect of redirects) {
    const { operator, holes, reads } = redirect;
    if (operator === '<') return printedIn(held, redirect)?.source;
    if (operator !== '<<' && operator !== '<<<') continue;
    const found = valueOfHoles(holes) ?? valueOfReads(held, reads) ?? printedIn(held, redirect)?.source;
    if (found !== undefined) return found;
  }
  return undefined;
}

function valueOfHoles(holes: readonly LexedHole[]): string | undefined {
  return holes.find(({ raw, hole: { filter } }) => !raw && filter !== 'int')?.hole.source;
}

function valueOfReads({ names }: HeldValues, reads: readonly string[]): string | undefined {
  for (const name of reads) if (names.has(name)) return names.get(name);
  return undefined;
}

/** Variables that programs inherit. */
export function exportedNames({ commands }: LexedShell): Set<string> {
  const names = new Set<string>();
  for (const { words } of commands) {
    const name = programName(words[0]);
    if (name !== 'export' && !(DECLARING_BUILTINS.has(name ?? '') && words.some(({ text }) => /^-\w*x/.test(text))))
      continue;
    for (const { text } of words) names.add(/^\w*/.exec(text)?.[0] as string);
  }
  return names;
}

// ---- output -----------------------------------------------------------------------------------------

/** What the command at an index prints; undefined: no value of the program. */
function printedBy(held: HeldValues, commands: readonly Command[], at: number): PrintedText | undefined {
  const command = commands[at] as Command;
  const { words, redirects, depth } = command;
  if (command.role !== 'command' || words.length === 0) return undefined;
  const { program } = resolveProgram(command);
  const name = programName(words[program]) ?? '';
  const source = PRINTERS.has(name)
    ? valueOfArguments(held, words.slice(program + 1), name)
    : passes(command)
      ? valueOfInput(held, redirects)
      : undefined;
  if (source === undefined) return undefined;
  const start = (words[0] as Word).start;
  const end = Math.max((words.at(-1) as Word).end, redirects.at(-1)?.end ?? 0);
  for (let next = at + 1; next < commands.length; next++) {
    const one = commands[next] as Command;
    if (one.depth > depth) continue;
    if (one.depth < depth || !one.pipedInto) break;
    if (!passes(one)) return { start, end, source, reader: one };
  }
  return { start, end, source, reader: null };
}

/** `printf %q` writes the value so that the shell reads it as text. */
function valueOfArguments(held: HeldValues, words: readonly Word[], name: string): string | undefined {
  if (name === 'printf' && (words[0]?.text === '-v' || words.some(({ text }) => text.includes('%q')))) return undefined;
  for (const word of words) {
    const found = valueIn(held, word);
    if (found !== undefined) return found;
  }
  return undefined;
}

function passes({ words }: Command): boolean {
  const name = programName(words[0]) ?? '';
  if (name === 'grep') return !words.some(({ text }) => /^-\w*[cq]/.test(text));
  return name === 'xargs' ? words.length === 1 : FILTERS.has(name);
}

// ---- variables --------------------------------------------------------------------------------------

function noteHeld(held: HeldValues, lexed: LexedShell, command: Command, readAround: string | undefined): void {
  const { words } = command;
  for (const word of command.assignments) hold(held, assignedName(word), valueIn(held, word));
  if (command.role === 'array') return holdArray(held, command);
  if (command.role !== 'command' || words.length === 0) return;
  const { program } = resolveProgram(command);
  const name = programName(words[program]) ?? '';
  // Most commands are none of these.
  if (!HOLDERS.has(name) && !DECLARING_BUILTINS.has(name) && !lexed.functions.has(name)) return;
  const rest = words.slice(program + 1);
  if (DECLARING_BUILTINS.has(name)) for (const word of rest) hold(held, assignedName(word), valueIn(held, word));
  else if (name === 'for' || name === 'select')
    for (const word of rest.slice(2)) hold(held, exactText(rest[0]), valueIn(held, word));
  else if (name === 'printf') holdPrinted(held, rest);
  else if (name === 'read' || name === 'mapfile' || name === 'readarray') holdRead(held, command, rest, readAround);
  else if (name === 'set') holdPositions(held, lexed, rest[0]?.text === '--' ? rest.slice(1) : rest);
  else if (lexed.functions.has(name)) holdPositions(held, lexed, rest);
}

function hold({ names }: HeldValues, name: string | null, source: string | undefined): void {
  if (name !== null && source !== undefined && !names.has(name)) names.set(name, source);
}

/** `name=( … )`: the word with the name surrounds its elements. */
function holdArray(held: HeldValues, { owner, words }: Command): void {
  for (const word of words) {
    const source = valueIn(held, word);
    const surrounds = ({ start, end }: Word): boolean => start < word.start && word.end <= end;
    const name = [...(owner?.assignments ?? []), ...(owner?.words ?? [])].find(surrounds);
    if (name !== undefined) hold(held, assignedName(name), source);
  }
}

/** `printf -v name format value`. */
function holdPrinted(held: HeldValues, words: readonly Word[]): void {
  const [, joined] = /^-v(.*)/.exec(words[0]?.text ?? '') ?? [];
  if (joined === undefined) return;
  const rest = words.slice(joined === '' ? 2 : 1);
  if (rest.some(({ text }) => text.includes('%q'))) return;
  for (const word of rest) hold(held, joined === '' ? exactText(words[1]) : joined, valueIn(held, word));
}

/** `read` takes its input from its own redirection, or from that of the loop or pipe around it. */
function holdRead(
  held: HeldValues,
  { redirects }: Command,
  words: readonly Word[],
  readAround: string | undefined,
): void {
  const own = redirects.some(({ operator }) => operator.startsWith('<'));
  const source = own ? valueOfInput(held, redirects) : readAround;
  if (source === undefined) return;
  const names = words.flatMap((word) => (/^[A-Za-z_]\w*$/.test(exactText(word) ?? '') ? [word.text] : []));
  for (const name of names.length > 0 ? names : ['REPLY', 'MAPFILE']) hold(held, name, source);
}

function inputAround(held: HeldValues, commands: readonly Command[]): string | undefined {
  const [piped] = held.piped.values();
  if (piped !== undefined) return (piped[0] as PrintedText).source;
  for (const { words, redirects } of commands) {
    const source = words.length > 0 ? undefined : valueOfInput(held, redirects);
    if (source !== undefined) return source;
  }
  return undefined;
}

/** The arguments of a function and of `set`. A list and an expansion may move what follows, and `shift` everything. */
function holdPositions(held: HeldValues, { commands }: LexedShell, words: readonly Word[]): void {
  held.shifts ??= commands.some((command) => programName(command.words[0]) === 'shift');
  let moves = held.shifts;
  words.forEach((word, at) => {
    moves ||= word.expands || word.holes.some(({ list }) => list);
    const source = valueIn(held, word);
    for (const name of ['@', '*', ...(moves ? POSITIONS : [String(at + 1)])]) hold(held, name, source);
  });
}
