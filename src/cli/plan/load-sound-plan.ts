/** The plan that a command is about, where it has no errors. */

import { type LoadedPlan, loadPlan, type PlanFlags } from '../../project/load-plan.js';
import { hasErrors } from '../../source/diagnostic.js';
import { drawDiagnostics } from '../../views/diagnostics/diagnostic.js';
import { commandLineHost } from '../host.js';
import { stderr } from '../streams.js';
import { usageError } from '../usage.js';

/** A plan without errors. Otherwise prints them and gives null. */
export async function loadSoundPlan(
  file: string,
  flags: PlanFlags,
): Promise<(LoadedPlan & { readonly plan: NonNullable<LoadedPlan['plan']> }) | null> {
  const loaded = loadPlan(commandLineHost(), file, flags);
  if (loaded.kind === 'missing') {
    await usageError(loaded.message);
    return null;
  }
  const { plan, diagnostics, sources } = loaded;
  if (plan !== null && !hasErrors(diagnostics)) return { ...loaded, plan };
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  stderr.write(drawDiagnostics(errors, sources, await stderr.paint()));
  return null;
}
