/** The choices that the compiler made where a program leaves one, as a list in the order of locations. */
import { positionAt, type SourceFile, type SourceSet, type Span } from '../../source/source-file.js';
import { visibleLine } from '../drawing/visible-text.js';

/** A choice of the compiler and where it was made. */
export interface Explanation {
  readonly span: Span;
  readonly text: string;
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
