/**
 * Formats the programs in a document. The prose around them stays as it is, and so do the line ends and the prefixes
 * that a quote or a list puts before each line.
 */
import { hasErrors, type SourceFile, sourceFile } from '../source/diagnostic.js';
import { parseProgram } from '../syntax/parse.js';
import { formatProgram } from './format-program.js';

/** A program in a document: for each of its lines, the offsets of the part that belongs to the program. */
interface ProgramRegion {
  readonly start: number;
  readonly end: number;
  readonly lines: readonly { readonly start: number; readonly end: number }[];
}

/** The document with the programs at `regions` formatted. Regions must be in order. */
export function formatMarkdown(file: SourceFile, regions: readonly ProgramRegion[]): string {
  let text = '';
  let at = 0;
  for (const region of regions) {
    text += file.text.slice(at, region.start) + formatRegion(file, region);
    at = region.end;
  }
  return text + file.text.slice(at);
}

/** A line that would close the fence. */
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

/** The prefix of the program's lines. Blank lines may have a shorter prefix, so the longest one counts. */
function widestMargin(file: SourceFile, lines: ProgramRegion['lines']): string {
  return lines
    .map((line) => file.text.slice(file.text.lastIndexOf('\n', line.start - 1) + 1, line.start))
    .reduce((widest, margin) => (margin.length > widest.length ? margin : widest), '');
}

function lineBreak(file: SourceFile, lines: ProgramRegion['lines']): string {
  const end = lines[0]?.end ?? 0;
  return file.text.startsWith('\r\n', end) ? '\r\n' : '\n';
}
