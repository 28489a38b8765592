/** Which messages people are shown about a program; whether it is valid is decided by all of them. */
import type { Diagnostic } from '../source/diagnostic.js';

/** With `quiet` only what makes the program invalid. */
export function filterDiagnostics(
  diagnostics: readonly Diagnostic[],
  { quiet, strict }: { readonly quiet?: boolean; readonly strict?: boolean },
): readonly Diagnostic[] {
  if (quiet !== true) return diagnostics;
  return diagnostics.filter(({ severity }) => severity === 'error' || (strict === true && severity === 'warning'));
}
