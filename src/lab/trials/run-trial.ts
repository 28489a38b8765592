/**
 * Executes the runs of a trial: each case so often, for each variant in turn, so that a trial which is stopped early has run
 * all of them about equally often. Each is an ordinary run of the store. What stops is continued where it was: a run that was
 * begun is resumed, and what was judged is not run again.
 */
import type { ResumeRunOptions, StartOptions } from '../../app/execution-options.js';
import type { PreparedProgram } from '../../app/project/preparation.js';
import { OperationRefused, unwrap } from '../../app/result.js';
import type { Execution, Runs, ShownRun } from '../../app/runs.js';
import { isOver } from '../../interpreter/events/status-after.js';
import type { Json } from '../../machine/expression.js';
import { spentByTrial } from '../../runtime/agents/daily-budget.js';
import type { EffectPermits } from '../../runtime/effect-context.js';
import { newRunId } from '../../runtime/run/run-id.js';
import type { RunReport } from '../../runtime/run/run-report.js';
import type { StopSignal } from '../../runtime/stop-signal.js';
import {
  type KeptTrial,
  noteRun,
  readSlots,
  type TrialEnd,
  type TrialResult,
  type TrialSlot,
  type WaitingRuns,
} from '../../runtime/store/kept-trials.js';
import { judgeRun } from './judge-run.js';
import type { CompiledCases, TrialCase } from './read-cases.js';

/** A program of the trial, with what its runs are started by. */
export interface TrialVariant {
  readonly name: string;
  readonly runs: Runs;
  readonly program: PreparedProgram;
  readonly compiled: CompiledCases;
}

/** One run of a trial: it follows from its number. */
export interface PlannedRun {
  readonly slot: number;
  readonly one: TrialCase;
  readonly variant: number;
  /** From 1. */
  readonly repetition: number;
}

interface TrialOptions {
  readonly directory: string;
  readonly kept: KeptTrial;
  readonly variants: readonly TrialVariant[];
  readonly jobs: number;
  readonly signal: StopSignal;
  readonly kill: StopSignal;
  /** How long a run may wait in this process. Milliseconds; null: as long as it takes. */
  readonly suspendAfterMs: number | null;
  /** Limits the effects of these runs together with those of others. */
  readonly permits?: EffectPermits;
  readonly onJudged: (planned: PlannedRun, result: TrialResult) => void;
}

/** All runs of a trial, in the order in which they begin. */
export function plannedRuns({ count }: KeptTrial, variants: readonly Pick<TrialVariant, 'compiled'>[]): PlannedRun[] {
  const cases = variants[0]?.compiled.cases ?? [];
  const planned: PlannedRun[] = [];
  for (let repetition = 1; repetition <= count; repetition++)
    for (const at of cases.keys())
      for (const [variant, { compiled }] of variants.entries())
        planned.push({ slot: planned.length, one: compiled.cases[at] as TrialCase, variant, repetition });
  return planned;
}

export function runTrial(options: TrialOptions): Promise<TrialEnd> {
  return new TrialLoop(options).run();
}

class TrialLoop {
  private readonly known: Map<number, TrialSlot>;
  private readonly queue: PlannedRun[];
  private readonly inFlight = new Map<number, Promise<void>>();
  private readonly waiting: WaitingRuns[] = [];
  /** Variants of which nothing more begins, because a run of them waits. */
  private readonly parked = new Set<number>();
  /** How many runs were judged when a run stopped for want of money. */
  private readonly poor = new Map<number, number>();
  /** What the run has cost so far that was stopped. */
  private readonly costs = new Map<number, number>();
  private judged = 0;
  private failure: unknown = null;

  constructor(private readonly options: TrialOptions) {
    const { directory, kept, variants } = options;
    this.known = readSlots(directory, kept.trial_id);
    this.queue = plannedRuns(kept, variants).filter(({ slot }) => this.known.get(slot)?.result == null);
  }

  async run(): Promise<TrialEnd> {
    const { signal, jobs } = this.options;
    for (;;) {
      while (this.failure === null && !signal.aborted && this.inFlight.size < jobs) {
        const next = this.queue.find((planned) => this.mayBegin(planned));
        if (next === undefined) break;
        this.queue.splice(this.queue.indexOf(next), 1);
        this.launch(next);
      }
      if (this.inFlight.size === 0) break;
      await Promise.race(this.inFlight.values());
    }
    if (this.failure !== null) throw this.failure;
    const { waiting } = this;
    if (this.queue.length === 0 && waiting.length === 0) return { status: 'complete', waiting };
    if (signal.aborted) return { status: 'interrupted', waiting };
    return { status: waiting.length > 0 ? 'parked' : 'budget', waiting };
  }

  private mayBegin({ slot, variant }: PlannedRun): boolean {
    if (this.parked.has(variant)) return false;
    // Another run may have cost less than it had reserved, or there is nothing left to wait for.
    const stopped = this.poor.get(slot);
    if (stopped !== undefined && stopped === this.judged) return false;
    return this.isAffordable(slot, variant);
  }

