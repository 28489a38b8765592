/** Reads the workflow file of a case and prints the tree, with the location of every value in its texts. */
import { stringify } from 'yaml';
import { parseWorkflow } from '../../src/language/frontends/workflow/parse-workflow.js';
import { positionAt, type SourceFile, sortDiagnostics, sourceFile } from '../../src/language/source/diagnostic.js';
import { drawDiagnostics } from '../../src/views/diagnostics/draw-diagnostic.js';
import { type Case, optionsOf, sectionText } from './case-file.js';

export function readWorkflow(the: Case): { diagnostics: string; read: string } {
  let text = sectionText(the, 'workflow') ?? '';
  if (optionsOf(the).crlf === true) text = text.replace(/\n/g, '\r\n');
  const file = sourceFile('flow.yaml', text);
  const { program, diagnostics } = parseWorkflow(file, 0);
  return {
    diagnostics: drawDiagnostics(sortDiagnostics(diagnostics), [file]),
    read: stringify({ dialect: program.workflow, items: bare(program.items, file) }, { lineWidth: 0 }),
  };
}

const PLACES = new Set([
  'span',
  'operatorSpan',
  'lines',
  'raw',
  'verb',
  'style',
  'inline',
  'quote',
  'options',
  'secret',
]);

/**
 * The tree without locations and without what is empty; values in texts are shown as written, with their line and
 * column.
 */
function bare(value: unknown, file: SourceFile): unknown {
  if (Array.isArray(value)) return value.map((one) => bare(one, file));
  if (typeof value !== 'object' || value === null) return value;
  if ('list' in value && 'expression' in value) return inserted(value as never, file);
  const { kind, ...rest } = value as Record<string, unknown>;
  if (typeof rest.text === 'string' && Object.keys(rest).every((key) => key === 'text' || PLACES.has(key)))
    return rest.text;
  const members = Object.entries(rest)
    .filter(([key, inner]) => inner !== undefined && (!PLACES.has(key) || (key === 'options' && hasItems(inner))))
    .map(([key, inner]) => [key, bare(inner, file)] as const)
    .filter(([key, inner]) => !(EMPTY.has(key) && Array.isArray(inner) && inner.length === 0));
  const [only, more] = members;
  if (more === undefined && only !== undefined && SHORT.has(only[0])) return only[1];
  return Object.fromEntries([...(kind === undefined ? [] : [['kind', kind] as const]), ...members]);
}

const EMPTY = new Set(['context', 'gates', 'args', 'guards']);
const SHORT = new Set(['parts', 'template', 'instructions']);

function hasItems(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0;
}

function inserted({ span }: { span: { start: number; end: number } }, file: SourceFile): string {
  const { line, column } = positionAt(file, span.start);
  return `${file.text.slice(span.start, span.end)} at ${line}:${column}`;
}
