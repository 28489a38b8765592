/** Monitors: what the rules of properties remember of a run. Their states are part of each configuration. */
import type { RunEvent } from '../../interpreter/events/event.js';
import { RuntimeFailure } from '../../interpreter/failure.js';
import type { Run } from '../../interpreter/run-state/run-memory.js';
import type { Slot, Thread } from '../../interpreter/run-state/thread.js';
import { compileCondition } from '../../interpreter/values/evaluate.js';
import { concreteOperations, withOperations } from '../../interpreter/values/operations.js';
import type { Value } from '../../interpreter/values/value.js';
import type { Expr, Json } from '../../machine/expression.js';
import type { Instruction } from '../../machine/machine.js';
import { areEqual } from './unknown/comparisons.js';
import { Knowledge } from './unknown/knowledge.js';
import { symbolicOperations } from './unknown/symbolic-operations.js';

/** Where a condition is evaluated: the run has the inputs, and `tracked` the variables as they were at that moment. */
interface ConditionContext {
  readonly run: Run;
  readonly tracked: readonly Slot[];
  /** What is known of unknown values; null: there are none. */
  readonly knowledge: Knowledge | null;
}

/** Null: it has no value, because a comparison fails. Before its variables exist, a condition is false. */
type EvaluateCondition = (at: ConditionContext) => boolean | null;

const NOTHING_KNOWN = new Knowledge();
const NO_LOOPS: ReadonlySet<number> = new Set();
let knowledge = NOTHING_KNOWN;

