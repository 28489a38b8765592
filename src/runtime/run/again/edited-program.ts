/** Resumes a run in an edited program: moves the run there and stores the program with it. */
import { join } from 'node:path';
import { migrateRun } from '../../../interpreter/record/migrate.js';
import { link, type Run } from '../../../interpreter/run.js';
import type { Machine } from '../../../machine/machine.js';
import { digestOf } from '../../store/machine-digest.js';
import { writeOwn } from '../../store/own-file.js';
import { RunRefused } from '../../store/run-refused.js';
import { storeError } from '../../store/store-error.js';
import { machineFile, type RunAbout } from '../../store/stored-run.js';

interface Moving {
  readonly runId: string;
  /** Whether what the run waits for has failed before. */
  readonly failed: boolean;
  /** The path of the edited program, for messages. */
  readonly file?: string | undefined;
}

/** The run in another program. Throws a `RunRefused` that lists what this program lacks. */
export function migrateToEdited(run: Run, machine: Machine, { runId, failed, file }: Moving): Run {
  const migrated = migrateRun(run, link(machine), failed);
  if ('run' in migrated) return migrated.run;
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
