/** A run that goes on in an edited program: it is moved there, and the program is kept with it. */
import { join } from 'node:path';
import { migrateRun } from '../../../interpreter/record/migrate.js';
import { link, type Run } from '../../../interpreter/run.js';
import type { Machine } from '../../../machine/machine.js';
import { writeOwn } from '../../store/own-file.js';
import { storeError } from '../../store/store-error.js';
import { machineFile, type RunAbout, RunRefused } from '../../store/stored-run.js';
import { digestOf } from '../run-options.js';

/** The run in another program. Throws a `RunRefused` that lists what that program lacks. */
export function movedRun(run: Run, machine: Machine): Run {
  const migrated = migrateRun(run, link(machine));
  if ('run' in migrated) return migrated.run;
  throw new RunRefused(
    'wrong-use',
    `the run cannot go on in the edited program, which lacks ${migrated.missing.join(', ')}`,
    'put back what is missing, or begin a new run',
  );
}

/** Keeps the program that a run goes on in. `path`: the folder of that run. Throws a `StoreError`. */
export function keepMachine(about: RunAbout, path: string, machine: Machine): void {
  const file = join(path, machineFile(about, digestOf(machine)));
  try {
    writeOwn(file, `${JSON.stringify(machine)}\n`, 'w', true);
  } catch (cause) {
    throw storeError('write', file, cause);
  }
}
