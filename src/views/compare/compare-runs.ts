/** Two runs next to each other: the first event that differs, in which members, and the states that both of them visited. */
import type { Printed } from '../../interpreter/values/json.js';
import type { Json } from '../../machine/expression.js';
import { isJsonObject } from '../../prelude/json-object.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { DifferentValue } from './draw-run-diff.js';
import type { RunTrace, VisitTrace } from './run-trace.js';

/** The first events that differ; null: the run has no such event. */
export interface FirstDifference {
  readonly left: number | null;
  readonly right: number | null;
}

/** Visits of the same state, or a visit that only one of the runs has. */
export interface VisitPair {
  readonly left: VisitTrace | null;
  readonly right: VisitTrace | null;
  /** The same happened in both. */
  readonly isSame: boolean;
}

export interface RunComparison {
  /** Inputs with different values. */
  readonly inputs: readonly DifferentValue[];
  /** Null: both did the same. */
  readonly difference: FirstDifference | null;
  readonly visits: readonly VisitPair[];
  /** Whether both executed the same program, to the letter. */
  readonly sameProgram: boolean;
}

/** Above this many pairs, visits are paired by how often their state was entered before. */
const MOST_PAIRS = 4_000_000;

export function compareRuns(left: RunTrace, right: RunTrace): RunComparison {
  return {
    inputs: differentValues(
      { values: left.inputs, printed: left.printedInputs },
      { values: right.inputs, printed: right.printedInputs },
    ),
    difference: firstDifference(left, right),
    visits: pairVisits(left.visits, right.visits),
    sameProgram: left.program === right.program,
  };
}

interface NamedValues {
  readonly values: Readonly<Record<string, Json>>;
  readonly printed: Printed | undefined;
}

/** The values that only one side has, or that differ, if only in how a number is written. */
export function differentValues(left: NamedValues, right: NamedValues): DifferentValue[] {
  const names = [...new Set([...Object.keys(left.values), ...Object.keys(right.values)])];
  return names
    .map((name) => ({
      name,
      ...omitUndefined({ left: left.values[name], printed_left: left.printed?.[name] }),
      ...omitUndefined({ right: right.values[name], printed_right: right.printed?.[name] }),
    }))
    .filter(
      (one) => (one.printed_left ?? JSON.stringify(one.left)) !== (one.printed_right ?? JSON.stringify(one.right)),
    );
}

/** The earliest difference of all branches, by the order of the left run. */
function firstDifference(left: RunTrace, right: RunTrace): FirstDifference | null {
  let first: FirstDifference | null = null;
  const isEarlier = (one: FirstDifference): boolean => {
    if (first === null) return true;
    if (one.left !== null && first.left !== null) return one.left < first.left;
    return one.left !== null || (first.left === null && (one.right ?? 0) < (first.right ?? 0));
  };
  for (const thread of new Set([...left.threads.keys(), ...right.threads.keys()])) {
    const [a, b] = [left.threads.get(thread), right.threads.get(thread)];
    const [some, others] = [a?.digests ?? [], b?.digests ?? []];
    let at = 0;
    while (at < some.length && some[at] === others[at]) at++;
    if (at === some.length && at === others.length) continue;
    const found = { left: a?.seqs[at] ?? null, right: b?.seqs[at] ?? null };
    if (isEarlier(found)) first = found;
  }
  return first;
}

/** Pairs visits in the order of both runs, as many as possible. */
export function pairVisits(left: readonly VisitTrace[], right: readonly VisitTrace[]): VisitPair[] {
  const most = Math.min(left.length, right.length);
  let start = 0;
  while (start < most && left[start]?.state === right[start]?.state) start++;
  let end = 0;
  while (end < most - start && left[left.length - 1 - end]?.state === right[right.length - 1 - end]?.state) end++;
  const [a, b] = [left.slice(start, left.length - end), right.slice(start, right.length - end)];
  return [
    ...left.slice(0, start).map((one, at) => pair(one, right[at] ?? null)),
    ...(a.length * b.length <= MOST_PAIRS ? longestPairs(a, b) : countedPairs(a, b)),
    ...left.slice(left.length - end).map((one, at) => pair(one, right[right.length - end + at] ?? null)),
  ];
}

