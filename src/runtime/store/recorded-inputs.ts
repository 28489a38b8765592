/** The inputs of a run that is resumed. They are fixed from its start, except secret ones, which are not stored. */
import type { Json } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import { RunRefused } from './run-refused.js';
import type { StoredRun } from './stored-run.js';

/** Inputs as they are on record. Secret ones come from the caller that resumes the run. */
export function recordedInputs(
  { about }: StoredRun,
  machine: Machine,
  given: Readonly<Record<string, Json>>,
): Readonly<Record<string, Json>> {
  const secret = new Set(machine.inputs.filter((input) => input.secret === true).map(({ name }) => name));
  for (const name of Object.keys(given))
    if (!secret.has(name))
      throw new RunRefused(
        'wrong-use',
        `the input \`${name}\` cannot change after the run has started`,
        'pass only secret inputs again',
      );
  const inputs = { ...about.inputs, ...given };
  const missing = [...secret].filter(
    (name) => !Object.hasOwn(given, name) && JSON.stringify(inputs[name])?.includes('***'),
  );
  if (missing.length > 0)
    throw new RunRefused(
      'wrong-use',
      `the secret input ${missing.map((name) => `\`${name}\``).join(', ')} is not stored with the run`,
      `pass it again: ${missing.map((name) => `-i ${name}=…`).join(' ')}`,
    );
  return inputs;
}
