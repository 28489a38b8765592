/** Parses and formats the program of a case without checking it, and prints a tree without its locations. */
import { formatMarkdown } from '../../src/language/format/format-markdown.js';
import { formatProgram } from '../../src/language/format/format-program.js';
import { parseFile } from '../../src/language/frontends/markdown.js';
import { markdownRegions } from '../../src/language/frontends/markdown-regions.js';
import { hasErrors, type SourceFile, sortDiagnostics, sourceFile } from '../../src/language/source/diagnostic.js';
import type { Program } from '../../src/language/syntax/ast.js';
import { drawDiagnostics } from '../../src/views/diagnostics/draw-diagnostic.js';
import { type Case, programOf } from './case-file.js';

interface Text {
  readonly name: string;
  readonly text: string;
  readonly markdown: boolean;
}

function parse({ name, text }: Text) {
  const file: SourceFile = sourceFile(name, text);
  return { file, ...parseFile(file, 0) };
}

export function formatted(text: Text): string {
  const { file, program } = parse(text);
  return text.markdown ? formatMarkdown(file, markdownRegions(file).regions) : formatProgram(program, file);
}

/** The tree as plain data: spans and the spelling of what has several spellings are left out. */
export function treeOf(text: Text): unknown {
  return JSON.parse(JSON.stringify(parse(text).program, bare));
}

const PLACES = new Set(['span', 'operatorSpan', 'lines', 'comments', 'raw', 'verb', 'style', 'afterDo', 'inline']);

function bare(key: string, value: unknown): unknown {
  return PLACES.has(key) ? undefined : value;
}

export function parsed(the: Case): { diagnostics: string; tree: string; broken: boolean; program: Program } {
  const { file, program, diagnostics } = parse(programOf(the));
  return {
    diagnostics: drawDiagnostics(sortDiagnostics(diagnostics), [file]),
    tree: `${JSON.stringify(program, bare, 1)}\n`,
    broken: hasErrors(diagnostics),
    program,
  };
}
