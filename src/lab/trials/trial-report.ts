/** What a trial has found so far: how often each case passes, what a pass costs, and which variant is better. */
import { addCost } from '../../interpreter/run-state/run-usage.js';
import { spentByTrial } from '../../runtime/agents/daily-budget.js';
import type { KeptTrial, TrialEnd, TrialResult, TrialSlot, WaitingRuns } from '../../runtime/store/kept-trials.js';
import { compareRates, wilson } from './statistics.js';

/** How often runs passed. */
export interface Rate {
  /** How many were judged. */
  readonly runs: number;
  readonly passed: number;
  /** From 0 to 1; null: none was judged. */
  readonly rate: number | null;
  /** The interval of Wilson, 95 %. */
  readonly interval: readonly [number, number] | null;
  /** US dollars of all of them; null: no agent told its cost. */
  readonly cost: number | null;
  readonly cost_unknown?: true;
  readonly time_ms: number;
  /** What all runs cost for each that passed; null: none passed. */
  readonly cost_per_pass: number | null;
  readonly time_ms_per_pass: number | null;
}

export interface FailedExpectation {
  readonly expect: string;
  readonly count: number;
  /** What the first of these runs did instead. */
  readonly message: string;
  readonly run_id: string;
}

export interface JudgedCase extends Rate {
  readonly name: string;
  /** Some runs passed, and some did not. */
  readonly flaky: boolean;
  readonly failures: readonly FailedExpectation[];
  readonly run_ids: readonly string[];
}

export interface JudgedVariant extends Rate {
  readonly name: string;
  readonly program: string;
  readonly agents?: Readonly<Record<string, string>>;
  readonly cases: readonly JudgedCase[];
}

/** The second variant compared with the first. */
export interface VariantComparison {
  /** The variant that passes more often; null: both pass as often. */
  readonly better: string | null;
  /** How much more often the second passes, from -1 to 1. */
  readonly difference: number;
  readonly p: number;
  /** Whether chance alone would give such a result in fewer than 5 of 100 trials. */
  readonly significant: boolean;
  readonly test: string;
}

/** What `statedsl trial --json` prints. */
export interface TrialReport {
  readonly trial_id: string;
  /** ISO 8601. */
  readonly started_at: string;
  /** `queued`: a service executes others first. `running`: a process executes it. */
  readonly status: TrialEnd['status'] | 'queued' | 'running';
  readonly cases: string;
  /** How often each case is run. */
  readonly count: number;
  readonly runs: number;
  readonly open: number;
  readonly budget: {
    readonly limit: number;
    readonly spent: number;
    readonly left: number;
    readonly cost_unknown?: number;
  } | null;
  readonly variants: readonly JudgedVariant[];
  readonly comparison?: VariantComparison;
  readonly waiting: readonly WaitingRuns[];
}

const TEST = 'exact test of Mantel and Haenszel, stratified by case, two-sided';
const LEVEL = 0.05;

interface TrialFacts {
  readonly directory: string;
  readonly kept: KeptTrial;
  readonly cases: readonly { readonly name: string }[];
  readonly slots: ReadonlyMap<number, TrialSlot>;
  readonly end: Pick<TrialReport, 'status' | 'waiting'>;
}

export function trialReport({ directory, kept, cases, slots, end }: TrialFacts): TrialReport {
  const { trial_id, count, budget } = kept;
  const resultsOf = (variant: number, at: number): TrialResult[] => {
    const results: TrialResult[] = [];
    for (let repetition = 0; repetition < count; repetition++) {
      const slot = (repetition * cases.length + at) * kept.variants.length + variant;
      const result = slots.get(slot)?.result;
      if (result != null) results.push(result);
    }
    return results;
  };
  const variants = kept.variants.map(({ name, program, agents }, variant): JudgedVariant => {
    const judged = cases.map((one, at) => judgedCase(one.name, resultsOf(variant, at)));
    const all = cases.flatMap((_, at) => resultsOf(variant, at));
    return { name, program, ...(Object.keys(agents).length === 0 ? {} : { agents }), ...rateOf(all), cases: judged };
  });
  const runs = count * cases.length * variants.length;
  const [first, second] = variants;
  const comparison = first === undefined || second === undefined ? null : compare(first, second);
  return {
    trial_id,
    started_at: kept.started_at,
    status: end.status,
    cases: kept.cases.name,
    count,
    runs,
    open: runs - variants.reduce((sum, one) => sum + one.runs, 0),
    budget: budget === null ? null : budgetOf(directory, trial_id, budget),
    variants,
    ...(comparison === null ? {} : { comparison }),
    waiting: end.waiting,
  };
}

function budgetOf(directory: string, id: string, limit: number): TrialReport['budget'] {
  const { spent = 0, unknown = 0 } = spentByTrial(directory, id) ?? {};
  const left = Math.max(addCost(limit, -spent), 0);
  return { limit, spent, left, ...(unknown === 0 ? {} : { cost_unknown: unknown }) };
}

function judgedCase(name: string, results: readonly TrialResult[]): JudgedCase {
  const failures = new Map<string, FailedExpectation>();
  for (const { run_id, failures: found } of results)
    for (const { expect, message } of found) {
      const before = failures.get(expect) ?? { expect, count: 0, message, run_id };
      failures.set(expect, { ...before, count: before.count + 1 });
    }
  const rate = rateOf(results);
  return {
    name,
    ...rate,
    flaky: rate.passed > 0 && rate.passed < rate.runs,
    failures: [...failures.values()].sort((one, other) => other.count - one.count),
    run_ids: results.map(({ run_id }) => run_id),
  };
}

function rateOf(results: readonly TrialResult[]): Rate {
  const runs = results.length;
  const passed = results.filter((one) => one.passed).length;
  const known = results.flatMap(({ cost }) => cost ?? []);
  const cost = runs > 0 && known.length === 0 ? null : known.reduce(addCost, 0);
  const isUnknown = results.some(({ cost: one, cost_unknown }) => one === null || cost_unknown === true);
  const time_ms = results.reduce((sum, one) => sum + one.time_ms, 0);
  return {
    runs,
    passed,
    rate: runs === 0 ? null : passed / runs,
    interval: wilson(passed, runs),
    cost,
    ...(isUnknown ? { cost_unknown: true } : {}),
    time_ms,
    cost_per_pass: passed === 0 || cost === null ? null : cost / passed,
    time_ms_per_pass: passed === 0 ? null : Math.round(time_ms / passed),
  };
}

function compare(first: JudgedVariant, second: JudgedVariant): VariantComparison | null {
  const strata = first.cases.map((one, at) => {
    const other = second.cases[at] as JudgedCase;
    return { runs: [one.runs, other.runs] as const, passed: [one.passed, other.passed] as const };
  });
  const found = compareRates(strata);
  if (found === null) return null;
  const { difference, p } = found;
  const better = difference > 0 ? second.name : difference < 0 ? first.name : null;
  return { better, difference, p, significant: p < LEVEL, test: TEST };
}
