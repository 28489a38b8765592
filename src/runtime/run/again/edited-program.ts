/** Resumes a run in an edited program: moves the run there, with what is done, and stores the program with it. */
import { join } from 'node:path';
import type { KeptOutcomes, Outcome } from '../../../interpreter/events/event.js';
import type { FinishedEffect, RepeatedInstruction } from '../../../interpreter/record/kept-effects.js';
import { migrateRun } from '../../../interpreter/record/migrate.js';
import { link, type Run } from '../../../interpreter/run.js';
import type { Machine } from '../../../machine/machine.js';
import { digestOf } from '../../store/machine-digest.js';
import { writeOwn } from '../../store/own-file.js';
import { journalStart } from '../../store/read-journal.js';
import { RunRefused } from '../../store/run-refused.js';
import { storeError } from '../../store/store-error.js';
import { machineFile, type RunAbout, type StoredRun } from '../../store/stored-run.js';
import { type Discarded, discardedRanges } from './discarded-ranges.js';
import { keptWithTexts } from './recover.js';
import { readCounted } from './search-record.js';

interface Moving {
  /** Whether what the run waits for has failed before. */
  readonly failed: boolean;
  /** The path of the edited program, for messages. */
  readonly file?: string | undefined;
  /** What of the record does not count; null: all of it counts. */
  readonly discarded: Discarded | null;
}

/** The effects of a run that ended and still count. */
function finishedEffects({ journal }: StoredRun, discarded: Discarded | null): FinishedEffect[] {
  const open = new Map<string, Omit<FinishedEffect, 'outcome'>>();
  const finished = new Map<string, FinishedEffect>();
  let began: string[] = [];
  const end = (effect: string, outcome: Outcome): void => {
    const one = open.get(effect);
    if (one !== undefined) finished.set(effect, { ...one, outcome });
  };
  readCounted(journal, discardedRanges(journal, discarded, journalStart), {
    take: (_, event) => {
      switch (event.type) {
        case 'state_entered':
          for (const effect of began) {
            const [one, ended] = [open.get(effect), finished.get(effect)];
            if (one !== undefined) open.set(effect, { ...one, isCurrent: false });
            if (ended !== undefined) finished.set(effect, { ...ended, isCurrent: false });
          }
          began = [];
          return;
        case 'effect_requested': {
          const { effect, kind, text, state, line, args, prompt, undo } = event;
          finished.delete(effect);
          if (undo) return;
          const values = JSON.stringify(args ?? prompt ?? null);
          open.set(effect, { effect, kind, text, location: { state, line }, args: values, isCurrent: true });
          began.push(effect);
          return;
        }
        case 'asked': {
          const { effect, name } = event;
          open.set(effect, { effect, kind: 'ask', text: name, location: null, args: name, isCurrent: true });
          began.push(effect);
          return;
        }
        case 'answered':
          end(event.effect, { kind: 'value', value: event.value });
          return;
        case 'effect_settled':
          if (event.stopped !== true) end(event.effect, event.outcome);
          return;
        default:
      }
    },
  });
  return [...finished.values()];
}

interface Migrated {
  readonly run: Run;
  /** What it takes over where the program has moved it, as it is recorded. */
  readonly kept: readonly KeptOutcomes[];
  readonly repeated: readonly RepeatedInstruction[];
}

/** The run in another program. Throws a `RunRefused` that lists what this program lacks. */
export function migrateToEdited(
  run: Run,
  machine: Machine,
  stored: StoredRun,
  { failed, file, discarded }: Moving,
): Migrated {
  const runId = stored.about.run_id;
  const linked = link(machine);
  const found = migrateRun(run, linked, { failed, finished: finishedEffects(stored, discarded) });
  if ('run' in found) {
    const { kept, repeated } = found;
    if (kept.length === 0) return { run: found.run, kept, repeated };
    const whole = kept.map((one) => keptWithTexts(stored, one));
    const migrated = migrateRun(run, linked, { failed, kept: whole });
    if ('run' in migrated) return { run: migrated.run, kept, repeated };
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
