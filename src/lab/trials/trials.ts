/** The trials of a folder of programs, the same for every door: they are checked, kept, executed, continued and reported. */
import { openPrograms, openRuns } from '../../app/open-runs.js';
import type { OpenedFolder, Prepared, PrepareOptions, RunBounds } from '../../app/programs.js';
import type { PreparedProgram } from '../../app/project/preparation.js';
import { invalidProgram, type Result, refuse, resultOf, resultWith } from '../../app/result.js';
import { boundsBeforeStart, whyConfirm } from '../../app/run-bounds.js';
import type { Json } from '../../machine/expression.js';
import { callsAgents } from '../../machine/machine.js';
import type { EffectPermits } from '../../runtime/effect-context.js';
import { newRunId } from '../../runtime/run/run-id.js';
import type { StopSignal } from '../../runtime/stop-signal.js';
import { digestOf } from '../../runtime/store/image.js';
import {
  type KeptTrial,
  type KeptVariant,
  keepTrial,
  readSlots,
  readTrial,
  trialFolder,
  trialIds,
} from '../../runtime/store/kept-trials.js';
import { lockHolder, lockRun, ownerText } from '../../runtime/store/run-lock.js';
import { makeStore, requireOwnStore } from '../../runtime/store/store-ownership.js';
import { caseNames, readCases } from './read-cases.js';
import { type PlannedRun, plannedRuns, runTrial, type TrialVariant } from './run-trial.js';
import { type TrialReport, trialReport } from './trial-report.js';

/** Where the programs and the runs are. */
export interface TrialFolders extends Pick<OpenedFolder, 'allowOutside' | 'onDebugger'> {
  /** Absolute. */
  readonly folder: string;
  readonly directory: string;
}

export interface TrialRequest {
  readonly program: string;
  readonly cases: KeptTrial['cases'];
  /** How often each case is run; default 10. */
  readonly count?: number | undefined;
  /** The program of the second variant. */
  readonly against?: string | undefined;
  /** Other agents of the second variant, by the names that they replace. */
  readonly agents?: Readonly<Record<string, string>> | undefined;
  /** US dollars. */
  readonly budget?: number | undefined;
  readonly preparation?: Readonly<Record<string, Json>>;
}

/** A trial that can begin or continue. */
export interface ReadyTrial {
  readonly kept: KeptTrial;
  readonly variants: readonly TrialVariant[];
  readonly warnings: Prepared['warnings'];
  /** The runs that are left. */
  readonly open: readonly PlannedRun[];
  readonly isNew: boolean;
  /** What they call and cost at most; null: they call no agents. */
  readonly bound: RunBounds | null;
  /** Why somebody has to confirm it first; null: nobody has to. */
  readonly unconfirmed: string | null;
}

interface TrialExecution extends Pick<Parameters<typeof runTrial>[0], 'signal' | 'suspendAfterMs'> {
  readonly jobs?: number;
  readonly kill?: StopSignal;
  readonly permits?: EffectPermits;
  readonly onJudged?: Parameters<typeof runTrial>[0]['onJudged'];
}

const USUAL_COUNT = 10;

export class Trials {
  constructor(private readonly folders: TrialFolders) {}

  /** Checks everything, and starts and keeps nothing. */
  async prepare(request: TrialRequest): Promise<Result<ReadyTrial>> {
    const { program, cases, count = USUAL_COUNT, against, agents, budget = null, preparation = {} } = request;
    if (against !== undefined && agents !== undefined)
      return refuse(
        'wrong-use',
        'another program and other agents each name the other variant',
        'leave out one of them: a trial compares two variants',
      );
    const named: Omit<KeptVariant, 'digest'>[] = [{ name: program, program, agents: {} }];
    if (against !== undefined)
      named.push({ name: against === program ? `${against} (2)` : against, program: against, agents: {} });
    if (agents !== undefined) named.push({ name: agentsName(program, agents), program, agents });
    const kept: KeptTrial = {
      statedsl_trial: 1,
      trial_id: newRunId(),
      folder: this.folders.folder,
      started_at: new Date().toISOString(),
      variants: named.map((one) => ({ ...one, digest: '' })),
      cases,
      count,
      budget,
      preparation,
    };
    return this.load(kept, true);
  }

