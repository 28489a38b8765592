/**
 * Applies edits to a text. Edits that do not touch each other are applied together; the others wait for the next round.
 */
import type { Diagnostic, Edit, Fix } from './diagnostic.js';

/** A diagnostic with a fix that may be applied without asking. */
export interface Mended {
  readonly diagnostic: Diagnostic;
  readonly edits: readonly Edit[];
}

export function editsOf(fix: Fix): readonly Edit[] {
  return [{ span: fix.span, text: fix.text }, ...(fix.also ?? [])];
}

/** The fix of an error in the first file that is not a guess. */
export function isSafe({ severity, fix }: Diagnostic): boolean {
  if (fix === undefined || fix.guess === true || severity !== 'error') return false;
  return editsOf(fix).every(({ span }) => span.file === 0);
}

/** The safe fixes. If fixes overlap, only the first counts. */
export function safeFixes(diagnostics: readonly Diagnostic[]): Mended[] {
  const taken: Edit[] = [];
  return diagnostics.flatMap((diagnostic): Mended[] => {
    if (!isSafe(diagnostic)) return [];
    const edits = editsOf(diagnostic.fix as Fix);
    if (edits.some((edit) => taken.some((other) => touches(edit, other)))) return [];
    taken.push(...edits);
    return [{ diagnostic, edits }];
  });
}

/** The result of edits that share a character, or insert at the same offset, would depend on their order. */
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
