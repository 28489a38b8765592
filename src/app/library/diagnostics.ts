/** Diagnostics for programs that embed statedsl: as data, as JSON, and as the terminal shows them. */
import type { Diagnostic as CompilerDiagnostic, SourceSet, Span } from '../../language/source/diagnostic.js';
import { type DiagnosticJson, diagnosticsJson } from '../../views/diagnostics/diagnostic-json.js';
import { drawDiagnostics } from '../../views/diagnostics/draw-diagnostic.js';
import { type FindingJson, findingsJson } from '../../views/diagnostics/findings-json.js';
import { createPaint } from '../../views/drawing/color.js';

/** A compiled text, with the name that messages use. `compile` and `checkFile` return them as `sources`. */
export interface Source {
  readonly name: string;
  readonly text: string;
}

/**
 * One problem of a program, a plan or the configuration. Diagnostics are never thrown: `compile` and `checkFile` return
 * them.
 */
export interface Diagnostic {
  /** The kind of problem, such as `unknown-state`. The manual lists all codes under Errors. */
  readonly code: string;
  readonly severity: 'error' | 'warning' | 'note';
  /** The smallest part of the text that causes the problem. */
  readonly span: Span;
  /** A clause in lower case, with names in backticks. */
  readonly message: string;
  /** A note about this part of the text. */
  readonly label?: string;
  /** Other parts of the text that help to explain the problem. */
  readonly labels?: readonly { readonly span: Span; readonly text: string }[];
  /** The rules of the language that apply here. */
  readonly notes?: readonly string[];
  /** One next step, as code to paste if possible. */
  readonly help?: string;
  /** The ways to repair the program, the likeliest first. */
  readonly fixes?: readonly {
    readonly title: string;
    /** Apply all of them or none. */
    readonly edits: readonly { readonly span: Span; readonly text: string }[];
    /** The text can have meant only this. The author should confirm other fixes. */
    readonly preferred: boolean;
  }[];
}

/**
 * Diagnostics with the texts that their spans refer to: a part of what `compile`, `checkFile` and `checkText` return.
 */
export interface Findings {
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: readonly Source[];
}

/**
 * Diagnostics as text with the affected lines, as `statedsl check` prints them. Ends with a line feed; empty if there
 * are none. `color` adds escape sequences for a terminal with 16 colors.
 */
export function formatDiagnostics(findings: Findings, options: { readonly color?: boolean } = {}): string {
  const { diagnostics, sources } = toInternal(findings);
  return drawDiagnostics(diagnostics, sources, ...(options.color === true ? [createPaint(1)] : []));
}

/** Diagnostics as JSON values with all their parts, as the service answers with them. */
export function diagnosticsToJson(findings: Findings): readonly DiagnosticJson[] {
  const { diagnostics, sources } = toInternal(findings);
  return diagnosticsJson(diagnostics, sources);
}

/** For programs that mend them: in the order to do it, as `statedsl check --json` prints them. */
export function findingsOf(findings: Findings): readonly FindingJson[] {
  const { diagnostics, sources } = toInternal(findings);
  return findingsJson(diagnostics, sources, () => undefined);
}

/** All findings come from this package, so they also have the members that the public types leave out. */
function toInternal(findings: Findings): {
  readonly diagnostics: readonly CompilerDiagnostic[];
  readonly sources: SourceSet;
} {
  return findings as { readonly diagnostics: readonly CompilerDiagnostic[]; readonly sources: SourceSet };
}