  /** `name`: its id or the beginning of one; null: the latest. `budget`: another one than before. */
  async resume(name: string | null, budget?: number): Promise<Result<ReadyTrial>> {
    const found = this.find(name);
    if (!found.ok) return found;
    const { end: _, ...kept } = found.value;
    return this.load(budget === undefined ? kept : { ...kept, budget }, false);
  }

  private find(name: string | null): Result<KeptTrial> {
    const { directory } = this.folders;
    const ids = trialIds(directory);
    const named = name === null ? ids.slice(0, 1) : ids.filter((id) => name !== '' && id.startsWith(name));
    const [id] = named;
    if (id === undefined || named.length > 1) {
      const many = id === undefined ? 'no trial' : 'more than one trial';
      const what = name === null ? 'there is no trial' : `${many} begins with \`${name}\``;
      const help = ids.length === 0 ? 'begin one: `statedsl trial FILE --cases FILE`' : `the latest is \`${ids[0]}\``;
      return refuse('unknown', `${what} in \`${directory}\``, help);
    }
    const kept = readTrial(directory, id);
    return kept === null
      ? refuse('unusable', `another version of statedsl began trial \`${id}\``, 'begin a new trial')
      : resultWith(kept);
  }

  private async load(given: KeptTrial, isNew: boolean): Promise<Result<ReadyTrial>> {
    const { directory, allowOutside = false, onDebugger } = this.folders;
    const { trial_id: id, budget, folder, started_at } = given;
    const variants: TrialVariant[] = [];
    const warnings: Prepared['warnings'][number][] = [];
    for (const { name, program, agents } of given.variants) {
      const trial = budget === null ? {} : { trial: { id, limit: budget, day: started_at.slice(0, 10) } };
      const options = { folder, dir: directory, allowOutside, agents, ...trial };
      const prepared = await openPrograms(options).prepare(program, given.preparation as PrepareOptions);
      if (!prepared.ok) return prepared;
      const loaded = prepared.value as unknown as PreparedProgram;
      const read = await readCases(given.cases, loaded.machine, given.variants.length > 1 ? name : null);
      if (read.compiled === null)
        return invalidProgram({ diagnostics: [...read.diagnostics], sources: [...read.sources] });
      warnings.push(...prepared.value.warnings);
      variants.push({ name, runs: openRuns({ ...options, onDebugger }), program: loaded, compiled: read.compiled });
    }
    const digests = variants.map(({ program }) => digestOf(program.machine));
    const changed = isNew ? -1 : given.variants.findIndex(({ digest }, at) => digest !== digests[at]);
    if (changed >= 0)
      return refuse(
        'wrong-use',
        `\`${given.variants[changed]?.name}\` has changed since the trial began`,
        'begin a new trial, or undo the change: runs of two programs cannot be counted together',
      );
    const kept = { ...given, variants: given.variants.map((one, at) => ({ ...one, digest: digests[at] ?? '' })) };
    const slots = readSlots(directory, id);
    const open = plannedRuns(kept, variants).filter(({ slot }) => slots.get(slot)?.result == null);
    return resultWith({ kept, variants, warnings, open, isNew, ...(await confirmation(kept, variants, open)) });
  }

  /** On disk when it resolves: from now on it can be resumed. Nothing is executed. */
  keep({ kept, isNew }: ReadyTrial): Promise<Result<void>> {
    const { directory } = this.folders;
    return resultOf(async () => {
      makeStore(directory);
      await requireOwnStore(directory);
      if (isNew) keepTrial(directory, kept);
    });
  }

