/** Selects the diagnostics that people see. All diagnostics decide whether a program is valid. */
import type { Diagnostic } from '../../source/diagnostic.js';

/** With `quiet`, only the diagnostics that make the program invalid. */
export function filterDiagnostics(
  diagnostics: readonly Diagnostic[],
  { quiet, strict }: { readonly quiet?: boolean; readonly strict?: boolean },
): readonly Diagnostic[] {
  if (quiet !== true) return diagnostics;
  return diagnostics.filter(({ severity }) => severity === 'error' || (strict === true && severity === 'warning'));
}
