/** Diagnostics as JSON: locations as numbers that editors use, without drawings. */
import { editsOf } from '../../source/apply-fixes.js';
import type { Diagnostic, Fix } from '../../source/diagnostic.js';
import { positionAt, type SourceFile, type SourceSet, type Span } from '../../source/source-file.js';

export interface DiagnosticJson extends LocationJson {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  /** Why the location is blamed. */
  readonly label: string | null;
  readonly help: string | null;
  /** The fix. Location and text are those of its first edit; `edits` has all of them, to be made together. */
  readonly fix:
    | (EditJson & {
        readonly edits: readonly EditJson[];
        /** Whether `check --fix` makes it; otherwise it is an offer. */
        readonly safe: boolean;
      })
    | null;
  readonly notes: readonly string[];
  readonly labels: readonly (LocationJson & { readonly text: string })[];
}

type EditJson = LocationJson & { readonly text: string };

/** Lines and columns are one-based; the end is after the last character. */
interface LocationJson {
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
    ...locationJson(diagnostic.span, sources),
    label: diagnostic.label ?? null,
    help: diagnostic.help ?? null,
    fix: diagnostic.fix === undefined ? null : fixJson(diagnostic.fix, sources),
    notes: diagnostic.notes ?? [],
    labels: (diagnostic.labels ?? []).map((label) => withText(label, sources)),
  }));
}

function fixJson(fix: Fix, sources: SourceSet): DiagnosticJson['fix'] {
  const edits = editsOf(fix).map((edit) => withText(edit, sources));
  return { ...withText(fix, sources), edits, safe: fix.guess !== true };
}

function withText({ span, text }: { readonly span: Span; readonly text: string }, sources: SourceSet) {
  return { ...locationJson(span, sources), text };
}

export function locationJson(span: Span, sources: SourceSet): LocationJson {
  const source: SourceFile | undefined = sources[span.file];
  if (source === undefined) return { file: null, line: null, column: null, end_line: null, end_column: null };
  const start = positionAt(source, span.start);
  const end = positionAt(source, span.end);
  return { file: source.name, line: start.line, column: start.column, end_line: end.line, end_column: end.column };
}