  /** Executes what is left of a trial that is kept. */
  async execute({ kept, variants }: ReadyTrial, given: TrialExecution): Promise<Result<TrialReport>> {
    const { directory } = this.folders;
    const attempt = lockRun(trialFolder(directory, kept.trial_id));
    if ('owner' in attempt)
      return refuse(
        'held',
        `trial \`${kept.trial_id}\` is run by ${ownerText(attempt.owner)}`,
        'wait until it ends, or interrupt it',
      );
    try {
      keepTrial(directory, kept);
      const { jobs = 1, kill = given.signal, onJudged = () => undefined, ...rest } = given;
      const end = await runTrial({ directory, kept, variants, jobs, kill, onJudged, ...rest });
      keepTrial(directory, { ...kept, end });
      return resultWith(this.reportOf(kept, variants[0]?.compiled.cases ?? [], end));
    } finally {
      attempt.lock.release();
    }
  }

  /** What it has found so far, whichever process executes it. */
  async report(name: string): Promise<Result<TrialReport>> {
    const found = this.find(name);
    if (!found.ok) return found;
    const kept = found.value;
    const names = await caseNames(kept.cases);
    const waiting = kept.end?.waiting ?? [];
    return resultWith(this.reportOf(kept, names, { status: this.statusOf(kept), waiting }));
  }

  /** The newest first, as far as this version can read them. */
  async list(): Promise<TrialReport[]> {
    const reports = await Promise.all(trialIds(this.folders.directory).map((id) => this.report(id)));
    return reports.flatMap((one) => (one.ok ? [one.value] : []));
  }

  /** The process that executes it; null: none does. */
  holderOf(id: string) {
    return lockHolder(trialFolder(this.folders.directory, id)).owner;
  }

  private statusOf({ trial_id, end }: KeptTrial): TrialReport['status'] {
    // A process that was killed has left no end.
    return this.holderOf(trial_id) === null ? (end?.status ?? 'interrupted') : 'running';
  }

  private reportOf(
    kept: KeptTrial,
    cases: readonly { readonly name: string }[],
    end: Pick<TrialReport, 'status' | 'waiting'>,
  ): TrialReport {
    const { directory } = this.folders;
    return trialReport({ directory, kept, cases, slots: readSlots(directory, kept.trial_id), end });
  }
}

const agentsName = (program: string, agents: Readonly<Record<string, string>>): string =>
  `${program} with ${Object.entries(agents)
    .map(([name, other]) => `${name}=${other}`)
    .join(', ')}`;

/** A trial loses at most about as long before its first call as a run does. Milliseconds. */
const COUNTING_MS = 150;

async function confirmation(
  { budget }: KeptTrial,
  variants: readonly TrialVariant[],
  open: readonly PlannedRun[],
): Promise<Pick<ReadyTrial, 'bound' | 'unconfirmed'>> {
  const paid = open.filter(({ variant }) => callsAgents((variants[variant] as TrialVariant).program.machine));
  if (paid.length === 0) return { bound: null, unconfirmed: null };
  const sum = await boundOf(variants, paid);
  const bound = budget === null || sum.cost === null ? sum : { ...sum, cost: Math.min(sum.cost, budget) };
  const asked = bound.cost === null && budget !== null ? { ...bound, cost: budget } : bound;
  return { bound, unconfirmed: whyConfirm(asked, variants[0]?.program.configuration.confirm_above ?? {}) };
}

async function boundOf(variants: readonly TrialVariant[], paid: readonly PlannedRun[]): Promise<RunBounds> {
  const begun = performance.now();
  const known = new Map<unknown, RunBounds | null>();
  let sum: RunBounds = { calls: 0, cost: 0, agents: [] };
  for (const { variant, one } of paid) {
    let found = known.get(one);
    if (found === undefined) {
      if (performance.now() - begun > COUNTING_MS)
        return { calls: null, cost: null, agents: [], problem: 'not computed' };
      const { machine, configuration, instead } = (variants[variant] as TrialVariant).program;
      found = await boundsBeforeStart(machine, { ...one, configuration, instead });
      known.set(one, found);
    }
    if (found === null) continue;
    if (found.calls === null || found.problem !== undefined) return found;
    const cost = sum.cost === null || found.cost === null ? null : sum.cost + found.cost;
    sum = { ...sum, calls: (sum.calls ?? 0) + found.calls, cost };
  }
  return sum;
}
