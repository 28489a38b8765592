/** Which engine a command about a run asks when none was typed. */
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { configuredEngine, NO_ENGINE } from './configured-engine.js';
import type { EngineFlags } from './engine-flags.js';
import { runsOf } from './stored-runs.js';

/**
 * The engine for a command about the runs of a store. A run that the store has is where it was executed: here, or on the
 * engine of which it is a copy. `run`: the name that was given, if the command has one. `given`: what variables name, instead
 * of the configuration.
 */
export async function engineFor(
  run: string | undefined,
  dir: string | undefined,
  given: EngineFlags,
): Promise<EngineFlags> {
  const { on = await configuredEngine('-') } = given;
  if (on === undefined || on === NO_ENGINE) return given;
  if (run === undefined) return { ...given, on };
  const found = await (await runsOf(omitUndefined({ dir }))).find(run);
  return found.ok ? (found.value.engine ?? {}) : { ...given, on };
}
