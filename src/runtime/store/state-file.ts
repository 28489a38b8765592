/**
 * `state.json`: what a run knows now, flat and sorted, for people and other programs. It is written after every attempt
 * of a step, when a state is entered and when the run stops; but for the first of these not more often than a person
 * could look: a file for every turn of a loop would cost more than the loop.
 */
import type { RunEvent } from '../../interpreter/events/event.js';
import type { Run } from '../../interpreter/run.js';
import type { UndoEntry } from '../../interpreter/run-state/undo-entry.js';
import { runTotal } from '../../interpreter/steps/read-keys.js';
import { undoFacts } from '../../interpreter/undo/register.js';
import type { Json } from '../../machine/expression.js';
import type { Redactor } from '../redact.js';
import type { RunFolder } from './store.js';

const EVERY_MS = 250;

/** Events after which the file says something else. */
const SHOWN: ReadonlySet<RunEvent['type']> = new Set([
  'state_entered',
  'tracked_set',
  'state_set',
  'gate_result',
  'retry_triggered',
  'step_completed',
]);

/** Events that end an attempt: whoever finds the run killed reads there how far it came. */
const AT_ONCE: ReadonlySet<RunEvent['type']> = new Set(['retry_triggered', 'step_completed']);

export interface StateFile {
  /** Looks for events that change what the file says. */
  note(events: readonly RunEvent[]): void;
  /** Writes when an attempt has ended, or when something changed and the last write is long enough ago. */
  now(run: Run): void;
  /** The same, but comes back to it when it is too early. */
  later(run: Run): void;
  /** Writes the last state of the run. */
  last(run: Run): void;
}

export function stateFile(folder: RunFolder, redactor: Redactor | null): StateFile {
  let changed = true;
  let urgent = false;
  let written = 0;
  let timer: ReturnType<typeof setTimeout> | null = null;
  const write = (run: Run): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    changed = false;
    urgent = false;
    written = Date.now();
    const { inputs, tracked, data, steps, undo } = run;
    folder.writeState(flatState({ inputs, tracked, data, keys: steps.keys, undo: undo.entries }, redactor));
    if (run.linked.machine.workflow === 'older') folder.writeStateBag(stateBag(run, redactor));
  };
  return {
    note(events) {
      changed ||= events.some(({ type }) => SHOWN.has(type));
      urgent ||= events.some(({ type }) => AT_ONCE.has(type));
    },
    now(run) {
      if (urgent || (changed && Date.now() - written >= EVERY_MS)) write(run);
    },
    later(run) {
      if (!changed || timer !== null) return;
      timer = setTimeout(() => {
        try {
          write(run);
        } catch {
          // The journal reports a full disk; this file can be computed from it.
        }
      }, EVERY_MS);
      timer.unref();
    },
    last: write,
  };
}

/** What of a run is shown by flat keys. */
export interface FlatRun {
  readonly inputs: Readonly<Record<string, Json>>;
  readonly tracked: Readonly<Record<string, Json>>;
  readonly data: { readonly written: Readonly<Record<string, Json>> };
  /** What steps wrote. */
  readonly keys: ReadonlyMap<string, string>;
  readonly undo?: readonly UndoEntry[];
}

/** What the run knows, by flat keys: inputs, tracked variables, data that was written, and the keys of steps. */
export function flatState(run: FlatRun, redactor: Redactor | null): Record<string, Json> {
  const flat: Record<string, Json> = {};
  const add = (prefix: string, values: Readonly<Record<string, Json>>): void => {
    for (const [name, value] of Object.entries(values))
      flat[`${prefix}.${name}`] = redactor === null ? value : redactor.value(value);
  };
  add('input', run.inputs);
  add('track', run.tracked);
  for (const [name, value] of Object.entries(run.data.written))
    flat[name] = redactor === null ? value : redactor.value(value);
  for (const [key, value] of run.keys) flat[key] = redactor === null ? value : redactor.value(value);
  const entries = run.undo ?? [];
  const undo = undoFacts(entries) as unknown as Json;
  if (entries.length > 0) flat.undo = redactor === null ? undo : redactor.value(undo);
  return flat;
}

const RUN_TOTALS = ['cost', 'duration', 'tokens_in', 'tokens_out', 'retries', 'status'] as const;

/** The same keys as workflow files of the older dialect know them: fields by the path of their step, and totals of the run. */
function stateBag(run: Run, redactor: Redactor | null): Record<string, Json> {
  const entries: Record<string, Record<string, Json>> = {};
  for (const [key, value] of run.steps.keys) {
    if (key.startsWith('prev.')) continue;
    const dot = key.indexOf('.');
    const path = key.slice(0, dot);
    const fields = entries[path] ?? {};
    fields[key.slice(dot + 1)] = redactor === null ? value : redactor.value(value);
    entries[path] = fields;
  }
  return { entries, run: Object.fromEntries(RUN_TOTALS.map((field) => [field, runTotal({ run }, field)])) };
}
