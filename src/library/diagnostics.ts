/** Diagnostics as programs that embed this get them: what is wrong as data, as JSON, and as the terminal shows it. */
import type { Diagnostic as CompilerDiagnostic } from '../source/diagnostic.js';
import type { SourceSet, Span } from '../source/source-file.js';
import { drawDiagnostics } from '../views/diagnostics/diagnostic.js';
import { type DiagnosticJson, diagnosticsJson } from '../views/diagnostics/diagnostic-json.js';
import { createPaint } from '../views/drawing/color.js';

/** A text that was compiled, with the name that messages use. `compile` and `checkFile` give them as `sources`. */
export interface Source {
  readonly name: string;
  readonly text: string;
}

/** One thing that is wrong with a program, a plan or the configuration. Never thrown: `compile` and `checkFile` list them. */
export interface Diagnostic {
  /** Names the kind, such as `unknown-state`. The manual lists the codes under Errors. */
  readonly code: string;
  readonly severity: 'error' | 'warning' | 'note';
  /** The smallest part of the text to blame. */
  readonly span: Span;
  /** A lower-case clause with names in backticks. */
  readonly message: string;
  /** Why this part is to blame. */
  readonly label?: string;
  /** Other parts of the text that explain the first. */
  readonly labels?: readonly { readonly span: Span; readonly text: string }[];
  /** The rules behind the message. */
  readonly notes?: readonly string[];
  /** One next step, as code where it can be pasted. */
  readonly help?: string;
  /** An edit that repairs the program. With `guess` its author should confirm it. */
  readonly fix?: {
    readonly span: Span;
    readonly text: string;
    /** Further edits: all of them are made, or none. */
    readonly also?: readonly { readonly span: Span; readonly text: string }[];
    readonly guess?: true;
  };
}

/** What `compile`, `checkFile` and `checkText` give: a list of diagnostics with the texts that their spans index. */
export interface Findings {
  readonly diagnostics: readonly Diagnostic[];
  readonly sources: readonly Source[];
}

/**
 * Diagnostics as text, with the lines they are about: what `statedsl check` prints. Ends with a line end; empty when
 * there are none. `color` adds the escape sequences of a terminal with 16 colours.
 */
export function formatDiagnostics(findings: Findings, options: { readonly color?: boolean } = {}): string {
  const { diagnostics, sources } = toInternal(findings);
  return drawDiagnostics(diagnostics, sources, ...(options.color === true ? [createPaint(1)] : []));
}

/** Diagnostics as JSON values: what `statedsl check --json` prints under `diagnostics`. */
export function diagnosticsToJson(findings: Findings): readonly DiagnosticJson[] {
  const { diagnostics, sources } = toInternal(findings);
  return diagnosticsJson(diagnostics, sources);
}

/** All findings were made here, so they are what the public types leave out too. */
function toInternal(findings: Findings): {
  readonly diagnostics: readonly CompilerDiagnostic[];
  readonly sources: SourceSet;
} {
  return findings as { readonly diagnostics: readonly CompilerDiagnostic[]; readonly sources: SourceSet };
}
