/** The pictures of a program that is shown with a run of it: its states or steps, and each of its plans. */
import type { Machine } from '../../machine/machine.js';
import type { Picture } from '../picture/picture.js';
import { machinesPicture } from './machine-picture.js';
import { planPicture } from './plan-picture.js';

export interface RunPicture {
  /** The name of the plan; null: the states or steps of the program. */
  readonly plan: string | null;
  readonly title: string;
  readonly picture: Picture;
}

/** Whether the program is nothing but a plan. */
export function mainPlan({ states }: Machine): string | null {
  for (const { code } of states)
    for (const instruction of code) if (instruction.op === 'plan' && instruction.main === true) return instruction.plan;
  return null;
}

/** The one that is shown first comes first. */
export function runPictures(machine: Machine, options: { readonly failures: boolean }): RunPicture[] {
  const plans = Object.entries(machine.plans ?? {}).map(([name, plan]) => ({
    plan: name,
    title: name,
    picture: planPicture(plan, { values: true }),
  }));
  const main = mainPlan(machine);
  if (main !== null) return [...plans].sort((a, b) => Number(b.plan === main) - Number(a.plan === main));
  return [{ plan: null, title: machine.name, picture: machinesPicture([machine], options) }, ...plans];
}
