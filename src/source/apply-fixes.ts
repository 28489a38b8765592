/** Edits of a text: those that do not touch each other are made together, the others wait for the next round. */
import type { Diagnostic, Edit, Fix } from './diagnostic.js';

/** A diagnostic whose fix may be made without asking. */
export interface Mended {
  readonly diagnostic: Diagnostic;
  readonly edits: readonly Edit[];
}

export function editsOf(fix: Fix): readonly Edit[] {
  return [{ span: fix.span, text: fix.text }, ...(fix.also ?? [])];
}

/** Fixes of the first file that are no guesses; of those that overlap, the first. */
export function safeFixes(diagnostics: readonly Diagnostic[]): Mended[] {
  const taken: Edit[] = [];
  return diagnostics.flatMap((diagnostic): Mended[] => {
    const { fix } = diagnostic;
    if (fix === undefined || fix.guess === true) return [];
    const edits = editsOf(fix);
    if (edits.some(({ span }) => span.file !== 0) || edits.some((edit) => taken.some((other) => touches(edit, other))))
      return [];
    taken.push(...edits);
    return [{ diagnostic, edits }];
  });
}

/** Edits that share a character, or insert at one place, would depend on their order. */
function touches(a: Edit, b: Edit): boolean {
  return a.span.start <= b.span.end && b.span.start <= a.span.end;
}

export function applyEdits(text: string, edits: readonly Edit[]): string {
  let changed = text;
  for (const { span, text: inserted } of [...edits].sort(
    (a, b) => b.span.start - a.span.start || b.span.end - a.span.end,
  ))
    changed = changed.slice(0, span.start) + inserted + changed.slice(span.end);
  return changed;
}
