/** Prints a STEP from its tree alone: its sections in a fixed order, long parts on their own lines. */
import { unreachable } from '../../prelude/unreachable.js';
import { sourceFile } from '../source/diagnostic.js';
import type { Argument, Block, Program, ShellText, StepNode } from '../syntax/ast.js';
import type { Template } from '../syntax/expression-nodes.js';
import { parseProgram } from '../syntax/parse.js';
import type {
  ContextEntry,
  EachTask,
  GateEntry,
  Override,
  RetryEntry,
  StepRun,
  WorkflowCall,
} from '../syntax/step-nodes.js';
import { type AttachedComments, partsOfEntry, partsOfRun } from '../syntax/steps/attached-comments.js';
import {
  printExpression,
  printInterpolation,
  printOption,
  printPlain,
  printQuoted,
  printWord,
} from './print-expression.js';
import {
  conditionText,
  contextText,
  eachText,
  gateText,
  type StepSpelling,
  sessionText,
  stepHead,
} from './step-text.js';

/** Lines without the indentation of their block. Empty lines need none. */
export type StepLines = readonly string[];
type Comments = AttachedComments;

/**
 * Lines with the comments of their parts: above them, or at the end of the line if there is one comment and one line.
 */
export function withComments(lines: readonly string[], parts: readonly number[], comments: Comments): string[] {
  const [only, more] = lines;
  const [end, others] = comments.atEnd(...parts);
  // A comment that a shell or a prompt would contain goes above it.
  const fits = only !== undefined && more === undefined && others === undefined && !/^DO\b/.test(only);
  const above = [...comments.above(...parts), ...(fits ? [] : comments.atEnd(...parts))];
  return [...above, ...(fits && end !== undefined ? [`${only}  ${end}`] : lines)];
}

/** The lines of a step, or null if it contains instructions that are not steps. */
export function printStep(i: StepNode, comments: Comments): StepLines | null {
  const inner = runLines(i, comments);
  if (inner === null) return null;
  const each = i.each === undefined ? [] : eachLines(i.each, comments);
  if (each === null) return null;
  const { session, prompt } = i;
  return [
    ...withComments([`STEP: ${stepHead(i, printOption)}`], [i.span.start], comments),
    ...indent([
      ...section('CONTEXT', i.context, comments, contextLines),
      ...(prompt === undefined ? [] : withComments(promptLines('PROMPT:', prompt), [prompt.span.start], comments)),
      ...(session === undefined ? [] : withComments([sessionText(session)], [session.span.start], comments)),
      ...inner,
      ...section('GATE', i.gates, comments, gateLines),
      ...(i.retry === undefined
        ? []
        : [
            ...withComments(['RETRY:'], [i.retry.span.start], comments),
            ...indent(i.retry.entries.flatMap((entry) => retryLines(entry, comments))),
          ]),
      ...each,
      ...comments.below(i.span.start),
    ]),
  ];
}

function indent(lines: readonly string[]): string[] {
  return lines.map((line) => (line === '' ? '' : `  ${line}`));
}

function stepsOf({ instructions }: Block, comments: Comments): StepLines | null {
  const lines: string[] = [];
  for (const instruction of instructions) {
    const printed = instruction.kind === 'step' ? printStep(instruction, comments) : null;
    if (printed === null) return null;
    lines.push(...printed);
  }
  return lines;
}

function runLines({ run }: { readonly run: StepRun }, comments: Comments): StepLines | null {
  switch (run.kind) {
    case 'agent': {
      const guards = run.guards.map(printOption).join(', ');
      const line = `AGENT: ${printWord(run.agent)}${guards === '' ? '' : ` with ${guards}`}`;
      return withComments([line], partsOfRun(run), comments);
    }
    case 'workflow':
      return withComments([`WORKFLOW: ${callText(run.call)}`], partsOfRun(run), comments);
    case 'group':
      return stepsOf(run.steps, comments);
    case 'body':
      return bodyLines(run.body, comments);
    case 'none':
      return [];
    default:
      return unreachable(run);
  }
}

