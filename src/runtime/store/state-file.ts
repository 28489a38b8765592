/**
 * `state.json`: the current values of a run, flat and sorted, for people and other programs. It is written after every
 * attempt of a step, when the run enters a state and when it stops. Entering states writes it only at intervals, because
 * a file for every round of a loop would cost more than the loop. If there are many values, all writes have intervals: a
 * plan of 20,000 calls took four times as long with a file for each quarter of a second.
 */
import type { RunEvent } from '../../interpreter/events/event.js';
import type { Run } from '../../interpreter/run.js';
import type { UndoEntry } from '../../interpreter/run-state/undo-register.js';
import { runTotal } from '../../interpreter/steps/read-keys.js';
import { undoFacts } from '../../interpreter/undo/register.js';
import type { Printed } from '../../interpreter/values/json.js';
import type { Json } from '../../machine/expression.js';
import { clockMs } from '../clock.js';
import { type Redactor, redactNamed } from '../redact.js';
import type { RunFolder } from './store.js';

const EVERY_MS = 250;
/** Writing takes at most one part in so many of the time. */
const SHARE = 20;
/** So few values are written at once when an attempt ends, however busy the machine is. */
const FEW = 1000;

/** Events that change the content of the file. */
const SHOWN: ReadonlySet<RunEvent['type']> = new Set([
  'state_entered',
  'tracked_set',
  'state_set',
  'gate_result',
  'retry_triggered',
  'step_completed',
]);

/** Events that end an attempt: after a crash the file shows how far the run came. */
const AT_ONCE: ReadonlySet<RunEvent['type']> = new Set(['retry_triggered', 'step_completed']);

export interface StateFile {
  /** Notes whether events change the content of the file. */
  note(events: readonly RunEvent[]): void;
  /** Writes if something changed and the last write is long enough ago. */
  now(run: Run): void;
  /** As `write`, but writes later if it is too early now. */
  later(run: Run): void;
  /** Writes the final state of the run. */
  last(run: Run): void;
}

export function stateFile(
  folder: Pick<RunFolder, 'writeState' | 'writeStateBag'>,
  redactor: Redactor | null,
  clock: () => number = clockMs,
): StateFile {
  let changed = true;
  let urgent = false;
  let written = Number.NEGATIVE_INFINITY;
  let tookMs = 0;
  let areFew = true;
  /** Until the next write may begin. */
  const restMs = (): number => {
    const pauseMs = urgent && areFew ? 0 : Math.max(EVERY_MS, tookMs * SHARE);
    return Math.max(0, written + pauseMs - clock());
  };
  let timer: ReturnType<typeof setTimeout> | null = null;
  const write = (run: Run): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    changed = false;
    urgent = false;
    const begun = clock();
    const { inputs, tracked, data, steps, undo } = run;
    const { printedInputs: printed_inputs, printedTracked: printed_tracked } = run;
    const flat = { inputs, printed_inputs, tracked, printed_tracked, data, keys: steps.keys, undo: undo.entries };
    const { values, printed } = flatState(flat, redactor);
    areFew = Object.keys(values).length <= FEW;
    folder.writeState(values, printed);
    if (run.linked.machine.workflow === 'older') folder.writeStateBag(stateBag(run, redactor));
    written = clock();
    tookMs = written - begun;
  };
  return {
    note(events) {
      changed ||= events.some(({ type }) => SHOWN.has(type));
      urgent ||= events.some(({ type }) => AT_ONCE.has(type));
    },
    now(run) {
      if (changed && restMs() === 0) write(run);
    },
    later(run) {
      if (!changed || timer !== null) return;
      timer = setTimeout(
        () => {
          try {
            write(run);
          } catch {
            // The journal reports a full disk, and this file can be computed from it.
          }
        },
        Math.max(EVERY_MS, restMs()),
      );
      timer.unref();
    },
    last: write,
  };
}

/** The parts of a run that the file shows. */
export interface FlatRun {
  readonly inputs: Readonly<Record<string, Json>>;
  readonly printed_inputs?: Printed | undefined;
  readonly tracked: Readonly<Record<string, Json>>;
  readonly printed_tracked?: Printed | undefined;
  readonly data: { readonly written: Readonly<Record<string, Json>>; readonly printed?: Printed | undefined };
  /** The keys that steps wrote. */
  readonly keys: ReadonlyMap<string, string>;
  readonly undo?: readonly UndoEntry[];
}

/**
 * The values of a run by flat keys, sorted: inputs, tracked variables, data of plans, and the keys of steps; and the JSON
 * texts of those with a number that was written differently.
 */
export function flatState(
  run: FlatRun,
  redactor: Redactor | null,
): { readonly values: Readonly<Record<string, Json>>; readonly printed?: Printed | undefined } {
  const below = <T>(prefix: string, values: Readonly<Record<string, T>> = {}): (readonly [string, T])[] =>
    Object.entries(values).map(([name, value]) => [`${prefix}.${name}`, value]);
  const undo = run.undo ?? [];
  const flat: (readonly [string, Json])[] = [
    ...below('input', run.inputs),
    ...below('track', run.tracked),
    ...Object.entries(run.data.written),
    ...run.keys,
    ...(undo.length === 0 ? [] : [['undo', undoFacts(undo) as unknown as Json] as const]),
  ];
  const values = Object.fromEntries(flat.sort(([a], [b]) => (a < b ? -1 : 1)));
  const texts = [...below('input', run.printed_inputs), ...below('track', run.printed_tracked)];
  const all = [...texts, ...Object.entries(run.data.printed ?? {})];
  const printed = all.length === 0 ? undefined : Object.fromEntries(all);
  return redactor === null ? { values, printed } : redactNamed(values, printed, redactor.value);
}

const RUN_TOTALS = ['cost', 'duration', 'tokens_in', 'tokens_out', 'retries', 'status'] as const;

/** The same values by the keys of the older dialect of workflow files: fields by the path of their step, and totals. */
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
