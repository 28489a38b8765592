/** What changed in a run between two of its events. */
import type { Json, JsonObject } from '../../machine/expression.js';

/** The parts of a run that are compared, as `show --json` has them. */
export interface ComparedRun {
  readonly status: string;
  readonly state: string | null;
  readonly cost: number | null;
  readonly effects: number;
  readonly tracked: Readonly<Record<string, Json>>;
  readonly bound: Readonly<Record<string, Json>>;
  readonly values: Readonly<Record<string, Json>>;
  readonly waiting: readonly object[];
  readonly steps?: readonly { readonly path: string; readonly status: string; readonly attempt: number }[];
  readonly error: { readonly message: string } | null;
  readonly returned: Json;
}

export interface Change {
  readonly group: 'Run' | 'Tracked' | 'Names' | 'Values' | 'Steps';
  readonly name: string;
  /** Undefined: there was no such value. */
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

export function changesBetween(before: ComparedRun, after: ComparedRun): Change[] {
  return [
    ...changesOf('Run', factsOf(before), factsOf(after)),
    ...changesOf('Tracked', before.tracked, after.tracked),
    ...changesOf('Names', before.bound, after.bound),
    ...changesOf('Steps', stepsOf(before), stepsOf(after)),
    ...changesOf('Values', otherValues(before), otherValues(after)),
  ];
}

function changesOf(group: Change['group'], before: JsonObject, after: JsonObject): Change[] {
  const names = new Set([...Object.keys(before), ...Object.keys(after)]);
  return [...names].flatMap((name) => {
    const [old, now] = [valueIn(before, name), valueIn(after, name)];
    return JSON.stringify(old) === JSON.stringify(now) ? [] : [{ group, name, before: old, after: now }];
  });
}

const valueIn = (named: JsonObject, name: string): Json | undefined =>
  Object.hasOwn(named, name) ? (named[name] as Json) : undefined;

function factsOf({ status, state, cost, effects, waiting, error, returned }: ComparedRun): JsonObject {
  const waits = [...waiting] as Json[];
  return {
    ...{ status, state, cost, effects, returned },
    ...(waits.length === 0 ? {} : { waiting: waits }),
    ...(error === null ? {} : { error: error.message }),
  };
}

function stepsOf({ steps = [] }: ComparedRun): JsonObject {
  return Object.fromEntries(steps.map(({ path, status, attempt }) => [path, `${status}, attempt ${attempt}`]));
}

/** Inputs never change, and tracked variables are a group of their own. */
function otherValues({ values }: ComparedRun): JsonObject {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !/^(input|track)\./.test(name)));
}
