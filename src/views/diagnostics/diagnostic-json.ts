/** Diagnostics as JSON: locations as numbers that editors use, without drawings. */
import type { Diagnostic } from '../../language/source/diagnostic.js';
import { positionAt, type SourceFile, type SourceSet, type Span } from '../../language/source/diagnostic.js';
import { safeFix } from '../../language/source/fix-text.js';

/** A diagnostic with all its parts, as the service answers with it. `findings-json.ts` has the short form of `check --json`. */
export interface DiagnosticJson extends Location {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  /** A note about this part of the text. */
  readonly label: string | null;
  readonly help: string | null;
  readonly fixes: readonly FixJson[];
  readonly notes: readonly string[];
  readonly labels: readonly LocatedEdit[];
}

/** One way to correct a program: its edits, which must be applied together. */
export interface FixJson {
  readonly title: string;
  readonly preferred: boolean;
  /** `check --fix` applies it. */
  readonly safe: boolean;
  readonly edits: readonly LocatedEdit[];
}

/** A replacement of a part of a text, or a label: a part of a text and a note about it. */
export interface LocatedEdit extends Location {
  readonly text: string;
}

/**
 * A part of a text as editors count: lines and columns start at 1, and the end is after the last character. Null if
 * there is no location.
 */
export interface Location {
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
    fixes: (diagnostic.fixes ?? []).map((fix) => ({
      title: fix.title,
      preferred: fix.preferred,
      safe: fix === safeFix(diagnostic),
      edits: fix.edits.map((edit) => withText(edit, sources)),
    })),
    notes: diagnostic.notes ?? [],
    labels: (diagnostic.labels ?? []).map((label) => withText(label, sources)),
  }));
}

function withText({ span, text }: { readonly span: Span; readonly text: string }, sources: SourceSet) {
  return { ...locationJson(span, sources), text };
}

export function locationJson(span: Span, sources: SourceSet): Location {
  const source: SourceFile | undefined = sources[span.file];
  if (source === undefined) return { file: null, line: null, column: null, end_line: null, end_column: null };
  const start = positionAt(source, span.start);
  const end = positionAt(source, span.end);
  return { file: source.name, line: start.line, column: start.column, end_line: end.line, end_column: end.column };
}
