/**
 * Reports text that looks like a part of the language, or the other way round: an arrow or options after a command,
 * `$name` in an event, a text as a condition. Such lines run, but do something else than they seem
 * to.
 */
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { textMessages as say } from '../../source/catalogue/texts.js';
import type { Diagnostic, SourceSet } from '../../source/diagnostic.js';
import { meantOptions, withOptions } from '../../source/foreign/option-lines.js';
import type { Block, Instruction, ShellText, StateDeclaration } from '../../syntax/ast.js';
import { childBlocks, parsedBody } from '../../syntax/child-blocks.js';
import type { Expression, Template } from '../../syntax/expression-nodes.js';
import { actionVerbs } from '../../syntax/tokens/verbs.js';
import type { Unit } from '../collect.js';
import { isFunction } from '../lower/lower-expression.js';
import { fieldsOf, lintArguments, lintEnd, lintEvent, lintFieldValue, lintSecondCommand } from './unread-texts.js';

export function lintTexts(unit: Unit, sources: SourceSet, diagnostics: Diagnostic[]): void {
  const names = new Set(unit.inputs.keys());
  const all: {
    readonly state: StateDeclaration;
    readonly instructions: readonly Instruction[];
    readonly by: number;
  }[] = [];
  for (const { states } of unit.machines)
    for (const state of states) {
      const { body, by } = parsedBody(state);
      all.push({ state, instructions: instructionsIn(body, names), by });
    }
  const ofPatterns: Instruction[] = [];
  for (const { body } of unit.patterns.values()) instructionsIn(body, names, ofPatterns);
  let found: Diagnostic[] = [];
  for (const { state, instructions, by } of all) {
    lintInstructions(instructions, { names, sources, by }, found);
    if (found.length === 0) continue;
    found = [];
    lintInstructions(instructionsIn(state.body, names), { names, sources, by: 0 }, diagnostics);
  }
  lintInstructions(ofPatterns, { names, sources, by: 0 }, diagnostics);
}

interface TextSurroundings {
  readonly names: ReadonlySet<string>;
  readonly sources: SourceSet;
  /** How far the instructions have moved since they were parsed. */
  readonly by: number;
}

function lintInstructions(
  instructions: readonly Instruction[],
  surroundings: TextSurroundings,
  diagnostics: Diagnostic[],
): void {
  const { names } = surroundings;
  for (const i of instructions) {
    if (i.kind === 'do' || i.kind === 'check') {
      if (i.performed.kind === 'shell') {
        lintCommand(i.performed.shell, i.span.file, i.kind, diagnostics);
        lintOptionsAfter(i, i.performed.shell, surroundings, diagnostics);
        lintOptionsFirst(i, i.performed.shell, surroundings, diagnostics);
        lintNameAfter(i, i.performed.shell, surroundings, diagnostics);
        lintLoop(i.performed.shell, i.span.file, names, diagnostics);
        lintWords(i, i.performed.shell, diagnostics);
        lintArguments(i.performed.shell, i.kind === 'do' ? 'DO' : 'CHECK', i.bind?.text, diagnostics);
        lintSecondCommand(i.performed.shell, i.kind === 'do' ? 'DO' : 'CHECK', i.bind !== undefined, diagnostics);
      }
      if (i.kind === 'do' && i.bind !== undefined) lintText(i.expression, `DO: ${i.bind.text} = `, diagnostics);
    } else if (i.kind === 'set' || i.kind === 'track') {
      lintText(i.value, `DO: ${i.name.text} = `, diagnostics);
    } else if (i.kind === 'if') for (const { condition } of i.arms) lintCondition(condition, null, diagnostics);
    else if (i.kind === 'wait' && i.for.kind === 'condition') lintCondition(i.for.condition, null, diagnostics);
    else if (i.kind === 'return' || i.kind === 'fail') {
      const isValue = i.kind === 'return' && i.expression !== undefined;
      if (!isValue) lintBareText(i.text, diagnostics);
      if (!isValue) lintOnlyIf(i.text, i.kind.toUpperCase(), names, diagnostics);
      if (!isValue) lintEnd(i.text, i.kind === 'return' ? 'RETURN' : 'FAIL', names, diagnostics);
      if (i.kind === 'return' && !isValue) lintUncomputed(i.text, names, diagnostics);
    } else if (i.kind === 'emit') {
      if (i.event !== undefined) lintEvent(i.event, i.fields.length > 0, names, diagnostics);
      for (const { name, value } of i.fields) {
        lintBareText(value, diagnostics);
        lintFieldValue(value, name.text, names, diagnostics);
      }
    }
  }
}

