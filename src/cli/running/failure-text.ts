/** The picture of a failed run. It is a file of its own because only failed runs have to load what draws it. */
import type { RunError } from '../../interpreter/events/event.js';
import type { SourceSet } from '../../source/source-file.js';
import { drawDiagnostic } from '../../views/diagnostics/diagnostic.js';
import { failureDiagnostic } from '../../views/diagnostics/failure.js';
import type { Paint } from '../../views/drawing/paint.js';

/** Shown even with `--quiet`, because it is the only explanation of the failure. */
export function failureText(error: RunError, sources: SourceSet, paint: Paint): string {
  return `${drawDiagnostic(failureDiagnostic(error, sources), sources, paint)}\n`;
}