function pair(left: VisitTrace | null, right: VisitTrace | null): VisitPair {
  return { left, right, isSame: left !== null && right !== null && left.digest === right.digest };
}

/** By the longest common sequence of states. */
function longestPairs(a: readonly VisitTrace[], b: readonly VisitTrace[]): VisitPair[] {
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number): number => common[i * width + j] as number;
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      common[i * width + j] = a[i]?.state === b[j]?.state ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const pairs: VisitPair[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [one, other] = [a[i], b[j]];
    if (one !== undefined && other !== undefined && one.state === other.state) {
      pairs.push(pair(one, other));
      [i, j] = [i + 1, j + 1];
    } else if (one !== undefined && (other === undefined || at(i + 1, j) >= at(i, j + 1))) {
      pairs.push(pair(one, null));
      i++;
    } else {
      pairs.push(pair(null, other ?? null));
      j++;
    }
  }
  return pairs;
}

/** The n-th visit of a state with the n-th visit of the same state, as long as that keeps the order of both. */
function countedPairs(a: readonly VisitTrace[], b: readonly VisitTrace[]): VisitPair[] {
  const positions = new Map<string, number[]>();
  b.forEach(({ state }, at) => {
    const known = positions.get(state);
    if (known === undefined) positions.set(state, [at]);
    else known.push(at);
  });
  const used = new Map<string, number>();
  const pairs: VisitPair[] = [];
  let next = 0;
  for (const one of a) {
    const count = used.get(one.state) ?? 0;
    used.set(one.state, count + 1);
    const at = positions.get(one.state)?.[count];
    if (at === undefined || at < next) {
      pairs.push(pair(one, null));
      continue;
    }
    while (next < at) pairs.push(pair(null, b[next++] ?? null));
    pairs.push(pair(one, b[next++] ?? null));
  }
  while (next < b.length) pairs.push(pair(null, b[next++] ?? null));
  return pairs;
}

/** They differ in any two runs, or whenever another member differs. */
const ALWAYS_DIFFER = new Set(['seq', 'ts', 'chain', 'crc', 'duration_ms', 'session', 'bytes', 'holes']);

/** Objects with those members. In all other objects these are names that the program chose. */
const RECORDED = new Set(['', 'outcome', 'outcome.stdout']);

const LONGEST_MEMBER = 120;

/** What of an event is not the same in another one, as text. */
export function differentMembers(line: object, other: object): string {
  return differences(line, other, '').join(', ');
}

/** Each value that differs, with the names that lead to it. */
function differences(one: unknown, other: unknown, path: string): string[] {
  if (!isJsonObject(one) || !isJsonObject(other))
    return isSame(one, other) ? [] : [`${path}: ${shortJson(one, other)}`];
  return Object.entries(one).flatMap(([name, value]) =>
    RECORDED.has(path) && ALWAYS_DIFFER.has(name)
      ? []
      : differences(value, other[name], path === '' ? name : `${path}.${name}`),
  );
}

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

/** A long value begins shortly before the first character that differs. */
function shortJson(value: unknown, other: unknown): string {
  const [text, otherText] = [JSON.stringify(value), JSON.stringify(other) ?? ''];
  if (text.length <= LONGEST_MEMBER) return text;
  let at = 0;
  while (at < text.length && text[at] === otherText[at]) at++;
  const from = Math.max(0, Math.min(at - 20, text.length - LONGEST_MEMBER));
  return `${from > 0 ? '…' : ''}${text.slice(from, from + LONGEST_MEMBER)}${from + LONGEST_MEMBER < text.length ? '…' : ''}`;
}
