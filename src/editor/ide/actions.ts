/**
 * Changes that an editor offers besides fixes: declarations that are missing, and other forms of what is written. Each is
 * proposed by its text alone, and is offered only if the result compiles
 * without new errors (`isProvedBy`).
 */
import type { Compilation } from '../../language/check/compile.js';
import { BUILTINS } from '../../language/check/shell/known-programs.js';
import {
  type Diagnostic,
  type Edit,
  lineText,
  positionAt,
  type SourceFile,
  type Span,
} from '../../language/source/diagnostic.js';
import { applyEdits } from '../../language/source/fix-text.js';
import type { Instruction } from '../../language/syntax/ast.js';
import { childBlocks, isDeclaration } from '../../language/syntax/child-blocks.js';
import { distinct, type OpenProgram, occurrencesAt, symbolAt } from './open-program.js';
import { enclosing, endOfInstruction, machineAt, wholeSpan } from './outline.js';

export interface ProposedAction {
  readonly title: string;
  readonly kind: 'quickfix' | 'refactor.extract' | 'refactor.inline' | 'refactor.rewrite';
  readonly edits: readonly Edit[];
  /** The code of the error that it is about. */
  readonly mends?: string;
}

type Range = Pick<Span, 'start' | 'end'>;

export function proposedActions(program: OpenProgram, range: Range): ProposedAction[] {
  return [
    ...program.compilation.diagnostics
      .filter(({ span }) => span.file === 0 && span.start <= range.end && span.end >= range.start)
      .flatMap((one) => [...stubsFor(program, one), ...keptValue(program, one)]),
    ...extractions(program, range),
    ...inlineUse(program, range.start),
    ...rewritten(program, range.start),
    ...withoutShell(program, range.start),
    ...withHandler(program, range.start),
  ];
}

/** Whether the text after a change has no error that it did not have, and the error that the change is about is gone. */
export function isProvedBy(before: Compilation, after: Compilation, mends: string | undefined): boolean {
  const left = new Map<string, number>();
  const keyOf = ({ code, message }: Diagnostic): string => `${code} ${message}`;
  const errors = ({ diagnostics }: Compilation): Diagnostic[] =>
    diagnostics.filter(({ severity }) => severity === 'error');
  for (const one of errors(before)) left.set(keyOf(one), (left.get(keyOf(one)) ?? 0) + 1);
  for (const one of errors(after)) left.set(keyOf(one), (left.get(keyOf(one)) ?? 0) - 1);
  const isNew = [...left.values()].some((count) => count < 0);
  const isMended = mends === undefined || [...left].some(([key, count]) => key.startsWith(`${mends} `) && count > 0);
  return !isNew && isMended;
}

const insert = (at: number, text: string): Edit => ({ span: { file: 0, start: at, end: at }, text });

function stubsFor(program: OpenProgram, { code, span, severity }: Diagnostic): ProposedAction[] {
  const { source } = program;
  const name = source.text.slice(span.start, span.end);
  if (!/^[A-Za-z_]\w*$/.test(name)) return [];
  const stub = (title: string, ...edits: Edit[]): ProposedAction => ({
    title,
    kind: 'quickfix',
    edits,
    ...(severity === 'error' ? { mends: code } : {}),
  });
  const around = enclosing(program, span.start);
  switch (code) {
    case 'unknown-state': {
      if (around === null) return [];
      const end = endOfLine(source, lastOf(source, wholeSpan(around).end));
      return [stub(`Declare the state ${name}`, insert(end, `${newLine(source, end)}\nSTATE: ${name}\n  RETURN\n`))];
    }
    case 'unknown-pattern': {
      const given = argumentsAfter(source, span.end);
      const head = given.length === 0 ? '' : ` with ${given.join(', ')}`;
      const body = given.map((one) => ` ${one}={${one}}`).join('');
      const at = top(source);
      return [stub(`Declare the pattern ${name}`, insert(at, `PATTERN: ${name}${head}\n  EMIT: ${name}${body}\n\n`))];
    }
    case 'unknown-name':
    case 'unknown-name-in-text':
      return around?.kind === 'pattern'
        ? []
        : [stub(`Declare the input ${name}`, insert(top(source), `INPUT: ${name}\n`))];
    case 'local-out-of-scope': {
      if (around?.kind !== 'state') return [];
      const edits = waysTo(program, around.name.text, machineAt(program, span.start)).map((way) =>
        passName(source, way.end, name),
      );
      return edits.length === 0 ? [] : [stub(`Pass ${name} with GOTO ${around.name.text}`, ...edits)];
    }
    default:
      return [];
  }
}

