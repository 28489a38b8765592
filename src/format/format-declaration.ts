/** Declarations to the text of their own line. */
import type { Declaration } from '../syntax/ast.js';
import { formatArguments, formatExpression, type Source, sourceSlice, unreachable } from './format-expression.js';
import { formatOption, tail } from './format-head.js';

export function formatDeclaration(source: Source, it: Declaration): string {
  switch (it.kind) {
    case 'machine':
      return `MACHINE: ${it.name.text}${tail(source, it.name.span.end, it.span.end)}`;
    case 'input': {
      const value = it.value === undefined ? '' : ` = ${formatExpression(source, it.value)}`;
      const notes = inputNotes(source, it.value?.span.end ?? it.name.span.end, it.span.end);
      return `INPUT: ${it.name.text}${value}${notes}`;
    }
    case 'limit':
      return `LIMIT: ${it.options.map(formatOption).join(' ')}`;
    case 'import':
      return `IMPORT: ${it.path.raw}`;
    case 'pattern':
      return `PATTERN: ${it.name.text}${formatArguments(source, it.parameters)}`;
    case 'state':
      return `STATE: ${it.name.text}${tail(source, it.name.span.end, it.span.end)}`;
    default:
      return unreachable(it);
  }
}

function inputNotes(source: Source, start: number, end: number): string {
  const text = sourceSlice(source, start, end)
    .trim()
    .replace(/\)[ \t]*\(/g, ') (');
  return text.startsWith('(') ? ` ${text}` : '';
}
