/**
 * Findings for programs that mend them: in the order to mend them, short, and without what is empty. All kinds of files
 * have the same form.
 */
import type { Diagnostic, SourceSet, Span } from '../../language/source/diagnostic.js';
import { safeFix } from '../../language/source/fix-text.js';
import { cut } from '../drawing/visible-text.js';
import { type Location, locationJson } from './diagnostic-json.js';

export type FindingJson = Readonly<Record<string, unknown>>;

/** The characters of a message with its next step, which are about 60 tokens. */
const TEXT = 240;
/** What a message keeps of them if its next step is long. */
const MESSAGE = 140;

const RANK = { error: 0, warning: 1, note: 2 } as const;

/** `referenceOf`: where a code is explained. */
export function findingsJson(
  list: readonly Diagnostic[],
  sources: SourceSet,
  referenceOf: (code: string) => string | undefined,
): FindingJson[] {
  const sorted = [...list].sort((a, b) => RANK[a.severity] - RANK[b.severity]);
  return sorted.map((diagnostic) => {
    const { code, severity, span, help, fixes = [] } = diagnostic;
    const message = cut(diagnostic.message, Math.max(MESSAGE, TEXT - (help ?? '').length));
    const reference = referenceOf(code);
    const safe = safeFix(diagnostic);
    return {
      code,
      severity,
      message,
      ...locationIn(span, sources),
      ...(help === undefined ? {} : { help: cut(help, TEXT - message.length) }),
      ...(fixes.length === 0
        ? {}
        : {
            fixes: fixes.map((fix) => ({
              title: fix.title,
              preferred: fix.preferred,
              safe: fix === safe,
              edits: fix.edits.map((edit) => {
                const { file, ...location } = locationIn(edit.span, sources);
                // Nearly all edits are in the file of their finding.
                return { ...(edit.span.file === span.file ? {} : { file }), ...location, text: edit.text };
              }),
            })),
          }),
      ...(reference === undefined ? {} : { reference }),
    };
  });
}

/** Nothing if there is no location. */
function locationIn(span: Span, sources: SourceSet): Partial<Location> {
  const location = locationJson(span, sources);
  return location.file === null ? {} : location;
}
