/** `statedsl convert`: a workflow file as a program, and a program of steps as a workflow file, on standard output. */
import { isWorkflow } from '../../app/project/preparation.js';
import { readNamed } from '../../app/project/read-program.js';
import { loadSettings } from '../../app/project/settings.js';
import { isEngineName } from '../../language/check/collect.js';
import { printProgram } from '../../language/format/print-program.js';
import { parseFile } from '../../language/frontends/markdown.js';
import { printWorkflow } from '../../language/frontends/workflow/print/print-workflow.js';
import { readNames } from '../../language/frontends/workflow/workflow-inputs.js';
import { workflowMessages as words } from '../../language/source/catalogue/workflow.js';
import {
  type Diagnostic,
  hasErrors,
  type SourceFile,
  type Span,
  sortDiagnostics,
  sourceFile,
} from '../../language/source/diagnostic.js';
import type { Block, Comment, Program, ProgramItem, StepNode } from '../../language/syntax/ast.js';
import type { Template } from '../../language/syntax/expression-nodes.js';
import { allSteps } from '../../language/syntax/step-nodes.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { commandLineHost } from '../files/command-line-host.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { drawn } from '../terminal/report-diagnostics.js';
import { stderr, stdout } from '../terminal/streams.js';
import { usageError } from '../terminal/usage-error.js';

/** A name that can follow `MACHINE:`. */
const MACHINE_NAME = /^[A-Za-z_][\w-]*$/;

interface Converted {
  readonly text: string | null;
  readonly diagnostics: readonly Diagnostic[];
}

export async function convertCommand(path: string): Promise<ExitCode> {
  const { configuration } = await loadSettings(commandLineHost(), path);
  const read = readNamed(commandLineHost(), path, configuration);
  if (read.kind === 'missing') return usageError(read.message);
  if (read.kind === 'broken') return reportDiagnostics(read.compilation.diagnostics, read.compilation.sources);
  const file = sourceFile(read.name, read.text);
  const { program, diagnostics } = parseFile(file, 0);
  if (hasErrors(diagnostics)) return reportDiagnostics(diagnostics, [file]);
  const converted = isWorkflow(read.name) ? asText(program, file) : printWorkflow(program, file);
  if (converted.text === null) return reportDiagnostics(converted.diagnostics, [file]);
  stdout.write(converted.text);
  return EXIT.returned;
}

function asText(program: Program, file: SourceFile): Converted {
  const problem = findUnprintable(program, file);
  const text = problem === null ? printProgram(inOrder(program, file.text), file) : null;
  const whole = { file: 0, start: 0, end: 0 };
  const other = words.noTextForm(whole, { what: 'this workflow', help: 'keep it as a workflow file' });
  return { text, diagnostics: text === null ? [problem ?? other] : [] };
}

/**
 * Makes explicit what a workflow file implies: undeclared inputs are declared above the steps instead of where they are
 * read, the specification that steps get next to their prompts becomes part of the prompts, and notes become comments.
 */
export function inOrder(program: Program, text: string): Program {
  const first = program.items.find(({ kind }) => kind === 'step')?.span.start ?? 0;
  const steps = program.items.map((item) => (item.kind === 'step' ? promptsInFull(item) : item));
  const top = topOf(program, text, first);
  const read = new Set<string>();
  readNames(steps, ({ name }) => void read.add(name));
  let shifted = 0;
  const items = steps.flatMap((item): ProgramItem[] => {
    if (item.kind !== 'input' || item.span.start < first) return [item];
    // Only an input that is never read has a default without a line of its own.
    if (item.value !== undefined && !read.has(item.name.text)) return [];
    // Comments above the inputs stay above the first of them.
    const start = shifted++ === 0 ? top : -1;
    return [{ ...item, span: { ...item.span, start, end: start } }];
  });
  return { ...program, items, comments: [...program.comments, ...notesOf(program)].sort(byStart) };
}

/**
 * The position of inputs that no line declares: below the comments of the file, above the comments of its first step.
 */
