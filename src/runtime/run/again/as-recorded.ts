/**
 * The state of a recovered run according to its record. Recovery advances a run by several events at once, so after an
 * event in between the run is ahead of its record. The difference is taken back here.
 */
import type { RunError, RunEvent, Waiting } from '../../../interpreter/events/event.js';
import { countsAsEffect, endsRun } from '../../../interpreter/events/status-after.js';
import { failureSoFar } from '../../../interpreter/plan/plan-report.js';
import type { Run } from '../../../interpreter/run.js';
import { RunData } from '../../../interpreter/run-state/run-data.js';
import { REPORTED_STATES } from '../../../interpreter/run-state/trail.js';
import { boundValues } from '../../../interpreter/values/bound-values.js';
import { fromRecord, type Printed } from '../../../interpreter/values/json.js';
import type { Json } from '../../../machine/expression.js';
import type { OutputMethod } from '../../../machine/plan.js';
import { omitUndefined } from '../../../prelude/omit-undefined.js';
import { readReference } from '../../../prelude/reference.js';
import { CountedEvents } from '../../record/counted-events.js';
import type { JournalRecord } from '../../store/journal-line.js';
import { type JournalPosition, readUntil } from '../../store/read-journal.js';
import type { FlatRun } from '../../store/state-file.js';

/** What a run had after an event: what is not found after that event has not changed since. */
export interface RecordedBase {
  readonly position: JournalPosition;
  readonly tracked: Readonly<Record<string, Json>>;
  readonly printed_tracked?: Printed | undefined;
  readonly states: readonly string[];
}

/** A part of a record: after `base`, or from its first event, until the last event that counts. */
interface RecordPart {
  readonly journal: string;
  readonly base: RecordedBase | null;
  readonly seq: number;
}

/** The part of a run's state that follows from its events alone. */
export interface RecordedState {
  readonly state: string | null;
  readonly states: readonly string[];
  readonly states_total: number;
  readonly tracked: Readonly<Record<string, Json>>;
  readonly printed_tracked?: Printed;
  readonly returned: Json;
  readonly printed_returned?: string;
  readonly error: RunError | null;
  readonly effects: number;
  readonly waiting: readonly Waiting[];
  /** Entry values and locals; empty if the run has already left the state. */
  readonly bound: Readonly<Record<string, Json>>;
  readonly printed_bound?: Printed;
  /** What was written into the data of the run, by path. */
  readonly data: FlatRun['data'];
}

/** `ahead`: the events that the run made and that do not count. `seq`: the last event that counts. */
export function asRecorded(run: Run, ahead: readonly RunEvent[], record: RecordPart): RecordedState {
  const entered = ahead.filter(({ type }) => type === 'state_entered').length;
  const changed = new Set(ahead.flatMap((event) => (event.type === 'tracked_set' ? [event.name] : [])));
  const hasWritten = ahead.some(({ type }) => type === 'state_set');
  const counted: CountedRecords = new CountedEvents(
    ...(entered > 0 ? (['state_entered'] as const) : []),
    ...(changed.size > 0 ? (['tracked_set'] as const) : []),
    ...(hasWritten ? (['state_set'] as const) : []),
  );
  // Data is written from the first event on; what else there was is known at the base.
  const base = hasWritten ? null : record.base;
  const take = (one: JournalRecord): void => {
    if (one.event.type !== 'tracked_set' || changed.has(one.event.name)) counted.take(one);
  };
  if (entered > 0 || changed.size > 0 || hasWritten) readUntil(record.journal, record.seq, take, base?.position);
  const states = entered > 0 ? statesAt(run, counted, base) : run.states;
  const over = ahead.some(endsRun);
  const result = over ? null : run.result;
  const begun = new Set(ahead.flatMap((event) => ('effect' in event ? [event.effect] : [])));
  const open = [...run.pending.values()].filter(({ effect }) => !begun.has(effect));
  return {
    state: result?.state ?? states[states.length - 1] ?? null,
    states,
    states_total: run.statesTotal - entered,
    ...trackedBefore(run, changed, counted, base),
    returned: result?.value ?? null,
    ...omitUndefined({ printed_returned: result?.printed }),
    error: result?.error ?? (over ? null : failureSoFar(run)),
    effects: run.usage.effects - ahead.filter(countsAsEffect).length,
    waiting: open.flatMap(({ waiting }) => (waiting === null ? [] : [waiting])),
    ...(entered > 0 ? { bound: {} } : boundValues(run)),
    data: hasWritten ? dataAt(counted) : run.data,
  };
}

type CountedRecords = CountedEvents<'state_entered' | 'tracked_set' | 'state_set'>;

/** `changed`: the variables that the run has changed since. */
function trackedBefore(
  run: Run,
  changed: ReadonlySet<string>,
  { all }: CountedRecords,
  base: RecordedBase | null,
): Pick<RecordedState, 'tracked' | 'printed_tracked'> {
  const { tracked, printedTracked: printed_tracked } = run;
  if (changed.size === 0) return { tracked, ...omitUndefined({ printed_tracked }) };
  const before = new Map<string, { readonly value: Json; readonly printed: string | undefined }>();
  for (const [name, value] of Object.entries(base?.tracked ?? {}))
    before.set(name, { value, printed: base?.printed_tracked?.[name] });
  for (const { event } of all)
    if (event.type === 'tracked_set') before.set(event.name, { value: event.value, printed: event.printed });
  const kept = Object.entries(tracked).filter(([name]) => !changed.has(name) || before.has(name));
  const texts = kept.flatMap(([name]) => {
    const text = changed.has(name) ? before.get(name)?.printed : printed_tracked?.[name];
    return text === undefined ? [] : [[name, text] as const];
  });
  return {
    tracked: Object.fromEntries(
      kept.map(([name, value]) => [name, changed.has(name) ? (before.get(name)?.value ?? null) : value]),
    ),
    ...(texts.length === 0 ? {} : { printed_tracked: Object.fromEntries(texts) }),
  };
}

/** The last states that were entered until an event: the run may have kept none of them, since it entered many more. */
function statesAt(run: Run, { all }: CountedRecords, base: RecordedBase | null): string[] {
  const names = new Set(run.linked.machine.states.map(({ name }) => name));
  const entered = all.flatMap(({ event }) => (event.type === 'state_entered' ? [event.state] : []));
  return [...(base?.states ?? []), ...entered].filter((state) => names.has(state)).slice(-REPORTED_STATES);
}

/** The data after an event, rebuilt from everything that was written until then. */
function dataAt({ all }: CountedRecords): RunData {
  const data = new RunData();
  for (const { event } of all) {
    const reference = event.type === 'state_set' ? readReference(`†${event.path}`) : null;
    if (event.type !== 'state_set' || !reference?.ok || reference.expr.kind !== 'reference') continue;
    const { path } = reference.expr;
    const method = (event.method ?? null) as OutputMethod | null;
    const value = fromRecord(event.value, event.printed);
    if (data.refusal(path, value, method) === null) data.write(path, value, method);
  }
  return data;
}
