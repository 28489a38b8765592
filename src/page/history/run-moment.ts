/**
 * A run as it was after an event, from its events alone: for a reader that has only the record. Values that instructions
 * bound without an event are not known here; entry values, answers, tracked variables and data are.
 */
import type { RunError, Waiting } from '../../interpreter/events/event.js';
import type { EndStatus } from '../../interpreter/events/status-after.js';
import type { Printed } from '../../interpreter/values/json.js';
import type { Json } from '../../machine/expression.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { CountedEvents } from '../../runtime/record/counted-events.js';
import type { Recorded } from '../../runtime/record/record-facts.js';
import { RunModel } from '../../runtime/record/run-model.js';
import type { RecordedStep } from '../../runtime/record/step-stories.js';

/** Members as `show --json` has them. */
export interface RunMoment {
  readonly seq: number;
  readonly at: string;
  readonly status: 'running' | EndStatus;
  readonly state: string | null;
  readonly states: readonly string[];
  readonly states_total: number;
  readonly tracked: Readonly<Record<string, Json>>;
  readonly bound: Readonly<Record<string, Json>>;
  /** The JSON text of values with a number that was written differently, such as `1.10`. */
  readonly printed_tracked?: Printed;
  readonly printed_bound?: Printed;
  readonly printed_returned?: string;
  readonly returned: Json;
  readonly error: RunError | null;
  readonly waiting: readonly Waiting[];
  /** Null if agents ran and none of them reported its cost. */
  readonly cost: number | null;
  readonly effects: number;
  readonly duration_ms: number;
  readonly steps: readonly RecordedStep[];
}

const MOST_STATES = 1000;

/** The run after the event with this number; null before the first one. `records`: from the first event on, in order. */
export function momentAt(records: readonly Recorded[], seq: number): RunMoment | null {
  const run = new RunModel({ keeps: () => false });
  const values = new CountedEvents('state_entered', 'answered', 'tracked_set');
  for (const record of records) {
    if (record.seq > seq) break;
    run.take(record);
    values.take(record);
  }
  if (run.seq === 0) return null;
  const { states, result } = run;
  const returned = result?.type === 'run_returned' ? result : null;
  return {
    ...{ state: states.at(-1) ?? null, states: states.slice(-MOST_STATES), states_total: states.length },
    ...valuesOf(values),
    returned: returned?.value ?? null,
    error: result?.type === 'run_failed' ? result.error : null,
    effects: run.effects,
    ...omitUndefined({ printed_returned: returned?.printed }),
    waiting: run.waiting.map(({ waiting }) => waiting),
    steps: run.steps.list(),
    seq: run.seq,
    at: run.at,
    status: run.status,
    cost: run.cost,
    duration_ms: run.copiedMs + run.time.ms,
  };
}

const anyOf = (printed: Printed): Printed | undefined => (Object.keys(printed).length === 0 ? undefined : printed);

function valuesOf({ all }: CountedEvents<'state_entered' | 'answered' | 'tracked_set'>) {
  const tracked: Record<string, Json> = {};
  let bound: Record<string, Json> = {};
  const printedTracked: Record<string, string> = {};
  let printedBound: Printed = {};
  for (const { event } of all) {
    if (event.type === 'state_entered') [bound, printedBound] = [{ ...event.with }, event.printed ?? {}];
    else if (event.type === 'answered') bound[event.name] = event.value;
    else {
      tracked[event.name] = event.value;
      delete printedTracked[event.name];
      if (event.printed !== undefined) printedTracked[event.name] = event.printed;
    }
  }
  return {
    ...{ tracked, bound },
    ...omitUndefined({ printed_tracked: anyOf(printedTracked), printed_bound: anyOf(printedBound) }),
  };
}
