/** Diagnostics for programs: places as numbers that editors count, nothing drawn. */
import type { Diagnostic } from '../source/diagnostic.js';
import { positionAt, type SourceFile, type SourceSet, type Span } from '../source/source-file.js';

export interface DiagnosticJson extends PlaceJson {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  readonly help: string | null;
  readonly notes: readonly string[];
  readonly labels: readonly (PlaceJson & { readonly text: string })[];
}

/** Lines and columns are one-based; the end is after the last character. */
interface PlaceJson {
  readonly file: string | null;
  readonly line: number | null;
  readonly column: number | null;
  readonly end_line: number | null;
  readonly end_column: number | null;
}

export function diagnosticsJson(list: readonly Diagnostic[], sources: SourceSet): DiagnosticJson[] {
  return list.map((diagnostic) => ({
    code: diagnostic.code,
    severity: diagnostic.severity,
    message: diagnostic.message,
    ...placeJson(diagnostic.span, sources),
    help: diagnostic.help ?? null,
    notes: diagnostic.notes ?? [],
    labels: (diagnostic.labels ?? []).map(({ span, text }) => ({ ...placeJson(span, sources), text })),
  }));
}

export function placeJson(span: Span, sources: SourceSet): PlaceJson {
  const source: SourceFile | undefined = sources[span.file];
  if (source === undefined) return { file: null, line: null, column: null, end_line: null, end_column: null };
  const start = positionAt(source, span.start);
  const end = positionAt(source, span.end);
  return { file: source.name, line: start.line, column: start.column, end_line: end.line, end_column: end.column };
}