/** A local that another state reads is kept in a variable of the machine, which that state reads instead. */
function keptValue(program: OpenProgram, { code, span, labels = [] }: Diagnostic): ProposedAction[] {
  const { source } = program;
  const [bound] = labels;
  const around = enclosing(program, span.start);
  if (code !== 'local-out-of-scope' || bound?.span.file !== 0 || around === null) return [];
  const name = source.text.slice(span.start, span.end);
  const binding = instructionAt(program, bound.span.start);
  if (binding === null || !/^\w+$/.test(name)) return [];
  const kept = freeName(program, `${name}_kept`);
  const at = endOfLine(source, lastOf(source, endOfInstruction(binding)));
  const indent = /^[ \t]*/.exec(lineText(source, positionAt(source, binding.span.start).line))?.[0] ?? '';
  const reads = distinct([span, ...readsIn(around.body, name)]);
  return [
    {
      title: `Keep ${name} in the tracked variable ${kept}`,
      kind: 'quickfix',
      mends: code,
      edits: [
        insert(at, `${newLine(source, at)}${indent}TRACK: ${kept}\n${indent}SET: ${kept} = ${name}\n`),
        ...reads.map((read) => ({ span: read, text: kept })),
      ],
    },
  ];
}

/** Where the expressions in a tree read a name. */
function readsIn(value: unknown, name: string): Span[] {
  if (typeof value !== 'object' || value === null) return [];
  const { kind, name: own, span } = value as { kind?: unknown; name?: unknown; span?: Span };
  if (kind === 'name' && own === name && span?.file === 0) return [span];
  return Object.values(value).flatMap((part) => readsIn(part, name));
}