/** Conditions of properties over unknown values, and over the values of a confirming run. */
export function evaluatorOf({ value, text }: MomentCondition): EvaluateCondition {
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
function areEqualValues(known: Knowledge | null, one: Json, other: Json): boolean {
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

/** A rule about moments and statuses, which are of one type in test files and of another one here. */
type RuleAbout<M, S> =
  | { readonly kind: 'never'; readonly moment: M; readonly unless: M | null }
  | { readonly kind: 'after'; readonly moment: M; readonly following: M }
  | { readonly kind: 'at-most'; readonly moment: M; readonly count: number }
  | { readonly kind: 'reaches'; readonly moment: M }
  /** Null: every run ends, in any way. */
  | { readonly kind: 'ends'; readonly statuses: readonly S[] | null };

/** A rule that runs may violate. `text` is the rule as written. */
export type MonitoredRule = { readonly text: string } & RuleAbout<Moment, string>;

/** One number for each rule. `never`: 1 once `unless` has happened. `after`: 1 while `following` must follow. `at-most`: how often. */
export type MonitorState = readonly number[];

export interface Watched {
  readonly state: MonitorState;
  /** Indexes of the rules that this segment violates. */
  readonly violated: readonly number[];
  /** Indexes of the rules whose first moment happened. */
  readonly awoken: readonly number[];
  /** Indexes of the rules whose second moment happened when it had to follow. */
  readonly fulfilled: readonly number[];
}

/** A segment, or a step of a run without unknown values. */
interface Watchable {
  readonly run: Run;
  readonly events: readonly RunEvent[];
  readonly knowledge: Knowledge | null;
  /** The tracked variables at its beginning. */
  readonly trackedBefore: readonly Slot[];
  /** Whether the run ends with it. */
  readonly isOver: boolean;
}

export interface Monitors {
  readonly first: MonitorState;
  /** Whether members keep the events that they have recorded. */
  readonly looksAtEvents: boolean;
  /** Whether the order of members matters. */
  readonly looksAtOrder: boolean;
  /** Whether it matters how often something happens. */
  readonly counts: boolean;
  /** Indexes of the rules about what must follow. */
  readonly looksAhead: ReadonlySet<number>;
  /** What reductions must not forget: conditions, and parts of instructions. */
  readonly conditions: readonly Expr[];
  readonly partsOf: (instruction: Instruction) => readonly unknown[];
  readonly step: (before: MonitorState, segment: Watchable) => Watched;
  /** The conditions that were evaluated, and those that had a value at least once. */
  readonly asked: ReadonlySet<MomentCondition>;
  readonly answered: ReadonlySet<MomentCondition>;
}

const NOTHING: Watched = { state: [], violated: [], awoken: [], fulfilled: [] };
const NONE: ReadonlySet<MomentCondition> = new Set();

export const NO_MONITORS: Monitors = {
  first: [],
  looksAtEvents: false,
  looksAtOrder: false,
  counts: false,
  looksAhead: new Set(),
  conditions: [],
  partsOf: () => [],
  step: () => NOTHING,
  asked: NONE,
  answered: NONE,
};

export function momentsOf<M>(rule: RuleAbout<M, unknown>): M[] {
  switch (rule.kind) {
    case 'never':
      return rule.unless === null ? [rule.moment] : [rule.moment, rule.unless];
    case 'after':
      return [rule.moment, rule.following];
    case 'at-most':
    case 'reaches':
      return [rule.moment];
    case 'ends':
      return [];
  }
}

export function monitorsOf(rules: readonly MonitoredRule[]): Monitors {
  if (rules.length === 0) return NO_MONITORS;
  const moments = rules.flatMap(momentsOf);
  const asked = new Set<MomentCondition>();
  const answered = new Set<MomentCondition>();
  const evaluators = new Map(
    moments.flatMap(({ when }) => (when === null ? [] : [[when, evaluatorOf(when)] as const])),
  );
  const holds = (when: MomentCondition | null, surroundings: ConditionContext): boolean => {
    if (when === null) return true;
    const value = evaluators.get(when)?.(surroundings) ?? null;
    asked.add(when);
    if (value !== null) answered.add(when);
    return value === true;
  };
  const step = (before: MonitorState, segment: Watchable): Watched => {
    const { run, events, knowledge } = segment;
    const state: number[] = [...before];
    const violated = new Set<number>();
    const awoken = new Set<number>();
    const fulfilled = new Set<number>();
    const tracked = [...segment.trackedBefore];
    const names = run.linked.machine.tracked;
    const isEqual = (one: Json, other: Json): boolean => areEqualValues(knowledge, one, other);
    for (const event of events) {
      if (event.type === 'tracked_set') tracked[names.indexOf(event.name)] = event.value as Slot;
      rules.forEach((rule, at) => {
        if (rule.kind === 'ends') return;
        const happens = (moment: Moment): boolean =>
          isMoment(moment, event, isEqual, run.currentState) && holds(moment.when, { run, tracked, knowledge });
        const isNow = happens(rule.moment);
        if (isNow) awoken.add(at);
        const now = state[at] as number;
        if (rule.kind === 'at-most') {
          if (isNow && now === rule.count) violated.add(at);
          else if (isNow) state[at] = now + 1;
        } else if (rule.kind === 'never') {
          const isExcused = now === 0 && rule.unless !== null && happens(rule.unless);
          if (isNow && now === 0 && !isExcused) violated.add(at);
          if (isExcused) state[at] = 1;
        } else if (rule.kind === 'after') {
          if (isNow) state[at] = 1;
          if ((isNow || now === 1) && happens(rule.following)) {
            state[at] = 0;
            fulfilled.add(at);
          }
        }
      });
    }
    if (segment.isOver)
      rules.forEach(({ kind }, at) => {
        if (kind === 'after' && state[at] === 1) violated.add(at);
      });
    return { state, violated: [...violated], awoken: [...awoken], fulfilled: [...fulfilled] };
  };
  return {
    first: rules.map(() => 0),
    looksAtEvents: moments.some(({ kind }) => kind === 'event'),
    counts: rules.some(({ kind }) => kind === 'at-most'),
    looksAhead: new Set(rules.flatMap(({ kind }, at) => (kind === 'after' ? [at] : []))),
    looksAtOrder: rules.some(
      (rule) => rule.kind === 'after' || momentsOf(rule).some(({ when }, at) => when !== null || at > 0),
    ),
    conditions: [...evaluators.keys()].map(({ value }) => value),
    partsOf: (instruction) => partsOf(instruction, moments),
    step,
    asked,
    answered,
  };
}

/** The values of events and of the end that a property compares. */
function partsOf(instruction: Instruction, moments: readonly Moment[]): readonly unknown[] {
  if (instruction.op === 'emit') {
    const names = moments.flatMap((one) =>
      one.kind === 'event' && one.name === instruction.event ? one.fields.map(([name]) => name) : [],
    );
    return instruction.fields.flatMap(({ name, value }) => (names.includes(name) ? [value] : []));
  }
  const comparesEnd = moments.some((one) => one.kind === 'returned' && one.value !== undefined);
  return instruction.op === 'return' && comparesEnd ? [instruction.value] : [];
}

/** Compares values that may be unknown. */
type IsEqual = (one: Json, other: Json) => boolean;

type MonitoredRequest = Extract<RunEvent, { type: 'effect_requested' }>;

/** A condition over inputs and tracked variables, which `value` reads from the slots of the machine. */
export interface MomentCondition {
  readonly value: Expr;
  /** As written. */
  readonly text: string;
}

/** `when` must be true at that moment. */
export type Moment = { readonly when: MomentCondition | null } & (
  | { readonly kind: 'state'; readonly name: string }
  | { readonly kind: 'event'; readonly name: string; readonly fields: readonly (readonly [string, Json])[] }
  | { readonly kind: 'run'; readonly isCall: (request: MonitoredRequest, isEqual: IsEqual) => boolean }
  | { readonly kind: 'answered'; readonly name: string; readonly value: Json }
  | { readonly kind: 'failed'; readonly state: string | null; readonly error: string | null }
  /** `value` is absent: any. */
  | { readonly kind: 'returned'; readonly value?: Json }
);

/** Whether an event is this moment, apart from its condition. `current`: the state in which the run is. */
function isMoment(moment: Moment, event: RunEvent, isEqual: IsEqual, current: string): boolean {
  switch (moment.kind) {
    case 'state':
      return event.type === 'state_entered' && event.state === moment.name;
    case 'event': {
      if (event.type !== 'emitted' || event.event !== moment.name) return false;
      const { fields } = event;
      return moment.fields.every(
        ([name, value]) => Object.hasOwn(fields, name) && isAlike(fields[name] as Json, value, isEqual),
      );
    }
    case 'run':
      return event.type === 'effect_requested' && moment.isCall(event, isEqual);
    case 'answered':
      return event.type === 'answered' && isName(event.name, moment.name) && isEqual(event.value, moment.value);
    case 'failed':
      if (event.type === 'budget_exceeded')
        return mayBeLimit(moment) && (moment.state === null || current === moment.state);
      return (
        event.type === 'instruction_failed' &&
        (moment.state === null || event.state === moment.state) &&
        (moment.error === null || event.error_type === moment.error)
      );
    case 'returned':
      return (
        event.type === 'run_returned' &&
        (moment.value === undefined || isAlike(event.value ?? null, moment.value, isEqual))
      );
  }
}

/** Whether the end of a run by LIMIT is this failure. */
export function mayBeLimit(moment: Moment): boolean {
  return moment.kind === 'failed' && (moment.error === null || moment.error === 'limit');
}

/** An approval may have the number of its call before its name. */
function isName(asked: string, name: string): boolean {
  return asked === name || asked.replace(/^(?:\d+\.)+/, '') === name;
}

/** EMIT and RETURN make texts of plain words, so `n=1` and `returned 1` mean both `1` and `"1"`, as the program writes them. */
function isAlike(has: Json, wanted: Json, isEqual: IsEqual): boolean {
  return isEqual(has, wanted) || othersLike(wanted).some((other) => isEqual(has, other));
}

/** The scalars of other types that print the same text. */
function othersLike(wanted: Json): readonly Json[] {
  if (typeof wanted === 'number' || typeof wanted === 'boolean') return [String(wanted)];
  if (typeof wanted !== 'string') return [];
  if (wanted === 'true' || wanted === 'false') return [wanted === 'true'];
  const number = Number(wanted);
  return String(number) === wanted && Number.isFinite(number) ? [number] : [];
}
