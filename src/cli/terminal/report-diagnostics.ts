/** Prints diagnostics as text for people, or with `--json` for programs. */
import type { Diagnostic } from '../../source/diagnostic.js';
import type { SourceSet } from '../../source/source-file.js';
import type { RunFlags } from '../running/run-flags.js';
import { EXIT, type ExitCode } from './exit-code.js';
import { stderr, stdout } from './streams.js';

/** Reports diagnostics, with `--json` as JSON. */
export async function reportInvalid(
  diagnostics: readonly Diagnostic[],
  sources: SourceSet,
  flags: Pick<RunFlags, 'json' | 'quiet'>,
): Promise<{ code: ExitCode }> {
  await printDiagnostics(diagnostics, sources, flags);
  if (flags.json) {
    const { diagnosticsJson } = await import('../../views/diagnostics/diagnostic-json.js');
    stdout.write(`${JSON.stringify({ status: 'invalid', diagnostics: diagnosticsJson(diagnostics, sources) })}\n`);
  }
  return { code: EXIT.usage };
}

export async function printDiagnostics(
  diagnostics: readonly Diagnostic[],
  sources: SourceSet,
  flags: Pick<RunFlags, 'quiet'>,
): Promise<void> {
  const shown = flags.quiet ? diagnostics.filter(({ severity }) => severity === 'error') : diagnostics;
  if (shown.length === 0) return;
  // Drawing is loaded only when there is something to draw: a program without mistakes starts faster.
  const { drawDiagnostics } = await import('../../views/diagnostics/diagnostic.js');
  stderr.write(drawDiagnostics(shown, sources, await stderr.paint()));
}