/** The first line that is neither blank nor a comment. */
function top({ text }: SourceFile): number {
  return (/^(?:[ \t]*(?:#.*)?\r?\n)*(?:(?:IMPORT|LIMIT):.*\r?\n)*/.exec(text)?.[0] ?? '').length;
}

function endOfLine({ text }: SourceFile, offset: number): number {
  const next = text.indexOf('\n', Math.max(0, offset));
  return next < 0 ? text.length : next + 1;
}

/** The last character before an offset that is neither a space nor a line end. */
function lastOf({ text }: SourceFile, offset: number): number {
  return Math.max(0, text.slice(0, offset).trimEnd().length - 1);
}

/** What is missing to the end of the last line. */
function newLine({ text }: SourceFile, at: number): string {
  return at === 0 || text[at - 1] === '\n' ? '' : '\n';
}

/** The names in `with a=1, b` behind a USE. */
function argumentsAfter({ text }: SourceFile, offset: number): string[] {
  const rest = text.slice(offset, endOfLine({ text } as SourceFile, offset));
  const given = /^\s+with\s+(.*)/.exec(rest)?.[1] ?? '';
  return [...given.matchAll(/(?:^|,\s*)([A-Za-z_]\w*)\s*(?==|,|$)/g)].map(([, name]) => name as string);
}

/** The names of a state in GOTO. */
function waysTo({ index }: OpenProgram, state: string, machine: string): Span[] {
  return distinct(
    index.occurrences
      .filter(({ role, span, symbols }) => {
        if (role !== 'jump' || span.file !== 0) return false;
        const { kind, name, owner } = symbolAt(index, symbols[0] as number);
        return kind === 'state' && name === state && owner === machine;
      })
      .map(({ span }) => span),
  );
}

function passName({ text }: SourceFile, end: number, name: string): Edit {
  const given = /^[ \t]+with[ \t]+/.exec(text.slice(end))?.[0];
  return given === undefined ? insert(end, ` with ${name}`) : insert(end + given.length, `${name}, `);
}

/** Whole lines of one block become a pattern; what they read and do not bind are its parameters. */
function extractions(program: OpenProgram, { start, end }: Range): ProposedAction[] {
  const { source, index, tree } = program;
  if (source.text.slice(start, end).trim() === '') return [];
  const around = tree.items.find(
    (item) =>
      item.kind === 'state' && item.span.start < start && wholeSpan(item).end >= end - 1 && item.span.file === 0,
  );
  if (around?.kind !== 'state') return [];
  const chosen = around.body.instructions.filter((i) => i.span.start < end && endOfInstruction(i) > start);
  const [first] = chosen;
  const last = chosen.at(-1);
  if (first === undefined || last === undefined) return [];
  const from = source.lineStarts[positionAt(source, first.span.start).line - 1] as number;
  const to = endOfLine(source, lastOf(source, endOfInstruction(last)));
  const inside = index.occurrences.filter(({ span }) => span.file === 0 && span.start >= from && span.end <= to);
  const bound = new Set(inside.filter(({ role }) => role === 'bind').flatMap(({ symbols }) => symbols));
  const read = inside
    .filter(({ role, symbols }) => role === 'read' && !symbols.some((id) => bound.has(id)))
    .map(({ symbols }) => symbolAt(index, symbols[0] as number))
    .filter(({ kind }) => kind === 'local' || kind === 'entry' || kind === 'loop');
  const names = [...new Set(read.map(({ name }) => name))];
  const given = names.length === 0 ? '' : ` with ${names.join(', ')}`;
  const name = freeName(program, 'EXTRACTED');
  const at = source.lineStarts[positionAt(source, around.span.start).line - 1] as number;
  const body = source.text.slice(from, to);
  const indent = /^[ \t]*/.exec(body)?.[0] ?? '';
  return [
    {
      title: `Make a pattern of ${chosen.length === 1 ? 'this instruction' : `these ${chosen.length} instructions`}`,
      kind: 'refactor.extract',
      edits: [
        insert(at, `PATTERN: ${name}${given}\n${body}${body.endsWith('\n') ? '' : '\n'}\n`),
        { span: { file: 0, start: from, end: to }, text: `${indent}USE: ${name}${given}\n` },
      ],
    },
  ];
}

function freeName({ index }: OpenProgram, name: string): string {
  const taken = new Set(index.symbols.map((one) => one.name));
  for (let number = 1; ; number++) {
    const tried = number === 1 ? name : `${name}_${number}`;
    if (!taken.has(tried)) return tried;
  }
}

/** A USE whose arguments are names becomes the body of its pattern. */
function inlineUse(program: OpenProgram, offset: number): ProposedAction[] {
  const { source, index, tree } = program;
  const use = instructionAt(program, offset);
  if (use?.kind !== 'use') return [];
  const [id] = occurrencesAt(index, use.pattern.span.start).flatMap(({ symbols }) => symbols);
  const pattern = tree.items.find((item) => item.kind === 'pattern' && item.name.text === use.pattern.text);
  if (id === undefined || pattern?.kind !== 'pattern' || pattern.span.file !== 0) return [];
  const values = new Map<string, string>();
  const line = positionAt(source, use.span.start).line;
  const written = lineText(source, line);
  for (const { name, span } of use.args.map((one) => ({ name: one.name.text, span: one.name.span }))) {
    const after = source.text.slice(span.end, endOfLine(source, span.end));
    const value = /^=\{?([A-Za-z_]\w*)\}?(?=\s*(?:,|$))/.exec(after.trimEnd())?.[1];
    if (value === undefined && /^\s*=/.test(after)) return [];
    values.set(name, value ?? name);
  }
  if (!/^\s*USE:/.test(written)) return [];
  const from = endOfLine(source, pattern.span.start);
  const to = endOfLine(source, lastOf(source, wholeSpan(pattern).end));
  const renamed = index.occurrences.flatMap(({ span, symbols }): Edit[] => {
    const { kind, name, owner } = symbolAt(index, symbols[0] as number);
    const value = values.get(name);
    const isParameter = kind === 'parameter' && owner === pattern.name.text && value !== undefined;
    return isParameter && span.file === 0 && span.start >= from && span.end <= to
      ? [{ span: { file: 0, start: span.start - from, end: span.end - from }, text: value }]
      : [];
  });
  const seen = new Set<number>();
  const own = renamed.filter(({ span }) => !seen.has(span.start) && seen.add(span.start) !== undefined);
  const body = applyEdits(source.text.slice(from, to), own);
  const [was, now] = [/^[ \t]*/.exec(body)?.[0] ?? '', /^[ \t]*/.exec(written)?.[0] ?? ''];
  const shifted = body
    .split('\n')
    .map((one) => (one.startsWith(was) ? now + one.slice(was.length) : one))
    .join('\n');
  const start = source.lineStarts[line - 1] as number;
  const end = endOfLine(source, use.span.start);
  return [
    {
      title: `Write the lines of ${use.pattern.text} here`,
      kind: 'refactor.inline',
      edits: [{ span: { file: 0, start, end }, text: shifted.endsWith('\n') ? shifted : `${shifted}\n` }],
    },
  ];
}

/** The instruction at an offset, or else the first one that begins on its line. */
function instructionAt({ tree, source }: OpenProgram, offset: number): Instruction | null {
  const { line } = positionAt(source, offset);
  let found: Instruction | null = null;
  const visit = (instructions: readonly Instruction[]): void => {
    for (const i of instructions) {
      if (i.span.file === 0 && positionAt(source, i.span.start).line === line)
        if (found === null || i.span.start <= offset) found = i;
      for (const block of childBlocks(i)) visit(block.instructions);
    }
  };
  for (const item of tree.items) {
    if (item.span.file !== 0) continue;
    if (item.kind === 'state' || item.kind === 'pattern') {
      if (item.span.start <= offset && offset <= wholeSpan(item).end + 1) visit(item.body.instructions);
    } else if (!isDeclaration(item)) visit([item]);
  }
  return found;
}

const LEAVES = /(?:→|->).*\b(?:GOTO|RETURN|FAIL)\b/;

/** `IF` after an arm that leaves, and `ELSE IF` after one, mean the same. */
function rewritten({ source }: OpenProgram, offset: number): ProposedAction[] {
  const { line } = positionAt(source, offset);
  const [own, before] = [lineText(source, line), line > 1 ? lineText(source, line - 1) : ''];
  const head = /^([ \t]*)(ELSE IF|IF):/.exec(own);
  const above = /^([ \t]*)(?:ELSE IF|IF):/.exec(before);
  if (head === null || above === null || head[1] !== above[1] || !LEAVES.test(before)) return [];
  const start = (source.lineStarts[line - 1] as number) + (head[1] as string).length;
  const text = head[2] === 'IF' ? 'ELSE IF' : 'IF';
  return [
    {
      title: `Write ${text}: the line above leaves the state`,
      kind: 'refactor.rewrite',
      edits: [{ span: { file: 0, start, end: start + (head[2] as string).length }, text }],
    },
  ];
}

/** A word that a shell hands over as it is written: letters, a text in quotes, or one value. */
const PLAIN_WORD = /(?:([\w./:=@%+,-]+)|"([^"$`\\{}!]*)"|'([^'"\\{}]*)'|(\{[A-Za-z_][\w.]*\}))(?:\s+|$)/y;

/** `DO: git commit -m {text}` starts the same program as `DO: ["git", "commit", "-m", {text}]`, which needs no shell. */
function withoutShell(program: OpenProgram, offset: number): ProposedAction[] {
  const i = instructionAt(program, offset);
  if (i?.kind !== 'do' || i.bind !== undefined || i.piped || i.performed.kind !== 'shell') return [];
  const { text, lines, block } = i.performed.shell;
  const [only, more] = lines;
  if (block || only === undefined || more !== undefined) return [];
  if (i.options.some(({ key }) => key.text === 'shell' || key.text === 'strict')) return [];
  const words: string[] = [];
  PLAIN_WORD.lastIndex = 0;
  for (let end = 0; end < text.length; end = PLAIN_WORD.lastIndex) {
    const match = PLAIN_WORD.exec(text);
    if (match === null) return [];
    const [, plain, double, single, value] = match;
    words.push(value ?? `"${plain ?? double ?? single}"`);
  }
  const name = words[0]?.replaceAll('"', '') ?? '';
  if (/^(?:\{|$)|=/.test(name) || BUILTINS.has(name)) return [];
  const span = { file: 0, start: only.source, end: only.source + text.length };
  return [
    {
      title: `Start ${name} without a shell`,
      kind: 'refactor.rewrite',
      edits: [{ span, text: `[${words.join(', ')}]` }],
    },
  ];
}

function withHandler(program: OpenProgram, offset: number): ProposedAction[] {
  const { source } = program;
  const around = enclosing(program, offset);
  if (around?.kind !== 'state' || around.name.text === 'ERROR' || wholeSpan(around).end < offset) return [];
  const [first] = around.body.instructions;
  if (first === undefined || around.body.instructions.some(({ kind }) => kind === 'on-error')) return [];
  const { column } = positionAt(source, first.span.start);
  const at = endOfLine(source, lastOf(source, wholeSpan(around).end));
  const text = `${newLine(source, at)}${' '.repeat(column - 1)}ON ERROR: → FAIL: {error}\n`;
  return [{ title: `Handle the failures of ${around.name.text}`, kind: 'refactor.rewrite', edits: [insert(at, text)] }];
}
