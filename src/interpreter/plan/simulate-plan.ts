/**
 * Finds what may become of a plan: runs it without its tools, once for each possible combination of arms. Results are
 * made up so that they have everything that is read from them; inputs count as given, and approvals as granted.
 */
import type { Json } from '../../machine/expression.js';
import { type Parameter, type Plan, type PlanCall, type PlanPath, pathsOf } from '../../machine/plan.js';
import { DataTree } from '../values/data-tree.js';
import { PlanScheduler } from './scheduler/plan-scheduler.js';

interface PlanCase {
  /** The arm that each call with several arms took, by the index of the call. */
  readonly arms: { readonly [call: string]: number };
  /** Indexes of calls, in the order of the plan. */
  readonly runs: readonly number[];
  readonly skipped: readonly number[];
}

export interface Simulation {
  readonly cases: readonly PlanCase[];
  /** Calls that run in no case. Empty when not all cases were simulated. */
  readonly never: readonly number[];
  readonly truncated: boolean;
}

const MOST_CASES = 1000;
/** Counted over all cases: a long plan is simulated in fewer cases. */
const MOST_CALLS = 200_000;

export function simulatePlan(plan: Plan): Simulation {
  const rig = rigPlan(plan);
  const most = Math.max(1, Math.min(MOST_CASES, Math.floor(MOST_CALLS / Math.max(1, plan.calls.length))));
  const cases: PlanCase[] = [];
  let choices: Choice[] | null = [];
  while (choices !== null && cases.length < most) {
    const made: Choice[] = [];
    cases.push(simulateCase(rig, choices, made));
    choices = nextChoices(made);
  }
  const ran = new Set(cases.flatMap(({ runs }) => runs));
  const truncated = choices !== null;
  const never = truncated ? [] : plan.calls.map(({ index }) => index).filter((index) => !ran.has(index));
  return { cases, never, truncated };
}

interface Choice {
  readonly call: number;
  readonly arm: number;
  readonly arms: number;
}

interface Rig {
  readonly plan: Plan;
  readonly results: readonly Json[];
}

/** Makes the given choices, takes the first arm from there on, and adds all choices to `made`. */
function simulateCase({ plan, results }: Rig, choices: readonly Choice[], made: Choice[]): PlanCase {
  const scheduler = new PlanScheduler(plan, { limit: 1 });
  for (let started = scheduler.next(); started.length > 0; started = scheduler.next()) {
    for (const { call } of started) {
      const arm = choices[made.length]?.arm ?? 0;
      if (call.arms.length > 1) made.push({ call: call.index, arm, arms: call.arms.length });
      const value = results[call.index] as Json;
      const picked = call.arms.length > 1 ? { _path: arm, _output: value } : value;
      scheduler.settle(call.index, { kind: 'result', value: picked });
    }
  }
  const runs: number[] = [];
  const skipped: number[] = [];
  scheduler.data.callRecords().forEach(({ status, arm }, index) => {
    if (status === 'done' || status === 'failed' || (status === 'superseded' && arm !== null)) runs.push(index);
    else skipped.push(index);
  });
  return { arms: Object.fromEntries(made.map(({ call, arm }) => [String(call), arm])), runs, skipped };
}

/** The next combination: the last choice that has another arm takes it, and later choices start again. Null after the last. */
function nextChoices(made: readonly Choice[]): Choice[] | null {
  for (let at = made.length - 1; at >= 0; at--) {
    const choice = made[at] as Choice;
    if (choice.arm + 1 < choice.arms) return [...made.slice(0, at), { ...choice, arm: choice.arm + 1 }];
  }
  return null;
}

function rigPlan(plan: Plan): Rig {
  const reads: PlanPath[] = [];
  const parts = plan.calls.flatMap(({ parameters, inline }): Parameter[] => [
    parameters,
    ...(inline === null ? [] : [inline]),
  ]);
  for (const part of parts) pathsOf(part, ({ path }) => reads.push(path));
  const given = new DataTree(plan.given);
  for (const path of [...plan.signature.flat(), ...plan.gates])
    if (!given.has(path) && given.refusal(path, true, null) === null) given.write(path, true, null);
  const wanted = segmentTree(reads);
  return {
    plan: { ...plan, given: given.read([]) as Plan['given'] },
    results: plan.calls.map((call) => resultOf(call, wanted)),
  };
}

interface SegmentTree {
  readonly below: Map<string, SegmentTree>;
}

function segmentTree(reads: readonly PlanPath[]): SegmentTree {
  const root: SegmentTree = { below: new Map() };
  for (const path of reads) {
    let at = root;
    for (const segment of path) {
      let next = at.below.get(segment);
      if (next === undefined) {
        next = { below: new Map() };
        at.below.set(segment, next);
      }
      at = next;
    }
  }
  return root;
}

/** A value that has everything that calls read from it. */
function resultOf({ arms, method }: PlanCall, wanted: SegmentTree): Json {
  if (method === 'concat') return [];
  const tree = new DataTree({ result: true });
  const fill = (at: SegmentTree, path: readonly string[]): void => {
    if (at.below.size === 0 && path.length > 1 && !tree.has(path)) tree.write(path, true, null);
    for (const [segment, next] of at.below) fill(next, [...path, segment]);
  };
  for (const path of arms.flat()) {
    let at: SegmentTree | undefined = wanted;
    for (const segment of path) at = at?.below.get(segment);
    if (at === undefined || at.below.size === 0) continue;
    if (tree.read(['result']) === true) tree.write(['result'], {}, null);
    fill(at, ['result']);
  }
  return tree.read(['result']) as Json;
}
