/** What the steps of a run leave in its snapshot: their keys, how they stand, and the budgets that they share. */

import type { UsedBudget } from '../run-state/frame.js';
import type { Run } from '../run-state/run.js';
import type { StepRecord } from '../run-state/run-options.js';

export interface SteppingImage {
  readonly keys: readonly (readonly [string, string])[];
  readonly steps: readonly StepRecord[];
  readonly budgets: readonly (readonly [string, UsedBudget])[];
  readonly granted: readonly string[];
  readonly reserved: number;
  readonly firstClockMs: number;
  readonly lastClockMs: number;
}

export function steppingImage({
  keys,
  steps,
  budgets,
  granted,
  reserved,
  firstClockMs,
  lastClockMs,
}: Run): SteppingImage {
  return {
    keys: [...keys],
    steps: [...steps.values()],
    budgets: [...budgets],
    granted: [...granted],
    reserved,
    firstClockMs,
    lastClockMs,
  };
}

export function restoreStepping(run: Run, image: SteppingImage): void {
  for (const [key, value] of image.keys) run.keys.set(key, value);
  for (const step of image.steps) run.steps.set(step.path, step);
  for (const [prefix, used] of image.budgets) run.budgets.set(prefix, used);
  for (const one of image.granted) run.granted.add(one);
  const { reserved, firstClockMs, lastClockMs } = image;
  Object.assign(run, { reserved, firstClockMs, lastClockMs });
}