/** Commands. A workflow file cannot contain other instructions. */
function bodyLines({ instructions }: Block, comments: Comments): StepLines | null {
  const lines: string[] = [];
  for (const instruction of instructions) {
    if (instruction.kind !== 'do' || instruction.performed.kind !== 'shell' || instruction.bind !== undefined)
      return null;
    const options = instruction.options.map(printOption).join(' ');
    const verb = options === '' ? 'DO:' : `DO [${options}]:`;
    lines.push(...withComments(commandLines(verb, instruction.performed.shell), [instruction.span.start], comments));
  }
  return lines;
}

/** A command with a first word that names a program and has no meaning to DO itself. */
const plainCommand = /^(?!FOR\b|Task\b)[\w./-]+(?:[ \t]+(?!=).*)?$/;

function commandLines(verb: string, { text }: ShellText): string[] {
  if (plainCommand.test(text) && !text.includes('PARALLEL')) return [`${verb} ${text.trimEnd()}`];
  return [verb, ...indent(text.trimEnd().split('\n'))];
}

function eachLines(each: EachTask, comments: Comments): StepLines | null {
  const inner = stepsOf(each.steps, comments);
  if (inner === null) return null;
  return [...withComments([eachText(each, printOption)], [each.span.start], comments), ...indent(inner)];
}

// ---- prompts ----------------------------------------------------------------------------------------

/** Several lines go below if they can be parsed back to the same text. One line goes in quotes. */
function promptLines(verb: string, prompt: Template): string[] {
  const plain = printPlain(prompt);
  const lines = plain.split('\n');
  if (lines.length > 1 && readsBack(plain, prompt)) return [verb, ...indent(lines)];
  return [`${verb} ${printQuoted(prompt)}`];
}

function readsBack(plain: string, prompt: Template): boolean {
  const lines = [
    'STEP: x',
    '  PROMPT:',
    ...plain.split('\n').map((line) => (line === '' ? '' : `    ${line}`)),
    '  GATE: x',
  ];
  const { program, diagnostics } = parseProgram(sourceFile('prompt', `${lines.join('\n')}\n`), 0);
  const [step] = program.items;
  return diagnostics.length === 0 && step?.kind === 'step' && samePlain(step.prompt?.parts, prompt.parts);
}

// ---- lists ------------------------------------------------------------------------------------------

/** Entries on one line, unless one of them needs its own line. */
function section<E extends ContextEntry | GateEntry>(
  word: string,
  entries: readonly E[],
  comments: Comments,
  print: (entry: E) => string[],
): string[] {
  if (entries.length === 0) return [];
  const printed = entries.map((entry) => print(entry));
  const oneLine = `${word}: ${printed.map((lines) => lines[0]).join(', ')}`;
  const parts = entries.map(({ span }) => span.start);
  const [first = 0, ...others] = parts;
  const ends = comments.atEnd(...parts);
  // A comment about all of them is above the first, or at the end of their line.
  const own =
    oneLine.length > widest ||
    entries.some(passes) ||
    printed.some((lines) => lines.length > 1) ||
    comments.above(...others).length > 0 ||
    ends.length > comments.atEnd(parts.at(-1) ?? first).length;
  if (!own) return withComments([oneLine], parts, comments);
  return [`${word}:`, ...indent(printed.flatMap((lines, n) => withComments(lines, [parts[n] as number], comments)))];
}

const widest = 100;

/** Without its own line, an argument would take the next entries as part of its value. */
function passes(entry: ContextEntry | GateEntry): boolean {
  return (entry.kind === 'validate' || entry.kind === 'workflow') && entry.call.args.length > 0;
}

/** Text that is one word after `=` and not a constant. */
const bareWord = /^(?!(?:true|false|null|not|in|is)$)[A-Za-z_]\w*(?:-[A-Za-z][\w-]*)?$/;

function callText({ name, args }: WorkflowCall): string {
  return `${name.text}${args.length === 0 ? '' : ` with ${args.map(argumentText).join(', ')}`}`;
}

