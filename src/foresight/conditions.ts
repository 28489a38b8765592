/** Conditions of properties over unknown values, and over the values of a confirming run. */
import { RuntimeFailure } from '../interpreter/failure.js';
import type { Run } from '../interpreter/run-state/run.js';
import type { Slot, Thread } from '../interpreter/run-state/thread.js';
import { compileCondition } from '../interpreter/values/evaluate.js';
import { concreteOperations, withOperations } from '../interpreter/values/operations.js';
import type { Value } from '../interpreter/values/value.js';
import type { Json } from '../machine/expression.js';
import type { Condition } from './moments.js';
import { areEqual } from './unknown/comparisons.js';
import { Knowledge } from './unknown/knowledge.js';
import { symbolicOperations } from './unknown/symbolic-operations.js';

/** Where a condition is evaluated: the run has the inputs, and `tracked` the variables as they were at that moment. */
export interface Surroundings {
  readonly run: Run;
  readonly tracked: readonly Slot[];
  /** What is known of unknown values; null: there are none. */
  readonly knowledge: Knowledge | null;
}

/** Null: it has no value, because a comparison fails. Before its variables exist, a condition is false. */
type Evaluate = (at: Surroundings) => boolean | null;

const NOTHING_KNOWN = new Knowledge();
const NO_LOOPS: ReadonlySet<number> = new Set();
let knowledge = NOTHING_KNOWN;

export function evaluatorOf({ value, text }: Condition): Evaluate {
  const concrete = withOperations(concreteOperations, () => compileCondition(value, text));
  const symbolic = withOperations(
    symbolicOperations(() => knowledge, NO_LOOPS),
    () => compileCondition(value, text),
  );
  const reads = trackedIn(value);
  return ({ run, tracked, knowledge: known }) => {
    const thread: Thread = Object.create(run.main, { tracked: { value: tracked } });
    knowledge = known ?? NOTHING_KNOWN;
    const result = withoutFailure(() => (known === null ? concrete : symbolic)(thread));
    return result === null && reads.some((slot) => tracked[slot] === undefined) ? false : result;
  };
}

/** The slots of the tracked variables that a condition reads. */
function trackedIn(value: unknown): number[] {
  if (Array.isArray(value)) return value.flatMap(trackedIn);
  if (typeof value !== 'object' || value === null) return [];
  const { in: storage, slot } = value as { readonly in?: unknown; readonly slot?: unknown };
  return storage === 'tracked' ? [slot as number] : Object.values(value).flatMap(trackedIn);
}

/** Values that cannot be compared are not equal. */
export function areEqualValues(known: Knowledge | null, one: Json, other: Json): boolean {
  const [left, right] = [one as Value, other as Value];
  const compare = (): boolean =>
    known === null ? concreteOperations.areEqual('==', left, right) : areEqual(known, '==', left, right);
  return withoutFailure(compare) === true;
}

function withoutFailure(compute: () => boolean): boolean | null {
  try {
    return compute();
  } catch (thrown) {
    if (thrown instanceof RuntimeFailure) return null;
    throw thrown;
  }
}
