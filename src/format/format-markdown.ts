/**
 * The one form of a document: its programs are formatted where they are, and the prose around them is left alone,
 * as are the document's line ends and what a quote or a list puts before each line.
 */
import { hasErrors } from '../source/diagnostic.js';
import { type SourceFile, sourceFile } from '../source/source-file.js';
import { parseProgram } from '../syntax/parse.js';
import { formatProgram } from './format-program.js';

/** A program in a document: for each of its lines the offsets of the part that is the program's. */
interface ProgramRegion {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly { readonly start: number; readonly end: number }[];
}

/** The document with the programs at `regions` in their one form. Regions come in order. */
export function formatMarkdown(file: SourceFile, regions: readonly ProgramRegion[]): string {
  let text = '';
  let at = 0;
  for (const region of regions) {
    text += file.text.slice(at, region.start) + formatRegion(file, region);
    at = region.end;
  }
  return text + file.text.slice(at);
}

/** A line of a fence that would close it. */
const fence = /^ {0,3}(?:```|~~~)/m;

function formatRegion(file: SourceFile, { start, end, lines }: ProgramRegion): string {
  const own = sourceFile(file.name, lines.map((line) => file.text.slice(line.start, line.end)).join('\n'));
  const { program, diagnostics } = parseProgram(own, 0, { start: 0, end: own.text.length });
  const formatted = hasErrors(diagnostics) ? own.text : formatProgram(program, own);
  if (fence.test(formatted)) return file.text.slice(start, end);
  const margin = widestMargin(file, lines);
  return formatted
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => (line === '' ? margin.trimEnd() : margin + line))
    .join(lineBreak(file, lines));
}

/** What is before the lines of the program. Blank lines may have less of it, so the widest one counts. */
function widestMargin(file: SourceFile, lines: ProgramRegion['lines']): string {
  return lines
    .map((line) => file.text.slice(file.text.lastIndexOf('\n', line.start - 1) + 1, line.start))
    .reduce((widest, margin) => (margin.length > widest.length ? margin : widest), '');
}

function lineBreak(file: SourceFile, lines: ProgramRegion['lines']): string {
  const end = lines[0]?.end ?? 0;
  return file.text.startsWith('\r\n', end) ? '\r\n' : '\n';
}
