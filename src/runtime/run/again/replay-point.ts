/**
 * The point of an old run at which a new run starts, as users name it: an event by its number, a state by the number of its
 * entry, or a step by its attempt.
 */
import { RunModel } from '../../record/run-model.js';
import { readJournal, readToDamage, readUntil } from '../../store/read-journal.js';
import { RunRefused } from '../../store/store-error.js';
import type { StoredRun } from '../../store/stored-run.js';

/**
 * The first event that is not taken over, or the name of a state or step. `entry` counts the entries of the state, or the
 * attempts of the step, from 1.
 */
export type ReplayPoint = number | { readonly state: string; readonly entry: number };

/** The number of the first event that is not taken over. Throws a `RunRefused`. */
export function eventAt(stored: StoredRun, point: ReplayPoint): number {
  if (typeof point === 'number') return requireEvent(stored, point);
  const { state: name, entry } = point;
  const model = new RunModel({ keeps: () => false });
  /** By path, and by attempt: the first time. */
  const steps = new Map<string, Map<number, number>>();
  const damage = readToDamage(stored.journal, (record) => {
    const { seq, event } = record;
    model.take(record);
    if (event.type === 'step_started' && isCalled(event.step, name)) {
      const attempts = steps.get(event.step) ?? new Map<number, number>();
      if (!attempts.has(event.attempt)) attempts.set(event.attempt, seq);
      steps.set(event.step, attempts);
    }
    return true;
  });
  const states = model.visits.flatMap(({ entered, state, seq }) => (entered && state === name ? [seq] : []));
  // What was not found may come after the damage.
  if (damage !== null && states[entry - 1] === undefined && steps.size === 0) throw damage;
  if (states.length > 0 || steps.size === 0) return eventOfEntry(states, name, entry);
  const paths = [...steps.keys()].sort();
  const path = steps.has(name) ? name : paths.length === 1 ? paths[0] : undefined;
  if (path === undefined) {
    const list = paths.map((one) => `\`${one}\``).join(', ');
    throw new RunRefused('wrong-use', `the run has ${paths.length} steps \`${name}\``, `write one of ${list}`);
  }
  const attempts = steps.get(path) as Map<number, number>;
  const found = attempts.get(entry);
  if (found !== undefined) return found;
  if (damage !== null) throw damage;
  const number = `${attempts.size} ${attempts.size === 1 ? 'attempt' : 'attempts'}`;
  throw new RunRefused('wrong-use', `the step \`${path}\` had ${number}`, 'list the steps: `statedsl report`');
}

/** Steps may be named without their enclosing steps. */
function isCalled(path: string, name: string): boolean {
  return path === name || path.endsWith(`/${name}`);
}

function eventOfEntry(states: readonly number[], name: string, entry: number): number {
  const found = states[entry - 1];
  if (found !== undefined) return found;
  const times = states.length === 1 ? 'once' : `${states.length} times`;
  throw new RunRefused(
    'wrong-use',
    states.length === 0 ? `the run never entered \`${name}\`` : `the run entered \`${name}\` ${times}`,
    'list its states: `statedsl show`',
  );
}

function requireEvent({ journal }: StoredRun, seq: number): number {
  if (seq >= 2) {
    let before = 0;
    readUntil(journal, seq - 1, (record) => {
      before = record.seq;
    });
    if (before === seq - 1) return seq;
  }
  const last = readJournal(journal, () => true).seq;
  throw new RunRefused(
    'wrong-use',
    `the run has no event ${seq} to start from`,
    `its events are numbered 2 to ${last}`,
  );
}
