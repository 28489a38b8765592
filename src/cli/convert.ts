/** `statedsl convert`: a workflow file as a program, and a program of steps as a workflow file, on standard output. */
import { isEngineName } from '../check/scope.js';
import { printProgram } from '../format/print-program.js';
import { parseFile } from '../frontends/parse-file.js';
import { printWorkflow } from '../frontends/workflow/print/print-workflow.js';
import { workflowMessages as words } from '../source/catalogue/workflow.js';
import { type Diagnostic, hasErrors, sortDiagnostics } from '../source/diagnostic.js';
import { type SourceFile, type Span, sourceFile } from '../source/source-file.js';
import type { Program } from '../syntax/ast.js';
import { allSteps } from '../syntax/step.js';
import { drawDiagnostics } from '../views/diagnostics/diagnostic.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { isWorkflow, readNamed } from './reading/load-program.js';
import { loadSettings } from './reading/settings.js';
import { stderr, stdout } from './streams.js';
import { usageError } from './usage.js';

/** What can stand behind `MACHINE:`. */
const MACHINE_NAME = /^[A-Za-z_][\w-]*$/;

interface Converted {
  readonly text: string | null;
  readonly diagnostics: readonly Diagnostic[];
}

export async function convertCommand(path: string): Promise<ExitCode> {
  const { configuration } = await loadSettings(path);
  const read = readNamed(path, configuration);
  if (read.kind === 'missing') return usageError(read.message);
  if (read.kind === 'broken') return tell(read.compilation.diagnostics, read.compilation.sources);
  const file = sourceFile(read.name, read.text);
  const { program, diagnostics } = parseFile(file, 0);
  if (hasErrors(diagnostics)) return tell(diagnostics, [file]);
  const converted = isWorkflow(read.name) ? asText(program, file) : printWorkflow(program, file);
  if (converted.text === null) return tell(converted.diagnostics, [file]);
  stdout.write(converted.text);
  return EXIT.returned;
}

function asText(program: Program, file: SourceFile): Converted {
  const problem = unsayable(program, file);
  const text = problem === null ? printProgram(inOrder(program)) : null;
  const whole = { file: 0, start: 0, end: 0 };
  const other = words.noTextForm(whole, { what: 'this workflow', help: 'keep it as a workflow file' });
  return { text, diagnostics: text === null ? [problem ?? other] : [] };
}

/** Inputs that no line declares have the place where they are read; as text they stand before the steps. */
export function inOrder(program: Program): Program {
  const first = program.items.find(({ kind }) => kind === 'step')?.span.start ?? 0;
  const items = program.items.map((item) => {
    if (item.kind !== 'input' || item.span.start < first) return item;
    return { ...item, span: { ...item.span, start: first, end: first } };
  });
  return { ...program, items };
}

/** What only a workflow file can say, so that it is told at its place. */
function unsayable(program: Program, { text }: SourceFile): Diagnostic | null {
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
      help: 'give it another name: in a program only the state ERROR has this one',
    });
  const blank = allSteps(program.items).find(({ name }) => /\s/.test(name.text));
  if (blank === undefined) return null;
  return words.noTextForm(blank.name.span, {
    what: `the step name \`${blank.name.text}\``,
    help: 'name it without blanks',
  });
}

function firstLine(text: string): Span {
  const end = text.indexOf('\n');
  return { file: 0, start: 0, end: end < 0 ? text.length : end };
}

async function tell(diagnostics: readonly Diagnostic[], sources: readonly SourceFile[]): Promise<ExitCode> {
  stderr.write(drawDiagnostics(sortDiagnostics(diagnostics), [...sources], await stderr.paint()));
  return EXIT.usage;
}
