/** `formatText`: formats the text of a program, or the programs in a document. Reads and writes no files. */
import { isMarkdown, isTestFile } from '../project/program-kind.js';
import { type Diagnostic, hasErrors, sortDiagnostics } from '../source/diagnostic.js';
import { type SourceFile, sourceFile } from '../source/source-file.js';

interface FormattedText {
  /** The formatted text; null if the text has syntax errors. */
  readonly text: string | null;
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: SourceFile[];
}

/** The ending of `name` decides whether the text is a document. The Markdown reader is loaded only then. */
export async function formatText(text: string, name: string): Promise<FormattedText> {
  const source = sourceFile(name, text);
  const { diagnostics, format } = await parserOf(name)(source);
  const sound = !hasErrors(diagnostics);
  return { text: sound ? format() : null, diagnostics: sortDiagnostics(diagnostics), sources: [source] };
}

/** The front end of a file. */
function parserOf(name: string): (source: SourceFile) => Promise<Parsed> {
  if (isTestFile(name)) return formatTestFile;
  return isMarkdown(name) ? formatDocument : formatProgramText;
}

interface Parsed {
  readonly diagnostics: readonly Diagnostic[];
  readonly format: () => string;
}

async function formatDocument(source: SourceFile): Promise<Parsed> {
  const { parseMarkdown } = await import('../frontends/markdown.js');
  const { formatMarkdown } = await import('../format/format-markdown.js');
  const { regions, diagnostics } = parseMarkdown(source, 0);
  return { diagnostics, format: () => formatMarkdown(source, regions) };
}

async function formatTestFile(source: SourceFile): Promise<Parsed> {
  const { parseTests } = await import('../syntax/tests/parse-tests.js');
  const { formatTests } = await import('../format/format-tests.js');
  return { diagnostics: parseTests(source, 0).diagnostics, format: () => formatTests(source.text) };
}

async function formatProgramText(source: SourceFile): Promise<Parsed> {
  const { parseProgram } = await import('../syntax/parse.js');
  const { formatProgram } = await import('../format/format-program.js');
  const { program, diagnostics } = parseProgram(source, 0);
  return { diagnostics, format: () => formatProgram(program, source) };
}
