/** What expectations can look at: a run that has ended, or a run at a point of virtual time. */
import type { RunEvent } from '../../interpreter/events/event.js';
import { fromRecord } from '../../interpreter/values/json.js';
import type { Json } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import { RunModel } from '../../runtime/record/run-model.js';
import type { RunReport } from '../../runtime/run/run-report.js';
import type { Call } from './test-world.js';

export interface TestedRun {
  /** Null: the run has not ended. */
  readonly report: RunReport | null;
  readonly events: readonly RunEvent[];
  readonly calls: readonly Call[];
  readonly states: readonly string[];
  /** Names of questions and signals that the run waits for. */
  readonly waiting: readonly string[];
  /** The names that a condition can use. */
  readonly values: Readonly<Record<string, Json>>;
  /** The text that a snapshot compares. */
  readonly snapshot: () => string;
}

interface FactSources {
  readonly report: RunReport | null;
  readonly events: readonly RunEvent[];
  readonly calls: readonly Call[];
  /** Milliseconds of virtual time. */
  readonly time: number;
  readonly row: Readonly<Record<string, Json>>;
  readonly inputs: Readonly<Record<string, Json>>;
  readonly machine: Machine;
}

export function factsOfRun(given: FactSources): TestedRun {
  const { report, calls } = given;
  // Later events must not change facts about an earlier moment.
  const events = [...given.events];
  const run = modelOf(events);
  const waiting =
    report === null
      ? run.waiting.flatMap(({ name }) => name ?? [])
      : report.waiting.flatMap(({ name, path }) => name ?? path?.replace(/^state\./, '') ?? []);
  return {
    report,
    events,
    calls: [...calls],
    states: run.states,
    waiting,
    values: valuesOf({ ...given, events }),
    snapshot: () => snapshotText(events),
  };
}

/** What events without times say: those of a test, or of a trace. */
export function modelOf(events: readonly RunEvent[]): RunModel {
  const run = new RunModel({ keeps: () => false });
  for (const [at, event] of events.entries()) run.take({ seq: at + 1, time: '', event });
  return run;
}

/** The values of a FAIL have their numbers as they were written. */
function errorOf(error: RunReport['error']): Json {
  if (error?.printed === undefined) return error as unknown as Json;
  const { printed, with: passed = {}, ...others } = error;
  const values = Object.entries(passed).map(([name, value]) => [
    name,
    fromRecord(value, Object.hasOwn(printed, name) ? printed[name] : undefined),
  ]);
  return { ...others, with: Object.fromEntries(values) } as unknown as Json;
}

/** The variables of the program win over the names of the run, and the row wins over both. */
function valuesOf({ report, events, time, row, inputs, machine }: FactSources): Record<string, Json> {
  const values: Record<string, Json> = { time: time / 1000 };
  if (report !== null) {
    values.returned = fromRecord(report.returned, report.printed_returned);
    values.error = errorOf(report.error);
    // Agents whose mocks name no cost have none.
    values.cost = report.cost ?? 0;
  }
  for (const { name, value, printed } of machine.inputs)
    if (value !== undefined) values[name] = fromRecord(value, printed);
  Object.assign(values, inputs);
  for (const event of events)
    if (event.type === 'tracked_set') values[event.name] = fromRecord(event.value, event.printed);
  return { ...values, ...row };
}

/** A run as the text of a snapshot: states, requests with their values, and events of the author; never a time or an id. */
export function snapshotText(events: readonly RunEvent[]): string {
  return events
    .flatMap((event) => lineOf(event) ?? [])
    .join('\n')
    .replaceAll('\r\n', '\n');
}

function lineOf(event: RunEvent): string | null {
  switch (event.type) {
    case 'state_entered':
      return `→ ${event.state}${fields(event.with ?? {}, ' with ', event.printed)}`;
    case 'effect_requested': {
      if (['clock', 'uuid', 'random', 'timer'].includes(event.kind)) return null;
      const args =
        event.args === undefined || event.args.length === 0
          ? ''
          : ` ${event.printed === undefined ? JSON.stringify(event.args) : `[${event.printed}]`}`;
      const prompt = event.prompt === undefined ? '' : markLines(`\n${event.prompt}`);
      return `  ${event.kind === 'agent' ? '@' : '$'} ${markLines(event.text)}${args}${prompt}`;
    }
    case 'emitted':
      if (event.by !== 'author') return null;
      return `EMIT ${event.event ?? ''}${fields(event.fields, ' ', event.printed)}${event.message === null ? '' : ` ${markLines(event.message)}`}`;
    case 'asked':
      return `  ? ${markLines(event.question)}`;
    case 'run_returned':
      return `RETURN ${event.printed ?? JSON.stringify(event.value)}`;
    case 'run_failed':
      return `FAILED ${event.error.kind}: ${markLines(event.error.message)}`;
    default:
      return null;
  }
}

/** Further lines are marked, so none looks like a heading of the file. */
const markLines = (text: string): string => text.replaceAll('\n', '\n    | ');

function fields(
  record: Readonly<Record<string, Json>>,
  before: string,
  printed: Readonly<Record<string, string>> = {},
): string {
  const parts = Object.entries(record).map(
    ([name, value]) => `${name}=${Object.hasOwn(printed, name) ? printed[name] : JSON.stringify(value)}`,
  );
  return parts.length === 0 ? '' : before + parts.join(' ');
}
