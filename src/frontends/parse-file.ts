/** Parses a file by the ending of its name: as a workflow file, a document, or a program. */
import type { Diagnostic } from '../source/diagnostic.js';
import type { SourceFile } from '../source/source-file.js';
import type { Program } from '../syntax/ast.js';
import { parseProgram } from '../syntax/parse.js';
import { parseMarkdown } from './markdown.js';
import { parseWorkflow } from './workflow/parse-workflow.js';

/** `index` is the position of the file among the sources. Never throws. */
export function parseFile(
  file: SourceFile,
  index: number,
): { program: Program; diagnostics: Diagnostic[]; isPartial?: boolean } {
  if (/\.ya?ml$/i.test(file.name)) return parseWorkflow(file, index);
  if (/\.(md|markdown)$/i.test(file.name)) return parseMarkdown(file, index);
  return parseProgram(file, index);
}
