/** The same machine with other inputs, or with longer lists: what is dead only without them is not a defect. */

import type { Exploration } from './exploration.js';
import { explore } from './explore.js';
import { exploreOptions, type VerifyOptions } from './explore-options.js';

/** With any value of inputs that are given or have a default, and without what is assumed; none: that changes nothing. */
export function withOtherInputs({ machine, stoppedBy, nodes }: Exploration, given: VerifyOptions): Exploration[] {
  const { assumptions = [], inputs, ...options } = given;
  const fixed = machine.inputs.filter(
    ({ name, value, optional, choices }) =>
      Object.hasOwn(inputs, name) ||
      ((value !== undefined || optional === true) && choices === undefined && !options.free.has(name)),
  );
  if (stoppedBy !== null || (fixed.length === 0 && assumptions.length === 0)) return [];
  const free = new Set([...options.free, ...fixed.map(({ name }) => name)]);
  const maxConfigurations = Math.min(options.maxConfigurations, 2 * nodes.length + 1000);
  return [explore(machine, { ...exploreOptions(machine, { ...options, inputs: {} }, free), maxConfigurations })];
}

/** The longest list that is explored because the program compares something with its length. */
const MOST_ELEMENTS = 12;

/** With lists as long as the numbers of the program suggest; none: lists of unknown length do not matter. */
export function withLongerLists(
  { machine, options, lists, nodes, stoppedBy }: Exploration,
  seconds: number,
): Exploration[] {
  if (stoppedBy !== null || lists.size === 0) return [];
  const numbers = numbersIn(machine.states.map(({ code }) => code)).filter((one) => one <= MOST_ELEMENTS - 1);
  const longest = Math.max(options.longest, ...numbers) + 1;
  const maxConfigurations = Math.min(options.maxConfigurations, 4 * nodes.length + 1000);
  return [explore(machine, { ...options, longest, maxConfigurations, seconds })];
}

/** The constants of expressions. */
function numbersIn(value: unknown): number[] {
  if (Array.isArray(value)) return value.flatMap(numbersIn);
  if (typeof value !== 'object' || value === null) return [];
  const { op, value: constant } = value as { readonly op?: unknown; readonly value?: unknown };
  if (op === 'const') return typeof constant === 'number' ? [Math.ceil(Math.abs(constant))] : [];
  return Object.values(value).flatMap(numbersIn);
}
