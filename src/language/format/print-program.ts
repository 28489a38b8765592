/**
 * Prints a program from its tree alone, for trees of workflow files, where nothing can be copied from the source. The
 * output is correct but not pretty: the formatter gives it its form.
 */
import { unreachable } from '../../prelude/unreachable.js';
import { hasErrors, type SourceFile, sourceFile } from '../source/diagnostic.js';
import type { Declaration, Instruction, Program } from '../syntax/ast.js';
import { parseProgram } from '../syntax/parse.js';
import { type AttachedComments, attachComments, noComments } from '../syntax/steps/attached-comments.js';
import { formatProgram } from './format-program.js';
import { printExpression, printOption, printQuoted } from './print-expression.js';
import { printStep, type StepLines, withComments } from './print-step.js';

/**
 * The text of a program that contains declarations and steps. Null if the text cannot express a part of the tree: other
 * instructions, or names with spaces. Spans are used only to find the comments in `source`.
 */
export function printProgram(program: Program, source?: SourceFile): string | null {
  const lines: string[] = [];
  const comments = source === undefined ? noComments : attachComments(program, source.text);
  for (const [n, item] of program.items.entries()) {
    if (n > 0 && item.kind === 'step') lines.push('');
    const printed = 'verb' in item ? instruction(item, comments) : declarationLines(item, comments);
    if (printed === null) return null;
    lines.push(...printed);
  }
  lines.push(...comments.rest);
  const file = sourceFile('program.dsl', `${lines.join('\n')}\n`);
  const again = parseProgram(file, 0);
  if (hasErrors(again.diagnostics) || again.program.items.length !== program.items.length) return null;
  return formatProgram(again.program, file);
}

function instruction(i: Instruction, comments: AttachedComments): StepLines | null {
  return i.kind === 'step' ? printStep(i, comments) : null;
}

function declarationLines(item: Declaration, comments: AttachedComments): StepLines | null {
  const printed = declaration(item);
  const parts = item.kind === 'limit' ? item.options.map(({ span }) => span.start) : [item.span.start];
  return printed === null ? null : withComments([printed], parts, comments);
}

function declaration(d: Declaration): string | null {
  switch (d.kind) {
    case 'machine':
      return `MACHINE: ${d.name.text}`;
    case 'input': {
      const value = d.value === undefined ? '' : ` = ${printExpression(d.value)}`;
      const words = [...(d.type === undefined ? [] : [d.type]), ...(d.secret ? ['secret'] : [])];
      const type = words.length === 0 || d.choices !== undefined ? '' : ` (${words.join(', ')})`;
      const choices = d.choices === undefined ? '' : ` (one of: ${d.choices.map(choice).join(', ')})`;
      return `INPUT: ${d.name.text}${value}${type}${choices}`;
    }
    case 'limit':
      return `LIMIT: ${d.options.map(printOption).join(' ')}`;
    case 'tool':
      return `TOOL: ${d.value.text}`;
    case 'key':
      return `KEY: ${printQuoted(d.text)}`;
    case 'title':
      return `TITLE: ${printQuoted(d.text)}`;
    case 'import':
      return `IMPORT: ${printQuoted(d.path)}`;
    case 'pattern':
    case 'state':
      return null;
    default:
      return unreachable(d);
  }
}

function choice(text: string): string {
  return /^[\w.-]+$/.test(text) ? text : `"${text}"`;
}
