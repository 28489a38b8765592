/**
 * A failed run as a diagnostic: the same picture as for a mistake in a program, on the line where the run was. A
 * machine stores lines but no columns, so the whole text of the line is marked.
 */
import type { RunError } from '../../interpreter/events/event.js';
import type { Diagnostic } from '../../language/source/diagnostic.js';
import { lineText, type SourceSet, type Span } from '../../language/source/diagnostic.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';

export function failureDiagnostic(error: RunError, sources: SourceSet): Diagnostic {
  const notes: string[] = [];
  if (error.state !== null) notes.push(`the run was in the state \`${error.state}\``);
  // The output that a line cannot read may be that of an earlier line.
  const label =
    error.exit_code === null || error.kind === 'not_json'
      ? undefined
      : `${programName(error.tool)} ended with exit code ${error.exit_code}`;
  return {
    code: error.kind.replaceAll('_', '-'),
    severity: 'error',
    message: error.message,
    span: lineSpan(error, sources),
    ...omitUndefined({ label }),
    notes,
  };
}

function programName(tool: string | null): string {
  return tool === null ? 'the command' : `\`${tool}\``;
}

/** The text on the line; a location without a file, which is not drawn, if the line is unknown. */
function lineSpan(error: RunError, sources: SourceSet): Span {
  const found = error.file === null ? 0 : sources.findIndex(({ name }) => name === error.file);
  const source = sources[found];
  const start = error.line === null ? undefined : source?.lineStarts[error.line - 1];
  if (source === undefined || start === undefined) return { file: -1, start: 0, end: 0 };
  const text = lineText(source, error.line as number);
  const lead = text.length - text.trimStart().length;
  return { file: found, start: start + lead, end: start + text.trimEnd().length };
}
