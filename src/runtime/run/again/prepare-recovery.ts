/** Prepares reading the record of a run: its first program, its inputs with their secrets, and what replaces secrets. */
import type { Json } from '../../../machine/expression.js';
import type { Machine } from '../../../machine/machine.js';
import { createRedactor, type Redactor } from '../../redact.js';
import { recordedInputs } from '../../store/recorded-inputs.js';
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
