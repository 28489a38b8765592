/** Moments of a run, as properties name them: a state is entered, an event is emitted, something is asked for, answered or fails. */
import type { RunEvent } from '../interpreter/events/event.js';
import type { Expr, Json } from '../machine/expression.js';

/** Compares values that may be unknown. */
export type IsEqual = (one: Json, other: Json) => boolean;

type Request = Extract<RunEvent, { type: 'effect_requested' }>;

/** A condition over inputs and tracked variables, which `value` reads from the slots of the machine. */
export interface Condition {
  readonly value: Expr;
  /** As written. */
  readonly text: string;
}

/** `when` must be true at that moment. */
export type Moment = { readonly when: Condition | null } & (
  | { readonly kind: 'state'; readonly name: string }
  | { readonly kind: 'event'; readonly name: string; readonly fields: readonly (readonly [string, Json])[] }
  | { readonly kind: 'run'; readonly isCall: (request: Request, isEqual: IsEqual) => boolean }
  | { readonly kind: 'answered'; readonly name: string; readonly value: Json }
  | { readonly kind: 'failed'; readonly state: string | null; readonly error: string | null }
  /** `value` is absent: any. */
  | { readonly kind: 'returned'; readonly value?: Json }
);

/** Whether an event is this moment, apart from its condition. `current`: the state in which the run is. */
export function isMoment(moment: Moment, event: RunEvent, isEqual: IsEqual, current: string): boolean {
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
