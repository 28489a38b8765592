/** Starts a run of a program that its caller has read, checked and completed, in a folder of runs. */
import type { Machine } from '../../machine/machine.js';
import { type RunOptions, run } from '../../runtime/run/run.js';
import { leadsElsewhere } from '../../runtime/store/store-links.js';
import { mayBeForeign } from '../../runtime/store/store-ownership.js';
import type { Result } from '../result.js';
import type { Execution } from '../runs.js';
import { begin } from './execute.js';

/** Whether a store may be one in which nothing starts: a run that begins in a store of somebody else could not be resumed. */
export function mayRefuseStart(directory: string): boolean {
  return leadsElsewhere(directory) || mayBeForeign(directory);
}

/**
 * Resolves when the run has begun. `options` are complete: nothing is taken from a configuration. The caller has refused a
 * store of somebody else before it reported or prepared anything.
 */
export function startPrepared(
  directory: string,
  machine: Machine,
  options: Omit<RunOptions, 'dir'>,
): Promise<Result<Execution>> {
  return begin(
    (onStart) => run(machine, { ...options, dir: directory, onStart }),
    () => machine.name,
    options.onStart,
  );
}
