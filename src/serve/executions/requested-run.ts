/** What a person, an agent or a schedule asks the service for, as it is promised: the same whichever door it comes through. */
import type { CheckedProgram } from '../../app/programs.js';
import { type Refused, refuse } from '../../app/result.js';
import { printJson } from '../../interpreter/values/json.js';
import { isBeyondJson, type Value } from '../../interpreter/values/value.js';
import type { Json } from '../../machine/expression.js';
import type { Limits, Machine } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { MemoOptions } from '../../runtime/memo.js';
import { onlyProblem } from '../../runtime/run/only-part.js';
import { titleOf } from '../../runtime/run/run-title.js';
import { RunRefused } from '../../runtime/store/store-error.js';
import { keyOfStart, type WaitingExecution, type WantedKey } from './waiting-list.js';

type GivenValues = Readonly<Record<string, Json>>;

interface RequestedStart {
  readonly run_id: string;
  /** Without errors. */
  readonly checked: CheckedProgram;
  readonly source: { readonly program: string } | { readonly text: string };
  readonly inputs: GivenValues;
  /** Inputs with their numbers as they were written; absent: they have no others. */
  readonly written?: GivenValues | undefined;
  readonly name?: string | undefined;
  readonly traceparent?: string | undefined;
  readonly limits: Limits;
  readonly by: string;
  readonly key: WantedKey;
  readonly memo?: WantedMemo | undefined;
}

interface PromisedStart {
  readonly execution: Omit<WaitingExecution, 'queued_at' | 'number' | 'begun' | 'refusal'>;
  /** Inputs that are never on disk. */
  readonly secret: GivenValues;
}

/** The JSON text of those values whose numbers JavaScript would print differently. */
export function printedValues(values: GivenValues): Record<string, string> {
  const entries = Object.entries(values).filter(([, value]) => isBeyondJson(value as Value));
  return Object.fromEntries(entries.map(([name, value]) => [name, printJson(value as Value)]));
}

/** How a request wants the memo to be used. */
export interface WantedMemo {
  readonly fresh?: boolean | undefined;
  /** Seconds. */
  readonly memo_max_age?: number | undefined;
  readonly only?: string | undefined;
}

/** Undefined: as usual. Throws a `RunRefused` for a part that the program does not have. */
export function memoOf(machine: Machine, { fresh, memo_max_age, only }: WantedMemo): MemoOptions | undefined {
  const problem = only === undefined ? null : onlyProblem(machine, only);
  if (problem !== null) throw new RunRefused('wrong-use', problem.message, problem.help);
  const maxAgeMs = memo_max_age === undefined ? undefined : memo_max_age * 1000;
  const memo = omitUndefined({ fresh, maxAgeMs, only }) as MemoOptions;
  return Object.keys(memo).length === 0 ? undefined : memo;
}

/** Throws a `RunRefused` for a key that cannot be one, and for a part that the program does not have. */
export function promisedStart(start: RequestedStart): PromisedStart {
  const { run_id, checked, source, inputs, written = inputs, name, traceparent, limits, by } = start;
  const machine = checked.machine as Machine;
  const secrets = new Set(checked.inputs.flatMap((input) => (input.secret === true ? [input.name] : [])));
  const part = <T>(values: Readonly<Record<string, T>>, isSecret: boolean): Record<string, T> =>
    Object.fromEntries(Object.entries(values).filter(([input]) => secrets.has(input) === isSecret));
  const open = part(inputs, false);
  const memo = memoOf(machine, start.memo ?? {});
  const texts = part(printedValues(written), false);
  const key = keyOfStart(machine, { ...inputs, ...written }, start.key);
  const shown = Object.keys(texts).length === 0 ? {} : { printed: texts };
  return {
    execution: {
      run_id,
      machine: machine.name,
      title: titleOf(machine, { ...open, ...part(written, false) }, name),
      task: { kind: 'start', inputs: open, ...shown, ...source, ...omitUndefined({ name, traceparent, memo }) },
      limits,
      by,
      ...(key === null ? {} : { key }),
    },
    secret: { ...part(inputs, true), ...part(written, true) },
  };
}

/** Why a run cannot be resumed; null: it may be tried. */
export function whyNotResumed({
  status,
  error,
}: {
  readonly status: string;
  readonly error: { readonly kind: string } | null;
}): Refused | null {
  const again = 'replay it from an event or a state';
  if (status === 'running') return refuse('held', 'a process executes the run', 'wait until it ends, or cancel it');
  if (status === 'returned') return refuse('over', 'the run has returned', again);
  return error?.kind === 'cancelled' ? refuse('over', 'the run was cancelled', again) : null;
}

/** Limits as people write them: time is in seconds. */
export function limitsOf({ time, ...rest }: Readonly<Record<string, number | undefined>> = {}): Limits {
  return omitUndefined({ ...rest, timeMs: time === undefined ? undefined : time * 1000 }) as Limits;
}