function topOf({ documentation = [] }: Program, text: string, first: number): number {
  const opening = /^(?:[ \t]*#[^\n]*\n)+/.exec(text)?.[0].length ?? 0;
  const stepLine = text.lastIndexOf('\n', first - 1) + 1;
  const noted = Math.max(0, ...documentation.map(({ key }) => key.span.start + 1));
  return Math.max(noted, opening < stepLine ? opening : 0) - (opening + noted === 0 ? 1 : 0);
}

const byStart = (a: Comment, b: Comment): number => a.span.start - b.span.start;

function notesOf({ documentation = [] }: Program): Comment[] {
  return documentation.flatMap(({ key, text }) => {
    const written = key.text === 'description' ? text : `${key.text}: ${text}`;
    return written.split('\n').map((line): Comment => ({ text: `# ${line}`, span: key.span, position: 'line' }));
  });
}

/** The same step without the context values that only a workflow file can have. */
function promptsInFull(step: StepNode): StepNode {
  const { context, prompt, run, each } = step;
  const values = context.flatMap((entry) => (entry.kind === 'value' ? [entry] : []));
  const mapSteps = (block: Block): Block => ({
    ...block,
    instructions: block.instructions.map((one) => (one.kind === 'step' ? promptsInFull(one) : one)),
  });
  const parts = values.flatMap(({ title, value, span }) => [
    `${prompt === undefined ? '' : '\n\n'}## ${title}\n\n`,
    { expression: value, list: false, span } as const,
  ]);
  const { span } = step.name;
  const whole = prompt ?? { parts: [], quote: 'none', raw: '', span };
  return {
    ...step,
    context: context.filter(({ kind }) => kind !== 'value'),
    ...omitUndefined({
      prompt: parts.length === 0 ? undefined : { ...whole, parts: joinTexts([...whole.parts, ...parts]) },
      run: run.kind === 'group' ? { ...run, steps: mapSteps(run.steps) } : undefined,
      each: each === undefined ? undefined : { ...each, steps: mapSteps(each.steps) },
    }),
  };
}

/** Joins adjacent texts into one part. */
function joinTexts(parts: Template['parts']): Template['parts'] {
  return parts.reduce<(typeof parts)[number][]>((all, part) => {
    const last = all.at(-1);
    if (typeof part === 'string' && typeof last === 'string') all[all.length - 1] = last + part;
    else all.push(part);
    return all;
  }, []);
}

/** The first construct that only a workflow file can express, as a diagnostic at its location. */
function findUnprintable(program: Program, { text }: SourceFile): Diagnostic | null {
  if (program.workflow === 'older')
    return words.noTextForm(firstLine(text), {
      what: 'a workflow of the older dialect',
      help: 'write it in the current dialect first: `type` for `output`, `each` for `foreach`, `{task.name}` for `{item.name}`',
    });
  const named = program.items.find(({ kind }) => kind === 'machine');
  if (named?.kind === 'machine' && !MACHINE_NAME.test(named.name.text))
    return words.noTextForm(named.name.span, {
      what: `the name \`${named.name.text}\``,
      help: 'use letters, digits, `_` and `-`, and begin with a letter',
    });
  const taken = program.items.find((item) => item.kind === 'input' && isEngineName(item.name.text));
  if (taken?.kind === 'input')
    return words.noTextForm(taken.name.span, {
      what: `the input \`${taken.name.text}\``,
      help: 'give the input another name: in a program, this name is reserved for the state `ERROR`',
    });
  const blank = allSteps(program.items).find(({ name }) => /\s/.test(name.text));
  if (blank === undefined) return null;
  return words.noTextForm(blank.name.span, {
    what: `the step name \`${blank.name.text}\``,
    help: 'give the step a name without spaces',
  });
}

function firstLine(text: string): Span {
  const end = text.indexOf('\n');
  return { file: 0, start: 0, end: end < 0 ? text.length : end };
}

async function reportDiagnostics(
  diagnostics: readonly Diagnostic[],
  sources: readonly SourceFile[],
): Promise<ExitCode> {
  stderr.write(await drawn(sortDiagnostics(diagnostics), [...sources]));
  return EXIT.usage;
}
