/** The fixes that were made in a file, each with the lines that it replaced. */
import { positionAt, type SourceFile, type SourceSet, type Span } from '../../language/source/diagnostic.js';
import { escapeControls, visibleLine } from '../drawing/visible-text.js';

interface DrawnFix {
  readonly code: string;
  readonly line: number;
  readonly removed: readonly string[];
  readonly added: readonly string[];
}

export function drawFixes(name: string, fixes: readonly DrawnFix[]): string {
  return fixes
    .map(({ code, line, removed, added }) => {
      const lines = [...removed.map((text) => `- ${text}`), ...added.map((text) => `+ ${text}`)];
      const shown = lines.map((text) => `${escapeControls(text)}\n`).join('');
      return `fixed[${code}]: ${visibleLine(name)}:${line}\n${shown}`;
    })
    .join('');
}

/** A choice of the compiler and where it was made. */
export interface Explanation {
  readonly span: Span;
  readonly text: string;
  /** The text could have been understood otherwise. */
  readonly isChoice?: boolean;
}

export function drawExplanations(list: readonly Explanation[], sources: SourceSet): string {
  return list.map(({ span, text }) => `${locationText(span, sources)}: ${visibleLine(text)}\n`).join('');
}

/** `plan.dsl:14:5`. */
function locationText(span: Span, sources: SourceSet): string {
  const source = sources[span.file] as SourceFile;
  const { line, column } = positionAt(source, span.start);
  return `${visibleLine(source.name)}:${line}:${column}`;
}
