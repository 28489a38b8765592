/** Lints about the programs that a line runs. */
import { checkMessages as say } from '../../source/catalogue/check.js';
import type { Span } from '../../source/diagnostic.js';
import type { ShellText } from '../../syntax/ast.js';
import type { Expression } from '../../syntax/expression-nodes.js';
import type { StateLowering } from '../lower/state-lowering.js';
import { isSign, isWellKnown } from '../shell/known-programs.js';
import type { CompiledShellText } from '../shell/text.js';

/** Options that change where programs are looked up. */
interface LookupOptions {
  readonly cwd?: unknown;
  readonly env?: readonly { readonly name: string }[] | undefined;
}

/**
 * Reports commands that are not programs. A missing program is only a warning, because it may exist on the machine that
 * runs the flow. A line of prose is an error, because it was meant for an agent.
 */
export function reportCommands(
  l: StateLowering,
  shell: ShellText,
  compiled: CompiledShellText,
  { at, common }: { at: (offset: number) => number; common: LookupOptions },
): void {
  const { onPath } = l.settings.lookups;
  if (onPath === undefined) return;
  const reported = new Set<string>();
  let movesElsewhere = common.cwd !== undefined;
  const ownPath = common.env?.some((variable) => variable.name === 'PATH') === true;
  let prose = false;
  // To bash, `let x = echo 1` is arithmetic, `set x = 1` sets arguments, and `text.trim()` begins a function without a body.
  const assigned =
    /^(?:let|local|declare|readonly|typeset|export|set)(?=\s+\w+\s*:?=\s)|^\w+\s*:=(?=\s)|^[A-Za-z_][\w.]*\(\)$/.exec(
      shell.text,
    )?.[0];
  if (assigned !== undefined) {
    const span = { file: shell.span.file, start: at(0), end: at(assigned.length) };
    prose = l.diagnostics.push(say.notACommand(span, { word: assigned })) > 0;
  }
  const element = prose ? undefined : ELEMENT.exec(shell.text);
  if (element?.[1] !== undefined && (l.scope.has(element[1]) || /^\s*=\s/.test(shell.text.slice(element[0].length)))) {
    const span = { file: shell.span.file, start: at(0), end: at(element[0].length) };
    prose = l.diagnostics.push(say.notACommand(span, { word: element[0] })) > 0;
  }
  compiled.commands.forEach((command, index) => {
    const name = prose ? null : command.name;
    movesElsewhere ||= name === 'cd' || name === 'pushd';
    if (name === null || command.builtinOrKeyword || reported.has(name) || onPath(name)) return;
    // The path on which it will be looked up is unknown here.
    if (name.includes('/') ? movesElsewhere && !name.startsWith('/') : ownPath) return;
    // Words that are already reported as a choice are not a missing program.
    if (compiled.findings.some((f) => f.start < command.nameEnd && command.nameStart < f.end)) return;
    reported.add(name);
    const isAction = INSTRUCTION.test(name);
    const span = { file: shell.span.file, start: at(command.nameStart), end: at(command.nameEnd) };
    const isFirst = index === 0 && command.depth === 0;
    const isTerse = !OF_SENTENCES.test(shell.text);
    const isWord = /^[A-Z]/.test(name) || readsAsProse(shell.text, compiled);
    const isNone =
      isSign(name) ||
      name === 'in' ||
      isCall(shell.text, command.nameEnd) ||
      (isWord && !(isTerse && isWellKnown(name)));
    if (isAction || (isFirst && !name.includes('/') && isNone))
      prose =
        l.diagnostics.push(say.notACommand(span, { word: name, mayBeProgram: isTerse && /^[a-z]/.test(name) })) > 0;
    else {
      const subtraction = name === shell.text.trim() ? subtractionMeant(l, name, span) : {};
      l.diagnostics.push(say.commandNotFound(span, { word: name, path: name.includes('/'), ...subtraction }));
    }
  });
}

/** The program of a bound list that reads like a command, as `x = ["git", "log", "-1"]`; null: it reads like a list. */
export function programInList(list: Expression): string | null {
  if (list.kind !== 'list') return null;
  const [program = '', ...rest] = list.items.map((item) => (item.kind === 'text' ? item.template.parts[0] : undefined));
  if (typeof program !== 'string') return null;
  const isPrinter = program === 'echo' || program === 'printf';
  const isProgram = isPrinter || isWellKnown(program) || /^(?:\.{0,2}\/|[\w.-]+\/)\S+$/.test(program);
  const isArgument = (text: unknown): boolean => typeof text === 'string' && /^--?[A-Za-z\d]/.test(text);
  return isProgram && (isPrinter ? rest.length > 0 : rest.some(isArgument)) ? program : null;
}

/** `data[0].name`, which is an expression if nothing follows it, and `data[1:]`, which is none. */
const ELEMENT = /^([A-Za-z_]\w*)(?:\.\w+)*\[(?:\*|-?\w*(?:\s*:\s*-?\w*)?)\](?:\.\w+|\[(?:\*|-?\w*)\])*(?=\s|$)/;

/** A verb with its colon, or one that no program has as its name. */
const INSTRUCTION = /^(?:(?:DO|CHECK|SET|INCREMENT|USE|WAIT|ASK):|(?:GOTO|RETURN|FAIL|EMIT|PROCEED):?)$/;

/** `count-offest` may be a subtraction if `count` has a value, which is not the one that this line binds. */
function subtractionMeant(l: StateLowering, word: string, { file, start }: Span): { readonly subtraction?: string } {
  const first = /^\w+(?=-)/.exec(word)?.[0];
  if (first === undefined || !l.scope.has(first)) return {};
  const before = l.shared.sources[file]?.text.slice(Math.max(0, start - first.length - 5), start) ?? '';
  return /(\w+)\s*=\s*$/.exec(before)?.[1] === first ? {} : { subtraction: word.replaceAll('-', ' - ') };
}

/** `task(a) "…"`: no shell accepts a parenthesis with text in it after a name. */
function isCall(text: string, nameEnd: number): boolean {
  return /^\((?!\s*\))/.test(text.slice(nameEnd));
}

/** The words without a parenthesis at the end, if at least two words come first. */
function withoutNote(text: string): string {
  const open = text.endsWith(')') ? text.lastIndexOf('(') : -1;
  const before = text.slice(0, Math.max(0, open));
  const isNote = /[ \t]$/.test(before) && /\w[ \t]+\S/.test(before) && text.indexOf(')', open) === text.length - 1;
  return isNote ? before.trimEnd() : text;
}

/** Words that sentences have and commands hardly ever. */
const OF_SENTENCES =
  /(?:^|\s)(?:the|an?|all|every|each|this|that|these|those|it|its|of|for|to|and|with|in|on|from|into|until|if|about|our|your|their|then|as|by|not|is|are)(?=\s|$)/i;

/** Three or more words without anything typical of a shell: no operators, options or paths. */
function readsAsProse(text: string, compiled: CompiledShellText): boolean {
  // No shell accepts a parenthesis after the words of a command, so it is a note and not a group of commands.
  const whole = text.trim();
  const command = withoutNote(whole);
  if (compiled.commands.length !== 1 && command === whole) return false;
  const words = command.split(/\s+/);
  return words.length >= 3 && !/[|&;<>$`=*\\/(){}[\]]/.test(command) && !words.some((w) => w.startsWith('-'));
}
