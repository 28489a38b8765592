/**
 * What a plan may come to: it is run without its tools, once for every combination of arms that can be. Results are
 * made up so that everything that is read of them is there; inputs are taken to be given and gates to be open.
 */
import type { Json } from '../../machine/expression.js';
import { type Parameter, type Plan, type PlanCall, type PlanPath, pathsOf } from '../../machine/plan.js';
import { DataTree } from '../values/data-tree.js';
import { PlanScheduler } from './scheduler/plan-scheduler.js';

export interface PlanCase {
  /** The arm of each call that ran and had several, by the index of the call. */
  readonly arms: { readonly [call: string]: number };
  /** Indexes of calls, in the order of the plan. */
  readonly runs: readonly number[];
  readonly skipped: readonly number[];
}

export interface Simulation {
  readonly cases: readonly PlanCase[];
  /** Calls that run in no case. Empty when not all cases were tried. */
  readonly never: readonly number[];
  readonly truncated: boolean;
}

export const MOST_CASES = 1000;
/** Calls of all cases together: a long plan is tried in fewer cases. */
const MOST_CALLS = 200_000;

export function simulatePlan(plan: Plan): Simulation {
  const rig = riggedPlan(plan);
  const most = Math.max(1, Math.min(MOST_CASES, Math.floor(MOST_CALLS / Math.max(1, plan.calls.length))));
  const cases: PlanCase[] = [];
  let choices: Choice[] | null = [];
  while (choices !== null && cases.length < most) {
    const tried: Choice[] = [];
    cases.push(tryOut(rig, choices, tried));
    choices = following(tried);
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

/** Repeats the choices, takes first arms from there on, and tells in `tried` what it chose. */
function tryOut({ plan, results }: Rig, choices: readonly Choice[], tried: Choice[]): PlanCase {
  const scheduler = new PlanScheduler(plan, { limit: 1 });
  for (let started = scheduler.next(); started.length > 0; started = scheduler.next()) {
    for (const { call } of started) {
      const arm = choices[tried.length]?.arm ?? 0;
      if (call.arms.length > 1) tried.push({ call: call.index, arm, arms: call.arms.length });
      const value = results[call.index] as Json;
      const picked = call.arms.length > 1 ? { _path: arm, _output: value } : value;
      scheduler.settle(call.index, { kind: 'result', value: picked });
    }
  }
  const runs: number[] = [];
  const skipped: number[] = [];
  scheduler.records().forEach(({ status, arm }, index) => {
    if (status === 'done' || status === 'failed' || (status === 'superseded' && arm !== null)) runs.push(index);
    else skipped.push(index);
  });
  return { arms: Object.fromEntries(tried.map(({ call, arm }) => [String(call), arm])), runs, skipped };
}

/** The next combination: the last choice that has another arm takes it, and what came after is chosen anew. */
function following(tried: readonly Choice[]): Choice[] | null {
  for (let at = tried.length - 1; at >= 0; at--) {
    const choice = tried[at] as Choice;
    if (choice.arm + 1 < choice.arms) return [...tried.slice(0, at), { ...choice, arm: choice.arm + 1 }];
  }
  return null;
}

function riggedPlan(plan: Plan): Rig {
  const reads: PlanPath[] = [];
  const parts = plan.calls.flatMap(({ parameters, inline }): Parameter[] => [
    parameters,
    ...(inline === null ? [] : [inline]),
  ]);
  for (const part of parts) pathsOf(part, ({ path }) => reads.push(path));
  const given = new DataTree(plan.given);
  for (const path of [...plan.signature.flat(), ...plan.gates])
    if (!given.has(path) && given.refusal(path, true, null) === null) given.write(path, true, null);
  const wanted = stepsBelow(reads);
  return {
    plan: { ...plan, given: given.read([]) as Plan['given'] },
    results: plan.calls.map((call) => resultOf(call, wanted)),
  };
}

interface Steps {
  readonly below: Map<string, Steps>;
}

function stepsBelow(reads: readonly PlanPath[]): Steps {
  const root: Steps = { below: new Map() };
  for (const path of reads) {
    let at = root;
    for (const step of path) {
      let next = at.below.get(step);
      if (next === undefined) {
        next = { below: new Map() };
        at.below.set(step, next);
      }
      at = next;
    }
  }
  return root;
}

/** A value in which there is everything that anybody reads of it. */
function resultOf({ arms, method }: PlanCall, wanted: Steps): Json {
  if (method === 'concat') return [];
  const tree = new DataTree({ result: true });
  const fill = (at: Steps, path: readonly string[]): void => {
    if (at.below.size === 0 && path.length > 1 && !tree.has(path)) tree.write(path, true, null);
    for (const [step, next] of at.below) fill(next, [...path, step]);
  };
  for (const path of arms.flat()) {
    let at: Steps | undefined = wanted;
    for (const step of path) at = at?.below.get(step);
    if (at === undefined || at.below.size === 0) continue;
    if (tree.read(['result']) === true) tree.write(['result'], {}, null);
    fill(at, ['result']);
  }
  return tree.read(['result']) as Json;
}
