/** Loads a plan for a command that needs it without errors. */

import { type LoadedPlan, loadPlan, type PlanFlags } from '../../../project/load-plan.js';
import { hasErrors } from '../../../source/diagnostic.js';
import { commandLineHost } from '../../files/host.js';
import { drawn } from '../../terminal/report-diagnostics.js';
import { stderr } from '../../terminal/streams.js';
import { usageError } from '../../terminal/usage.js';

/** Returns the plan if it has no errors. Otherwise prints them and returns null. */
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
  stderr.write(await drawn(errors, sources));
  return null;
}
