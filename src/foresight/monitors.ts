/** Monitors: what the rules of properties remember of a run. Their states are part of each configuration. */
import type { RunEvent } from '../interpreter/events/event.js';
import type { Run } from '../interpreter/run-state/run.js';
import type { Slot } from '../interpreter/run-state/thread.js';
import type { Expr, Json } from '../machine/expression.js';
import type { Instruction } from '../machine/machine.js';
import { areEqualValues, evaluatorOf, type Surroundings } from './conditions.js';
import { type Condition, isMoment, type Moment } from './moments.js';
import type { Knowledge } from './unknown/knowledge.js';

/** A rule about moments and statuses, which are of one type in test files and of another one here. */
type RuleAbout<M, S> =
  | { readonly kind: 'never'; readonly moment: M; readonly unless: M | null }
  | { readonly kind: 'after'; readonly moment: M; readonly following: M }
  | { readonly kind: 'at-most'; readonly moment: M; readonly count: number }
  | { readonly kind: 'reaches'; readonly moment: M }
  /** Null: every run ends, in any way. */
  | { readonly kind: 'ends'; readonly statuses: readonly S[] | null };

/** A rule that runs may violate. `text` is the rule as written. */
export type Rule = { readonly text: string } & RuleAbout<Moment, string>;

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
export interface Watchable {
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
  /** What reductions must not forget: conditions, and parts of instructions. */
  readonly conditions: readonly Expr[];
  readonly partsOf: (instruction: Instruction) => readonly unknown[];
  readonly step: (before: MonitorState, segment: Watchable) => Watched;
  /** The conditions that were evaluated, and those that had a value at least once. */
  readonly asked: ReadonlySet<Condition>;
  readonly answered: ReadonlySet<Condition>;
}

const NOTHING: Watched = { state: [], violated: [], awoken: [], fulfilled: [] };
const NONE: ReadonlySet<Condition> = new Set();

export const NO_MONITORS: Monitors = {
  first: [],
  looksAtEvents: false,
  looksAtOrder: false,
  counts: false,
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

export function monitorsOf(rules: readonly Rule[]): Monitors {
  if (rules.length === 0) return NO_MONITORS;
  const moments = rules.flatMap(momentsOf);
  const asked = new Set<Condition>();
  const answered = new Set<Condition>();
  const evaluators = new Map(
    moments.flatMap(({ when }) => (when === null ? [] : [[when, evaluatorOf(when)] as const])),
  );
  const holds = (when: Condition | null, surroundings: Surroundings): boolean => {
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