/** The instructions of a block, each before its inner instructions. Adds the names that they bind. */
function instructionsIn(block: Block, names: Set<string>, instructions: Instruction[] = []): readonly Instruction[] {
  for (const i of block.instructions) {
    instructions.push(i);
    addBound(i, names);
    for (const inner of childBlocks(i)) instructionsIn(inner, names, instructions);
  }
  return instructions;
}

/** Adds the names that an instruction binds. */
function addBound(i: Instruction, names: Set<string>): void {
  if (i.kind === 'track' || i.kind === 'set') names.add(i.name.text);
  if ((i.kind === 'do' || i.kind === 'check') && i.bind !== undefined) names.add(i.bind.text);
}

const OPTIONS =
  '\\[(?:ok|timeout|idle|retry(?:_on)?|once|memo|cwd|shell|strict|env\\.\\w+)(?:=[^\\]]*)?(?:\\s[^\\]]*)?\\]';
/** What may be options after a command. In braces, `{timeout:int}` is a value with its type. */
const OPTIONS_AFTER = /\s([[(]\s*([A-Za-z_][^[\](){}'"`]*)[\])])$/;
const OPTIONS_FIRST = new RegExp(`^(${OPTIONS})(?:\\s+|$)`);
/** A name behind the command, as some languages bind what it prints. */
const NAME_AFTER = /\s((→|->|=>|AS(?=\s)|as(?=\s)|>|\|\s*tee(?=\s))\s*([A-Za-z_]\w*))$/i;
/** A file of that name is right, too. */
const TO_FILE = /^(?:>|\|)/;
/** Verbs that text has after an arrow by chance, or that never follow an arrow. */
const OTHER_VERBS: ReadonlySet<string> = new Set(['FOR EACH', 'CALL', 'PLAN', 'UNDO']);
/** An action after a command, as if after the condition of an IF. */
const ACTION = new RegExp(
  `\\s((?:→|->)\\s*(?:${actionVerbs.filter((verb) => !OTHER_VERBS.has(verb)).join('|')})\\b.*)$`,
);
/** An action after a command, as a shell or another language would continue a line. */
const NEXT =
  /((?:(?:;|&&|\bAND\b|\bTHEN\b)\s*(?=(?:[A-Z]+)(?::|\s+[A-Z_]{2,}$))|,\s*(?=[A-Z]+:\s))((?:GOTO|RETURN|FAIL|EMIT|SET|INCREMENT|USE)(?::.*|\s+[A-Z_]{2,})))$/;
/** A name before the command, as the shell and PHP write variables. */
const DOLLAR_NAME = /^\$\{?([A-Za-z_]\w*)\}?\s+:?=\s+(\S.*)$/;
const OTHERWISE = /\s(ELSE:?\s*(?:→|->)?\s*(?:GOTO|RETURN|FAIL|EMIT|SET|DO|USE|PROCEED)\b.*)$/;
const TERNARY = /^([\w.]+(?:\s*(?:==|!=|[<>]=?)\s*\S+)?)\s+\?\s+(\S.*?)\s+:\s+(\S.*)$/;
const CHOICE = /^(\S.*?)\s+if\s+([\w.]+(?:\s*(?:==|!=|[<>]=?)\s*\S+)?)\s+else\s+(\S.*)$/;
const LONGEST_CONDITION = 500;
/** In capitals also with a test in words, which prose has by chance. */
const ONLY_IF =
  /^(\S.*?)\s+(?:(if|when|unless|IF:?|WHEN:?|UNLESS:?)\s+(([A-Za-z_]\w*)(?:\.\w+)*\s*(?:==|!=|[<>]=?)\s*[^\s,]+)|(IF:?|WHEN:?|UNLESS:?)\s+(([A-Za-z_]\w*)(?:\.\w+)*\s+(?:is|contains|matches|in)\s\S.*))$/;
const COMMENT = /\s(\/\/\s.*)$/;
/** A comment of another language behind a text: words after two slashes. */
const COMMENT_IN_TEXT = /(?<=[\w"'})\].!?]\s+)(\/\/\s+[A-Za-z].*)$/;
/** An option in words behind a command. */
const WORDED_OPTION = /\s((RETRY|RETRIES|TIMEOUT)[ :]+(\d+)(ms|s|m|h)?)$/;
/** Options behind the command, with values that only options have. */
const LAST_OPTIONS = /[\s,]((?:with\s+)?(?:(?:timeout=\d+(?:\.\d+)?(?:ms|s|m|h|d)|retry=\d+\/\d\S*)[\s,]*)+)$/;
/** Programs whose arguments look like options. */
const TAKES_ASSIGNMENTS = /^(?:[gn]?make|just|task|rake|mage|ninja|ansible\S*|mount|dd|env|terraform|helm|export)\b/;
/** A name in small letters that the shell sets to nothing for one command. */
const EMPTY_ASSIGNMENT = /^([a-z_]\w*)=[ \t]+(\S.*)$/;
/** What is to happen if a command fails, behind it. */
const HANDLED =
  /\s((?:(?:→|->)\s*)?(?:ON (?:ERROR|FAILURE|FAIL)\b:?\s*(?:(?:→|->|=>)\s*)?|(?:OR|ELSE|or|else|otherwise)\b:?\s*)(?:GOTO|RETURN|FAIL|EMIT|SET|DO|USE)(?::.*|\s+[A-Z_]{2,}))$/;
/** Nothing but a variable of the shell. */
const VARIABLE = /^\$\{?([A-Za-z_]\w*)\}?$/;

/** Text that looks like a part of the language. A quick test for its signs skips most commands. */
const COMMAND_ENDS = [
  { pattern: ACTION, sign: ['→', '->'], report: say.action },
  { pattern: COMMENT, sign: ['//'], report: say.comment },
  { pattern: HANDLED, sign: ['ON ', 'OR', 'ELSE', ' or ', ' else ', ' otherwise '], report: say.action },
] as const;

/** The end of a one-line command. */
function lintCommand({ text, lines }: ShellText, file: number, kind: 'do' | 'check', diagnostics: Diagnostic[]): void {
  const only = lines[0];
  if (lines.length !== 1 || only === undefined) return;
  const verb = kind === 'do' ? 'DO' : 'CHECK';
  for (const { pattern, sign, report } of COMMAND_ENDS) {
    if (!sign.some((one) => text.includes(one))) continue;
    const match = pattern.exec(text);
    // Quoted text is meant as text.
    if (match === null || /['"`]/.test(match[0]) || isOpen(text.slice(0, match.index))) continue;
    const start = only.source + match.index + 1;
    const part = match[1] as string;
    diagnostics.push(report({ file, start, end: start + part.length }, { verb, part }));
  }
  const dollar = text.startsWith('$') ? DOLLAR_NAME.exec(text) : null;
  if (dollar !== null) {
    const [, name, command = ''] = dollar;
    const end = only.source + text.length - command.length;
    diagnostics.push(say.dollarName({ file, start: only.source, end }, { line: `${verb}: ${name} = ${command}` }));
  }
  const next = NEXT.exec(text);
  if (next === null || isOpen(text.slice(0, next.index))) return;
  const start = only.source + next.index;
  const [, part = '', rest = ''] = next;
  diagnostics.push(say.nextAction({ file, start, end: start + part.length }, { part, rest }));
}

/** `./job.sh [retries=2]`: all words in the brackets are options, here or in another tool. */
function lintOptionsAfter(
  i: Extract<Instruction, { kind: 'do' | 'check' }>,
  { text, lines, span }: ShellText,
  { sources, by }: TextSurroundings,
  diagnostics: Diagnostic[],
): void {
  const only = lines[0];
  const match = lines.length === 1 && /[\])]$/.test(text) ? OPTIONS_AFTER.exec(text) : null;
  if (only === undefined || match === null || isOpen(text.slice(0, match.index))) return;
  const [whole, part = '', inside = ''] = match;
  // Without the brackets of options, a word alone is one of the shell, or a value.
  if (!part.startsWith('[') && !/[=:]/.test(inside)) return;
  const verb = i.kind.toUpperCase();
  const meant = meantOptions(verb, inside);
  if (meant === undefined) return;
  const head = sources[span.file]?.text.slice(i.span.start + by, only.source + by) ?? '';
  const bound = i.bind === undefined ? '' : `${i.bind.text} = `;
  const command = text.slice(0, -whole.length);
  const line = head.includes('[') ? undefined : withOptions(verb, meant, bound + command);
  const start = only.source + text.length - part.length;
  const at = { file: span.file, start, end: start + part.length };
  diagnostics.push(say.option(at, omitUndefined({ verb, part, meant, line })));
}

/** `./job.sh RETRY 3`, and `x = $HOME`, which runs what the variable names. */
function lintWords(
  i: Extract<Instruction, { kind: 'do' | 'check' }>,
  { text, lines }: ShellText,
  diagnostics: Diagnostic[],
): void {
  const only = lines[0];
  if (lines.length !== 1 || only === undefined) return;
  const { file } = i.span;
  const verb = i.kind === 'do' ? 'DO' : 'CHECK';
  const worded = WORDED_OPTION.exec(text);
  if (worded !== null && !isOpen(text)) {
    const [, part = '', word = '', amount = '', unit = ''] = worded;
    const option = word === 'TIMEOUT' ? `timeout=${amount}${unit || 's'}` : `retry=${amount}`;
    const start = only.source + text.length - part.length;
    diagnostics.push(say.wordedOption({ file, start, end: start + part.length }, { part, verb, option }));
  }
  const last = LAST_OPTIONS.exec(text)?.[1];
  const options = TAKES_ASSIGNMENTS.test(text) && last?.startsWith('with') !== true ? undefined : last;
  if (options !== undefined && !isOpen(text)) {
    const start = only.source + text.length - options.length;
    const option = options
      .replace(/^with\s+/, '')
      .split(/[\s,]+/)
      .filter(Boolean)
      .join(' ');
    diagnostics.push(say.wordedOption({ file, start, end: start + options.length }, { part: options, verb, option }));
  }
  const emptied = i.bind === undefined ? EMPTY_ASSIGNMENT.exec(text) : null;
  if (emptied !== null) {
    const [, name = '', command = ''] = emptied;
    const at = { file, start: only.source, end: only.source + name.length + 1 };
    diagnostics.push(say.emptyAssignment(at, { name, line: `${verb}: ${name} = ${command}` }));
  }
  if (text.startsWith('#'))
    diagnostics.push(say.onlyComment({ file, start: only.source, end: only.source + text.length }, { text, verb }));
  const variable = VARIABLE.exec(text)?.[1];
  if (variable === undefined || i.bind === undefined) return;
  const at = { file, start: only.source, end: only.source + text.length };
  diagnostics.push(say.variable(at, { text, line: `${verb}: ${i.bind.text} = printenv ${variable}` }));
}

/** `DO: [ok=2] make` and the member `- [ok=2] made = make`: to a shell, the options are the name of a program. */
function lintOptionsFirst(
  i: Extract<Instruction, { kind: 'do' | 'check' }>,
  { text, lines, span }: ShellText,
  { sources, by }: TextSurroundings,
  diagnostics: Diagnostic[],
): void {
  const first = lines[0];
  const match = text.startsWith('[') ? OPTIONS_FIRST.exec(text) : null;
  if (match === null || first === undefined) return;
  const [before, options = ''] = match;
  const verb = i.kind.toUpperCase();
  const head = sources[span.file]?.text.slice(i.span.start + by, first.source + by) ?? '';
  const bound = i.bind === undefined ? '' : `${i.bind.text} = `;
  const line = `${verb} ${options}: ${bound}${text.slice(before.length).split('\n')[0]}`.trimEnd();
  const whole = { ...span, start: i.span.start, end: first.source + text.length };
  const isSimple = lines.length === 1 && !head.includes('[') && text !== options;
  const at = { file: span.file, start: first.source, end: first.source + options.length };
  const fix = isSimple ? { fix: { span: whole, text: line, guess: true } as const } : {};
  diagnostics.push(say.optionsFirst(at, { part: options, line, ...fix }));
}

/** `ls → files` and `ls AS files`. In small letters and as `->`, only if the program reads such a name and nothing binds it. */
function lintNameAfter(
  i: Extract<Instruction, { kind: 'do' | 'check' }>,
  shell: ShellText,
  { names, sources, by }: TextSurroundings,
  diagnostics: Diagnostic[],
): void {
  const only = shell.lines[0];
  const match = NAME_AFTER.exec(shell.text);
  if (match === null || only === undefined || shell.lines.length !== 1) return;
  const [, part, sign, name] = match as unknown as [string, string, string, string];
  const before = shell.text.slice(0, match.index);
  if (before.trim() === '' || isOpen(before) || (actionVerbs as readonly string[]).includes(name)) return;
  const source = sources[i.span.file]?.text ?? '';
  const isFile = TO_FILE.test(sign);
  const pattern = isFile
    ? `\\{\\s*${name}\\s*[}.?[]|\\bIF:[^→\\n]*(?<![\\w."/])${name}(?![\\w."/])`
    : `(?<![\\w.])${name}(?!\\w)`;
  const isRead = new RegExp(pattern).test(source.slice(shell.span.end + by));
  if (isFile && i.bind !== undefined) return;
  if (sign !== '→' && sign !== 'AS' && (names.has(name) || !isRead)) return;
  const start = only.source + match.index + 1;
  const whole = source.slice(i.span.start, shell.span.start);
  const head = i.bind === undefined ? whole : source.slice(i.span.start, i.bind.span.start);
  const line = `${head}${name} = ${before.trimEnd()}`;
  const fix = { span: { ...i.span, end: shell.span.end }, text: line, guess: true } as const;
  diagnostics.push(say.nameAfter({ file: i.span.file, start, end: start + part.length }, { line, name, part, fix }));
}

function isOpen(text: string): boolean {
  return (text.split('"').length - 1) % 2 === 1 || (text.split("'").length - 1) % 2 === 1;
}

const COMPARED =
  /^([A-Za-z_]\w*)(?:\.\w+)*\s*(===|!==|[=!<>]=|&&|\|\||\?\?|\*\*|(?:\+\+|--)$|[<>]|(?:\/\/|[+*/%])\s+(\w+)|(?:and|or)\s+(?:not\s+)?(\w+)(?:\.\w+)*$)/;
const NEGATED = /^(?:!|not\s+)([A-Za-z_]\w*)(?:\.\w+)*$/;
const CALLED = /^([a-z_]\w*)\(\s*([A-Za-z_]\w*)(?:[^)]*$|.*\)\s*(?:\?\?|[-+*/%<>=!&|]))/;
/** Other languages call functions as members of a value. */
const MEMBER_CALLED = /^([A-Za-z_]\w*)(?:\.\w+|\[[^\]]*\])*\.\w+\(.*\)$/;
/** A list or an object from its first bracket to its last, unless a value is inserted in it. */
const BRACKETED =
  /^(?:\[(?!.*\{\s*[A-Za-z_][\w.]*\s*\}).*\]|\{(?!\w+:[\w.]+\}$)\s*(?:["']|\w+\s*:)(?!.*\{\s*[A-Za-z_][\w.]*\s*\}).*\})$/;
/** A list, an object, a group or an index that is not closed, and the name that it begins with. */
const OPENED = /^(?:([[({])\s*(?:["'\d]|([A-Za-z_]\w*))|([A-Za-z_]\w*)(\[))[^\])}]*$/;
const CLOSING: Readonly<Record<string, string>> = { '[': ']', '(': ')', '{': '}' };

/** A RETURN that is text because it is no expression, although it begins like one about a value of the program. */
function lintUncomputed(text: Template | undefined, names: ReadonlySet<string>, diagnostics: Diagnostic[]): void {
  if (text === undefined || text.quote !== 'none') return;
  const { raw, span } = text;
  const list = namesInList(raw, names) ?? (raw.length > LONGEST_CONDITION ? undefined : fieldsOf(raw, names));
  if (list !== undefined) diagnostics.push(say.severalValues(span, { list }));
  const [, left = '', , operand, other] = COMPARED.exec(raw) ?? NEGATED.exec(raw) ?? [];
  const [, called = '', first = ''] = CALLED.exec(raw) ?? [];
  // `a or b` may be words, unless both are values.
  const right = operand ?? other;
  const isMeant =
    /^f(?:"[^"]*"|'[^']*')$/.test(raw) ||
    (names.has(left) && (right === undefined || names.has(right) || /^\d/.test(right))) ||
    (isFunction(called) && names.has(first)) ||
    names.has(MEMBER_CALLED.exec(raw)?.[1] ?? '') ||
    (BRACKETED.test(raw) &&
      (/^.\s*["'\d]/.test(raw) || (raw.match(/[A-Za-z_]\w*/g) ?? []).some((word) => names.has(word))));
  if (isMeant && !TERNARY.test(raw)) diagnostics.push(say.uncomputed(span, { text: raw }));
  const [opened, bracket, inside, indexed, index] = OPENED.exec(raw) ?? [];
  const name = inside ?? indexed;
  if (opened !== undefined && (name === undefined || names.has(name)))
    diagnostics.push(say.unclosed(span, { close: CLOSING[bracket ?? index ?? ''] ?? '' }));
}

/** `RETURN: done if n > 3`: to some languages, a condition of the whole line. */
function lintOnlyIf(
  text: Template | undefined,
  verb: string,
  names: ReadonlySet<string>,
  diagnostics: Diagnostic[],
): void {
  if (text === undefined || text.quote !== 'none' || text.raw.length > LONGEST_CONDITION) return;
  const [, before, sign, signed, signedName, word, worded, wordedName] = ONLY_IF.exec(text.raw) ?? [];
  const [test, name, how = ''] = [signed ?? worded, signedName ?? wordedName, sign ?? word];
  if (before === undefined || test === undefined || name === undefined || !names.has(name)) return;
  const condition = /^unless/i.test(how) ? `NOT (${test})` : test;
  diagnostics.push(say.onlyIf(text.span, { test: condition, line: `${verb}: ${before}` }));
}

/** The names or `name=value` of a list such as `n, mode` or `{n, mode}`; undefined if it is none. */
function namesInList(raw: string, names: ReadonlySet<string>): string | undefined {
  const [, word, inBraces, bare] = /^(with\s*:\s*|with\s+)?(?:[({](.*)[)}]|(.*))$/.exec(raw) ?? [];
  const inner = inBraces ?? bare ?? '';
  const [, first = '', sign] = (word === undefined ? null : /^([A-Za-z_]\w*)\s*(=(?!=)|,)/.exec(inner)) ?? [];
  // Values may be expressions.
  if (sign === '=' ? /\s/.test(inner) : sign === ',' && names.has(first) && /=/.test(inner)) return inner;
  const parts = inner.split(/\s*,\s*/);
  const isList = parts.length > 1 || word !== undefined || inner.includes('=');
  const areNames = parts.every((part) => {
    const [, name = '', value] = /^([A-Za-z_]\w*)(?:\s*=\s*(\S+))?$/.exec(part) ?? [];
    return value === undefined ? names.has(name) : word !== undefined || names.has(name) || names.has(value);
  });
  if (!isList || !areNames) return undefined;
  const written = parts.map((part) =>
    part.replace(/=\s*(\w+)$/, (all, value) => (names.has(value) ? `={${value}}` : all)),
  );
  return written.join(', ');
}

/** A text without quotes that ends like a line of another language, or in which quotes are not where they seem to be. */
function lintBareText(text: Template | undefined, diagnostics: Diagnostic[]): void {
  if (text === undefined || text.quote !== 'none') return;
  const { raw, span } = text;
  if (/[^;\s];$/.test(raw) && raw.indexOf(';') === raw.length - 1)
    diagnostics.push(say.semicolon({ ...span, start: span.end - 1 }, { text: raw }));
  const [, remark] = raw.length > LONGEST_CONDITION ? [] : (COMMENT_IN_TEXT.exec(raw) ?? []);
  if (remark !== undefined)
    diagnostics.push(say.remark({ ...span, start: span.end - remark.length }, { part: remark }));
  const [, part] = OTHERWISE.exec(raw) ?? [];
  if (part !== undefined) diagnostics.push(say.otherwise({ ...span, start: span.end - part.length }, { part }));
  const [, test, first, second] = TERNARY.exec(raw) ?? [];
  const [, good, when, bad] = CHOICE.exec(raw) ?? [];
  if (test !== undefined && first !== undefined && second !== undefined)
    diagnostics.push(say.ternary(span, { test, first, second }));
  else if (when !== undefined && good !== undefined && bad !== undefined)
    diagnostics.push(say.ternary(span, { test: when, first: good, second: bad }));
  const inner = /^"(.*\w.*)"$/s.exec(raw)?.[1];
  const [, tripled] = /^""([^"]*)""$/s.exec(inner ?? '') ?? [];
  if (tripled !== undefined) {
    diagnostics.push(say.innerQuotes(span, { instead: `"${tripled}"` }));
    return;
  }
  if (inner?.includes('"') !== true || /"\s*[,+]\s*"|"\s+"/.test(inner)) return;
  diagnostics.push(say.innerQuotes(span, { instead: `"${inner.replace(/(?<!\\)"/g, '\\"')}"` }));
}

/** A text that begins and ends like a command substitution of the shell. */
const SUBSTITUTION = /^\$\(([^()"'`]+)\)$/;

/**
 * A quoted text as a value: `"$(date)"` or `"$HOME"`. `bind` is the beginning of a line that would run the command for the value.
 */
function lintText(value: Expression | undefined, bind: string, diagnostics: Diagnostic[]): void {
  if (value?.kind !== 'text') return;
  const { template } = value;
  const [only] = template.parts;
  const command =
    template.parts.length === 1 && typeof only === 'string' ? SUBSTITUTION.exec(only)?.[1]?.trim() : undefined;
  if (command !== undefined)
    diagnostics.push(say.substitution(value.span, { text: `$(${command})`, line: `${bind}${command}` }));
  const variable = template.parts.length === 1 && typeof only === 'string' ? VARIABLE.exec(only)?.[1] : undefined;
  if (variable !== undefined && only !== undefined)
    diagnostics.push(say.substitution(value.span, { text: String(only), line: `${bind}printenv ${variable}` }));
}

const LOOP = /(?:^|[;&|(\n]|\bdo\s|\bthen\s)\s*for\s+\w+\s+in\s+(\{([A-Za-z_]\w*)\})\s*(?:;|\n|$)/;

/** `for i in {list}`: a value without `*` is one word, so the loop runs only once. */
function lintLoop(
  { text, lines }: ShellText,
  file: number,
  names: ReadonlySet<string>,
  diagnostics: Diagnostic[],
): void {
  // A here-document may contain such a line in another language.
  if (!text.includes('for') || text.includes('<<')) return;
  const match = LOOP.exec(text);
  if (match === null) return;
  const [whole, hole = '', name = ''] = match;
  if (!names.has(name) || isOpen(text.slice(0, match.index))) return;
  const at = match.index + whole.indexOf(hole);
  const line = lines.findLast((one) => one.at <= at);
  if (line === undefined) return;
  const start = line.source + at - line.at;
  diagnostics.push(say.oneTurn({ file, start, end: start + hole.length }, { name }));
}

/** A text or number as a condition: `x == "a" OR "b"`. */
function lintCondition(e: Expression, compared: Expression | null, diagnostics: Diagnostic[]): void {
  if (e.kind === 'logical') {
    lintCondition(e.left, compared, diagnostics);
    lintCondition(e.right, comparison(e.left), diagnostics);
  } else if (e.kind === 'not') lintCondition(e.of, compared, diagnostics);
  else if (e.kind === 'text' || isNumber(e) || e.kind === 'list' || e.kind === 'object') {
    const raw = e.kind === 'text' ? e.template.raw : numberText(e);
    const isLiteral = e.kind !== 'text' || e.template.parts.every((part) => typeof part === 'string');
    const name = compared?.kind === 'compare' ? nameOf(compared.left) : null;
    const operator = compared?.kind === 'compare' ? compared.operator : '';
    if (isLiteral)
      diagnostics.push(
        say.condition(e.span, { mended: name === null || raw === null ? null : `${name} ${operator} ${raw}` }),
      );
  }
}

const isNumber = (e: Expression): boolean => numberText(e) !== null;

/** A number as it is written, also below 0; null: it is something else. */
function numberText(e: Expression): string | null {
  if (e.kind === 'number') return e.text;
  return e.kind === 'negate' && e.of.kind === 'number' ? `-${e.of.text}` : null;
}

function comparison(e: Expression): Expression | null {
  if (e.kind === 'compare') return e.operator === '==' || e.operator === '!=' ? e : null;
  return e.kind === 'logical' ? comparison(e.right) : null;
}

function nameOf(e: Expression): string | null {
  if (e.kind === 'name') return e.name;
  const of = e.kind === 'field' ? nameOf(e.of) : null;
  return of === null || e.kind !== 'field' ? null : `${of}.${e.name.text}`;
}