function argumentText({ name, value }: Argument): string {
  if (value === undefined) return name.text;
  if (value.kind === 'word')
    return `${name.text}=${bareWord.test(value.word.text) ? value.word.text : printQuoted({ parts: [value.word.text] })}`;
  const { expression } = value;
  if (expression.kind === 'name') return `${name.text}={${expression.name}}`;
  const [only, second] = expression.kind === 'text' ? expression.template.parts : [];
  // A value that is the whole text keeps its type, as it does without the quotes.
  if (only !== undefined && typeof only !== 'string' && second === undefined)
    return `${name.text}=${printInterpolation(only)}`;
  return `${name.text}=${printExpression(expression)}`;
}

function contextLines(entry: ContextEntry): string[] {
  const text = contextText(entry, PRINTED);
  return text === null ? [] : [text];
}

/** Shell text in quotes. */
function shellText({ text }: ShellText): string {
  return `"${text.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\u{a}')}"`;
}

function gateLines(gate: GateEntry): string[] {
  const block =
    gate.kind === 'bash' && gate.label === undefined && /\n/.test(gate.shell.text) && /^\S/.test(gate.shell.text);
  if (block) return ['DO:', ...indent(gate.shell.text.trimEnd().split('\n'))];
  return [gateText(gate, PRINTED)];
}

// ---- retries ----------------------------------------------------------------------------------------

function retryLines(entry: RetryEntry, comments: Comments): string[] {
  const { conditions, overrides } = entry;
  const head = conditions.map((condition) => conditionText(condition, PRINTED)).join(', ');
  const own = overrides.map((override) => overrideLines(override));
  const lines =
    overrides.length === 0
      ? [head]
      : own.some((one) => one.length > 1)
        ? [`${head} →`, ...indent(own.flat())]
        : [`${head} → ${own.map(([line]) => line?.replace(':', '')).join(', ')}`];
  return withComments(lines, partsOfEntry(entry), comments);
}

function overrideLines({ word, name, value }: Override): string[] {
  const verb = `${(name ?? word.text).toUpperCase()}:`;
  return name === 'prompt' ? promptLines(verb, value) : [`${verb} ${printWord(value)}`];
}

const PRINTED: StepSpelling = {
  expression: printExpression,
  word: printWord,
  text: printQuoted,
  shell: shellText,
  call: callText,
};

const spelling: ReadonlySet<string> = new Set([
  ...['span', 'operatorSpan', 'lines', 'raw', 'verb', 'style', 'afterDo', 'inline', 'position'],
]);

type ComparedProgram = Pick<Program, 'items' | 'comments'>;

/**
 * Decides whether two texts are the same program. Compares their trees without source locations and without spellings
 * that have no meaning, and their words, because a tree does not contain notes in parentheses.
 */
export function sameProgram(a: ComparedProgram, b: ComparedProgram): boolean {
  if (a.comments.length !== b.comments.length) return false;
  return isSame(a.items, b.items) && a.comments.every((comment, i) => comment.text === b.comments[i]?.text);
}

/** Whether two parts of trees are the same apart from locations and spellings. */
function samePlain(a: unknown, b: unknown): boolean {
  return isSame(a, b);
}

function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((item, i) => isSame(item, b[i]));
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const key of keys) {
    if (spelling.has(key)) continue;
    if (!isSame((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key])) return false;
  }
  return true;
}

/**
 * Whether two texts have the same words, in any order. Keywords do not count: the formatter writes the one form of those
 * that a program may spell or leave out otherwise.
 */
export function sameWords(a: string, b: string): boolean {
  const words = (a.match(word) ?? []).filter((one) => !keyword.test(one));
  const others = (b.match(word) ?? []).filter((one) => !keyword.test(one));
  if (words.length !== others.length) return false;
  const counts = new Map<string, number>();
  for (const one of words) counts.set(one, (counts.get(one) ?? 0) + 1);
  for (const one of others) {
    const count = counts.get(one) ?? 0;
    if (count === 0) return false;
    counts.set(one, count - 1);
  }
  return true;
}

const word = /[\p{L}\p{N}_]+/gu;
const keyword = /^(?:for|each|foreach|in|parallel|with|by|timeout|or|gate)$/i;