  /** Whether what is left suffices for a run that costs as much as the dearest of its variant, in addition to those that are executed. */
  private isAffordable(slot: number, variant: number): boolean {
    const { kept, directory, variants } = this.options;
    if (kept.budget === null) return true;
    const { spent } = spentByTrial(directory, kept.trial_id) ?? { spent: 0 };
    const dearest = (of: number): number | null => {
      const known = [...this.known].flatMap(([at, { result }]) =>
        at % variants.length === of && result !== null ? [result.cost ?? 0] : [],
      );
      return known.length === 0 ? null : Math.max(...known);
    };
    const own = dearest(variant);
    // As long as nothing is known, one run begins alone.
    if (own === null) return this.inFlight.size === 0 && spent < kept.budget - ROUNDED;
    const others = [...this.inFlight.keys()].reduce((sum, at) => sum + (dearest(at % variants.length) ?? own), 0);
    const needs = Math.max(own - (this.costs.get(slot) ?? 0), 0) + others;
    return needs === 0 ? spent < kept.budget - ROUNDED : spent + needs <= kept.budget + ROUNDED;
  }

  private launch(planned: PlannedRun): void {
    const { slot } = planned;
    const work = this.execute(planned)
      .catch((cause: unknown) => {
        this.failure ??= cause;
      })
      .finally(() => {
        this.inFlight.delete(slot);
      });
    this.inFlight.set(slot, work);
  }

  private async execute(planned: PlannedRun): Promise<void> {
    const { kept, directory, variants, onJudged } = this.options;
    const { slot, one } = planned;
    const { runs, program, compiled } = variants[planned.variant] as TrialVariant;
    const report = await (await this.begin(planned)).report;
    const { run_id, status, waiting } = report;
    if (status === 'interrupted') {
      this.queue.unshift(planned);
      if (!this.options.signal.aborted)
        throw new OperationRefused({
          code: 'unusable',
          message: `run \`${run_id}\` was interrupted, but the trial was not`,
          help: `continue with \`statedsl trial --resume ${kept.trial_id}\``,
        });
      return;
    }
    if (status === 'suspended' && waiting.every(({ kind }) => kind === 'time')) return this.park(planned, report);
    const { expressions } = compiled;
    const result = await judgeRun({ runs, report, machine: program.machine, expressions, one });
    noteRun(directory, kept.trial_id, slot, run_id, result);
    this.known.set(slot, { run_id, result });
    this.judged++;
    onJudged(planned, result);
  }

  /** A run that waits for money continues when there is some; one that waits for anything else keeps its variant from continuing. */
  private park(planned: PlannedRun, { run_id, waiting, cost }: RunReport): void {
    const { slot, variant } = planned;
    this.queue.unshift(planned);
    if (waiting.some(({ account }) => account?.startsWith('trial:') === true)) {
      this.costs.set(slot, cost ?? 0);
      this.poor.set(slot, this.judged);
      return;
    }
    this.parked.add(variant);
    const [first] = waiting;
    const until = first?.until ?? null;
    this.waiting.push({ run_id, variant, until, ...(first?.account === undefined ? {} : { account: first.account }) });
  }

  /** Begins the run, or continues it where it stopped. */
  private async begin(planned: PlannedRun): Promise<Execution> {
    const { variants, kept } = this.options;
    const { runs } = variants[planned.variant] as TrialVariant;
    const begun = this.known.get(planned.slot);
    if (begun === undefined) return this.start(planned, newRunId());
    const found = await runs.inspect(begun.run_id);
    if (found.ok) return this.continueRun(planned, found.value);
    const { code } = found.refusal;
    // Its process was killed before there was a run, or it was removed.
    if (code === 'unknown' || code === 'unusable') return this.start(planned, newRunId());
    const help = `remove it with \`statedsl gc\`, and continue with \`statedsl trial --resume ${kept.trial_id}\``;
    throw new OperationRefused({ ...found.refusal, help: found.refusal.help ?? help });
  }

  private async start(planned: PlannedRun, runId: string): Promise<Execution> {
    const { variants, kept, directory } = this.options;
    const { slot, one, variant, repetition } = planned;
    const { runs, program, name } = variants[variant] as TrialVariant;
    noteRun(directory, kept.trial_id, slot, runId);
    this.known.set(slot, { run_id: runId, result: null });
    const of = variants.length > 1 ? `, ${name}` : '';
    const given = {
      ...this.common(),
      runId,
      name: `${one.name} ${repetition}/${kept.count}${of}`,
      // A remembered outcome says nothing about how often a flow succeeds.
      memo: { fresh: true },
      settings: { trial: kept.trial_id },
      // A run that waits for a person must not keep the next one from beginning.
      ...(program.machine.key === undefined ? {} : { keyWhile: 'running' as const }),
    };
    const prepared = { ...program, inputs: one.inputs, printed: one.printed };
    return unwrap(await runs.start(prepared, given as unknown as StartOptions));
  }

  private async continueRun({ variant, one }: PlannedRun, { run_id, status }: ShownRun): Promise<Execution> {
    const { runs, program } = this.options.variants[variant] as TrialVariant;
    if (isOver({ status }) || status === 'running') return unwrap(await runs.follow(run_id));
    const secrets = program.machine.inputs.flatMap(({ name, secret }): [string, Json][] =>
      secret === true && Object.hasOwn(one.inputs, name) ? [[name, one.inputs[name] as Json]] : [],
    );
    const given = { ...this.common(), inputs: Object.fromEntries(secrets) };
    return unwrap(await runs.resume(run_id, given as unknown as ResumeRunOptions));
  }

  private common() {
    const { signal, kill, suspendAfterMs, permits } = this.options;
    return { signal, kill, suspendAfterMs, ...(permits === undefined ? {} : { permits }) };
  }
}

/** Sums of costs are rounded. */
const ROUNDED = 1e-9;
