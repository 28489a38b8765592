/** What can be said about the programs a line runs before any of them runs. */
import { checkMessages as say } from '../../source/catalogue/check.js';
import type { ShellText } from '../../syntax/ast.js';
import type { StateLowering } from '../lower/state-lowering.js';
import type { CompiledShellText, ShellCommand } from '../shell/text.js';

/** Programs whose first plain argument is the script that really runs. */
const INTERPRETER = /^(?:python[\d.]*|node|deno|bun|ruby|perl|php|bash|sh|dash|zsh|uv|npx)$/;

/** Builtins that only prepare what the line is about. */
const PREPARES = new Set(['cd', 'export', 'set', 'umask', 'shopt']);

const baseName = (path: string): string => path.split('/').pop() || path;

/**
 * Base name of the program that runs; of the script, where an interpreter runs one. Null when a value decides.
 * `text` is what the commands were read from: `{home}/lib/poll.py` still names its script. `blamed` says whose fault
 * a failure is in a pipeline: its exit code is that of the last program, but what it prints comes from the first.
 */
export function toolOf(commands: readonly ShellCommand[], text: string, blamed: 'first' | 'last'): string | null {
  const outer = commands.filter((c) => c.depth === 0);
  let at = outer.findIndex((c) => c.name === null || !PREPARES.has(c.name));
  if (blamed === 'last' && at >= 0) while (outer[at + 1]?.pipedInto === true) at++;
  const command = outer[at] ?? outer[0] ?? commands[0];
  if (command === undefined || command.name === null) return null;
  const word = command.words[command.program];
  const program = word?.text == null ? baseName(command.name) : baseName(word.text);
  if (!INTERPRETER.test(program)) return program;
  const rest = command.words.slice(command.program + 1);
  if (rest.some((w) => w.text === '-c' || w.text === '-e')) return program;
  const script = rest.find((w) => w.text === null || !w.text.startsWith('-'));
  if (script === undefined) return program;
  return script.text === null ? (literalTail(text.slice(script.start, script.end)) ?? program) : baseName(script.text);
}

/** The part of a path after its last slash, where no value and no expansion is in it. */
function literalTail(word: string): string | null {
  const tail = /\/([\w.+-]+)["']?$/.exec(word);
  return tail === null ? null : (tail[1] as string);
}

/** Options that decide where programs are looked for. */
interface Surroundings {
  readonly cwd?: unknown;
  readonly env?: readonly { readonly name: string }[] | undefined;
}

/**
 * Reports words that are no program. Programs are checked on machines where they do not run, so a missing one
 * is a warning, unless the line reads as prose: then an agent was meant, and running it would be wrong everywhere.
 */
export function reportCommands(
  l: StateLowering,
  shell: ShellText,
  compiled: CompiledShellText,
  { at, common }: { at: (offset: number) => number; common: Surroundings },
): void {
  const { onPath } = l.settings.lookups;
  if (onPath === undefined) return;
  const reported = new Set<string>();
  let movesElsewhere = common.cwd !== undefined;
  const ownPath = common.env?.some((variable) => variable.name === 'PATH') === true;
  let prose = false;
  compiled.commands.forEach((command, index) => {
    const name = prose ? null : command.name;
    movesElsewhere ||= name === 'cd' || name === 'pushd';
    if (name === null || command.builtinOrKeyword || reported.has(name) || onPath(name)) return;
    // Where it will be looked for is not known here.
    if (name.includes('/') ? movesElsewhere && !name.startsWith('/') : ownPath) return;
    // What is blamed as a choice of words is no command that somebody forgot to install.
    if (compiled.findings.some((f) => f.start < command.nameEnd && command.nameStart < f.end)) return;
    reported.add(name);
    const span = { file: shell.span.file, start: at(command.nameStart), end: at(command.nameEnd) };
    const isFirst = index === 0 && command.depth === 0;
    const isNone = /^[A-Z]/.test(name) || isCall(shell.text, command.nameEnd) || readsAsProse(shell.text, compiled);
    if (isFirst && !name.includes('/') && isNone) prose = l.diagnostics.push(say.notACommand(span, { word: name })) > 0;
    else l.diagnostics.push(say.commandNotFound(span, { word: name, path: name.includes('/') }));
  });
}

/** `task(a) "…"`: after a name no shell reads a parenthesis with something in it. */
function isCall(text: string, nameEnd: number): boolean {
  return /^\((?!\s*\))/.test(text.slice(nameEnd));
}

/** Words without the parenthesis that ends them, where two words at least are before it. */
function withoutNote(text: string): string {
  const open = text.endsWith(')') ? text.lastIndexOf('(') : -1;
  const before = text.slice(0, Math.max(0, open));
  const isNote = /[ \t]$/.test(before) && /\w[ \t]+\S/.test(before) && text.indexOf(')', open) === text.length - 1;
  return isNote ? before.trimEnd() : text;
}

/** Three or more words, and nothing in them that people write for a shell: no operators, options or paths. */
function readsAsProse(text: string, compiled: CompiledShellText): boolean {
  // No shell takes a parenthesis after the words of a command, so that is a note and no group of commands.
  const whole = text.trim();
  const command = withoutNote(whole);
  if (compiled.commands.length !== 1 && command === whole) return false;
  const words = command.split(/\s+/);
  return words.length >= 3 && !/[|&;<>$`=*\\/(){}[\]]/.test(command) && !words.some((w) => w.startsWith('-'));
}
