/**
 * What recovery needs of a stored run, and how a run continues in an edited program: it is moved there, with what is
 * done, and the program is stored with it.
 */
import { join } from 'node:path';
import type { KeptOutcomes } from '../../../interpreter/events/event.js';
import { PastExecutions } from '../../../interpreter/record/earlier-executions.js';
import { FinishedEffects } from '../../../interpreter/record/finished-work.js';
import type { RepeatedInstruction } from '../../../interpreter/record/kept-effects.js';
import type { FinishedWork } from '../../../interpreter/record/kept-locations.js';
import { migrateRun } from '../../../interpreter/record/migrate.js';
import { link, type Run } from '../../../interpreter/run.js';
import type { Json } from '../../../machine/expression.js';
import type { Machine } from '../../../machine/machine.js';
import type { Discarded } from '../../record/counted-events.js';
import { createRedactor, type Redactor } from '../../redact.js';
import { digestOf } from '../../store/image.js';
import { writeOwn } from '../../store/own-file.js';
import { journalStart } from '../../store/read-journal.js';
import { RunRefused, storeError } from '../../store/store-error.js';
import { machineFile, type RunAbout, type StoredRun, storedMachine } from '../../store/stored-run.js';
import { type RunOptions, secretsOf } from '../run-options.js';
import { keptWithTexts, recoverRun } from './recover.js';
import { discardedRanges, readCounted } from './search-record.js';

interface RebasedRecovery extends Pick<RecoveryContext, 'inputs' | 'redactor'> {
  /** Whether what the run waits for has failed before. */
  readonly failed: boolean;
  /** Whether what was inserted above what is open is executed first. */
  readonly inserted?: boolean;
  /** The path of the edited program, for messages. */
  readonly file?: string | undefined;
  /** What of the record does not count; null: all of it counts. */
  readonly discarded: Discarded | null;
}

/** What a run has done that still counts. */
function finishedOf(stored: StoredRun, { inputs, redactor, discarded }: RebasedRecovery): FinishedWork {
  const executions = new PastExecutions();
  recoverRun(stored, {
    ...{ inputs, redactor, discarded, whole: true },
    linkedOf: (machine) => executions.observe(link(machine)),
  });
  executions.finish();
  const effects = new FinishedEffects();
  readCounted(stored.journal, discardedRanges(stored.journal, discarded, journalStart), {
    take: (_, event) => effects.take(event),
  });
  return effects.work(executions);
}

interface Migrated {
  readonly run: Run;
  /** What it takes over where the program has moved it, as it is recorded. */
  readonly kept: readonly KeptOutcomes[];
  readonly repeated: readonly RepeatedInstruction[];
  readonly leftOut: readonly RepeatedInstruction[];
}

/** The run in another program. Throws a `RunRefused` that lists what this program lacks. */
export function migrateToEdited(run: Run, machine: Machine, stored: StoredRun, moving: RebasedRecovery): Migrated {
  const { failed, inserted, file } = moving;
  const runId = stored.about.run_id;
  const linked = link(machine);
  const found = migrateRun(run, linked, { failed, inserted, finished: finishedOf(stored, moving) });
  if ('run' in found) {
    const { kept, repeated, leftOut } = found;
    if (kept.length === 0) return { run: found.run, kept, repeated, leftOut };
    const whole = kept.map((one) => keptWithTexts(stored, one));
    const migrated = migrateRun(run, linked, { failed, inserted, kept: whole });
    if ('run' in migrated) return { run: migrated.run, kept, repeated, leftOut };
  }
  const migrated = found as Exclude<typeof found, { readonly run: Run }>;
  const from = lastEntry(run, machine);
  const { input } = migrated;
  if (input !== null)
    throw new RunRefused(
      'wrong-use',
      `the run cannot be resumed in the edited program, because it lacks ${migrated.missing.join('; ')}`,
      `give it a default: \`INPUT: ${input} = …\``,
    );
  throw new RunRefused(
    'wrong-use',
    `the run cannot be resumed in the edited program, because it lacks ${migrated.missing.join('; ')}`,
    from === null
      ? 'restore what is missing, or start a new run'
      : `start a new run from a state: \`statedsl replay ${runId} --from ${from} --from-file ${file ?? 'FILE'}\``,
  );
}

/** The last state that the program still has, with the number of the entry if it was entered more than once. */
function lastEntry({ states }: Run, machine: Machine): string | null {
  const name = states.findLast((one) => machine.states.some((state) => state.name === one));
  if (name === undefined) return null;
  const times = states.filter((one) => one === name).length;
  return times > 1 ? `${name}#${times}` : name;
}

/** Stores the program in which a run continues. `path`: the folder of the run. Throws a `StoreError`. */
export function keepMachine(about: RunAbout, path: string, machine: Machine): void {
  const file = join(path, machineFile(about, digestOf(machine)));
  try {
    writeOwn(file, `${JSON.stringify(machine)}\n`, 'w', true);
  } catch (cause) {
    throw storeError('write', file, cause);
  }
}

/** What reading the record of a run needs. */
export interface RecoveryContext {
  /** The program with which the run started. */
  readonly machine: Machine;
  readonly inputs: Readonly<Record<string, Json>>;
  /** Null: nothing is secret. */
  readonly redactor: Redactor | null;
}

type SecretSources = Pick<RunOptions, 'inputs' | 'env' | 'secrets'>;

/** For a run that will be executed: its secret inputs must be given again. Throws a `RunRefused` if one is missing. */
export function prepareRecovery(stored: StoredRun, given: SecretSources): RecoveryContext {
  const machine = storedMachine(stored, stored.about.digest);
  return contextOf(machine, recordedInputs(stored, machine, given.inputs ?? {}), given);
}

/** For a record that is only read: secret inputs that are not given stay replaced. */
export function recoveryContextOf(stored: StoredRun, given: SecretSources): RecoveryContext {
  const machine = storedMachine(stored, stored.about.digest);
  return contextOf(machine, { ...stored.about.inputs, ...given.inputs }, given);
}

function contextOf(machine: Machine, inputs: RecoveryContext['inputs'], given: SecretSources): RecoveryContext {
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
        'start a new run with it: `statedsl run FILE -i NAME=…`; only secret inputs are given again',
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
