/** A number that no run exceeds, and why. */
import type { Machine } from '../../machine/machine.js';
import type { Exploration } from './exploration.js';
import type { CountedSite } from './explored-graph.js';

export interface Bound {
  readonly what: string;
  readonly kind: CountedSite['kind'] | 'cost' | 'time';
  /** Null: unbounded, or the formula says it. */
  readonly atMost: number | null;
  readonly formula: string | null;
  /** What its calls reserve in US dollars: each may cost more by the turn in which it reaches its limit. */
  readonly reserved?: number;
  readonly isOnlyByLimit: boolean;
  /** The line that bounds it, or the cycle that does not end. */
  readonly because: { readonly text: string; readonly file: string | null; readonly line: number | null } | null;
}

export interface BoundOptions {
  /** The most that a call of an agent may cost, in US dollars. */
  readonly maxCost: Readonly<Record<string, number>>;
}

/** How much more than its limit a call of an agent may cost: an agent reports its cost after each turn. */
export const OVERRUN = 'last turn';
const OVERRUN_WORDS = `the ${OVERRUN} of each call`;

/** `$0.10`, or with more digits if it has them. */
export function dollars(amount: number): string {
  const text = String(Math.round(amount * 1e6) / 1e6);
  return `$${(text.split('.')[1] ?? '').length > 2 ? text : amount.toFixed(2)}`;
}

/** The calls of agents may cost so much, and more. */
export const reservedText = (amount: string): string => `${amount} + ${OVERRUN_WORDS}`;

/** What a limit allows, if that is less. */
export function cutAt(bound: Bound, limit: number | null, name: string): Bound {
  if (limit === null || (bound.atMost ?? Number.POSITIVE_INFINITY) <= limit) return bound;
  const because = bound.because ?? { text: name, file: null, line: null };
  return { ...bound, atMost: limit, formula: null, isOnlyByLimit: true, because };
}

/** The same for a number that grows with a list: only what is unbounded without the limit is cut. */
export function cutAtFormula(bound: Bound, formula: string | null, name: string): Bound {
  if (formula === null || bound.formula !== null || bound.atMost !== null) return bound;
  return { ...bound, formula, isOnlyByLimit: true, because: bound.because ?? { text: name, file: null, line: null } };
}

interface CountGrowth {
  readonly number: number;
  /** With lists that are one element shorter. */
  readonly fewer: number;
  /** With lists that are two elements shorter, which is explored when it is asked for; NaN: not known. */
  readonly fewest: () => number;
}

/** With one element more, the bound grows by so many. `list`: the one that is known to be gone through. */
export function formulaOf(
  { options, lists, freeLists, machine }: Exploration,
  list: string | undefined,
  { number, fewer, fewest }: CountGrowth,
  textOf: (amount: number) => string = String,
): string | null {
  const slope = number - fewer;
  if (slope <= 0 || !Number.isFinite(fewer)) return null;
  const [only, second] = [...new Set([...lists, ...freeLists])];
  const name = list ?? (second === undefined ? only : undefined);
  const rest = number - slope * options.longest;
  const length = name === undefined ? 'length of the list' : `len(${name})`;
  // It may grow faster than the list, as with two loops inside each other.
  const least = fewest();
  const isStraight = Number.isNaN(least) ? hasOneLoop(machine) : Math.abs(fewer - least - slope) < 1e-6;
  if (rest < 0 || !isStraight) return `grows with ${length}`;
  return `${rest > 0 ? `${textOf(rest)} + ` : ''}${textOf(slope)} × ${length}`;
}

/** Whether a program only goes around in one loop over a list. */
function hasOneLoop({ states }: Machine): boolean {
  const code = states.flatMap((state) => state.code);
  const loops = code.filter(({ op }) => op === 'each' || op === 'fork-each');
  return loops.length === 1 && !code.some(({ op }) => op === 'goto' || op === 'goto-dynamic' || op === 'step-begin');
}
