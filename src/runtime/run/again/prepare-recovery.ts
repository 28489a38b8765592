/** Prepares reading the record of a run: its first program, its inputs with their secrets, and what replaces secrets. */
import type { Json } from '../../../machine/expression.js';
import type { Machine } from '../../../machine/machine.js';
import { createRedactor, type Redactor } from '../../redact.js';
import { RunRefused } from '../../store/run-refused.js';
import { type StoredRun, storedMachine } from '../../store/stored-run.js';
import { type RunOptions, secretsOf } from '../run-options.js';

export interface RecoveryContext {
  /** The program with which the run started. */
  readonly machine: Machine;
  readonly inputs: Readonly<Record<string, Json>>;
  /** Null: nothing is secret. */
  readonly redactor: Redactor | null;
}

type Given = Pick<RunOptions, 'inputs' | 'env' | 'secrets'>;

/** For a run that will be executed: its secret inputs must be given again. Throws a `RunRefused` if one is missing. */
export function prepareRecovery(stored: StoredRun, given: Given): RecoveryContext {
  const machine = storedMachine(stored, stored.about.digest);
  return contextOf(machine, recordedInputs(stored, machine, given.inputs ?? {}), given);
}

/** For a record that is only read: secret inputs that are not given stay replaced. */
export function recoveryContextOf(stored: StoredRun, given: Given): RecoveryContext {
  const machine = storedMachine(stored, stored.about.digest);
  return contextOf(machine, { ...stored.about.inputs, ...given.inputs }, given);
}

function contextOf(machine: Machine, inputs: RecoveryContext['inputs'], given: Given): RecoveryContext {
  return { machine, inputs, redactor: createRedactor(secretsOf(machine, { ...given, inputs })) };
}

/** Inputs as they are on record. Secret ones come from the caller that resumes the run. */
function recordedInputs(
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
