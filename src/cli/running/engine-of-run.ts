/** Which engine a command about a run asks when only the configuration names one. */
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { RunRefused } from '../../runtime/store/run-refused.js';
import { findRunId } from '../../runtime/store/stored-run.js';
import { configuredEngine } from './configured-engine.js';
import type { EngineFlags } from './engine-flags.js';
import { engineOf } from './follow-on-engine.js';
import { storeOf } from './stored-runs.js';

/**
 * The engine for a command about the runs of a store. A run that the store has is where it was executed: here, or on the
 * engine of which it is a copy. `run`: the name that was given, if the command has one.
 */
export async function configuredEngineOf(run: string | undefined, dir: string | undefined): Promise<EngineFlags> {
  const on = await configuredEngine('-');
  if (on === undefined) return {};
  if (run === undefined) return { on };
  const store = storeOf(omitUndefined({ dir }));
  let id: string;
  try {
    id = findRunId(store, run);
  } catch (cause) {
    if (cause instanceof RunRefused) return { on };
    throw cause;
  }
  return engineOf(store, id) ?? {};
}
