/** What people and agents ask the service for about trials, the same whichever door it comes through: trials are tasks of its queue. */
import { readFileSync, realpathSync } from 'node:fs';
import { resolve, sep } from 'node:path';
import type { RunBounds } from '../../app/programs.js';
import { type Result, refuse, resultWith } from '../../app/result.js';
import type { TrialReport } from '../../lab/trials/trial-report.js';
import { type ReadyTrial, type TrialRequest, Trials } from '../../lab/trials/trials.js';
import type { Executions } from './executions.js';
import { readWaiting } from './waiting-list.js';

/** A trial that was promised, or is not begun before somebody confirms what it may cost. */
export type PromisedTrial =
  | (Pick<TrialReport, 'trial_id' | 'status' | 'runs' | 'open'> & { readonly bound?: RunBounds })
  | { readonly unconfirmed: string; readonly bound: RunBounds | null };

export interface WantedTrial extends Omit<TrialRequest, 'cases' | 'preparation'> {
  /** A file of the folder of programs. */
  readonly cases: string | { readonly text: string };
}

export interface TrialTaskOptions {
  /** How many runs are executed at once; default 1. */
  readonly jobs?: number | undefined;
  readonly confirm?: boolean | undefined;
  readonly by: string;
}

export class TrialTasks {
  private readonly trials: Trials;

  constructor(
    private readonly folder: string,
    private readonly directory: string,
    private readonly executions: () => Promise<Executions> | Executions,
  ) {
    this.trials = new Trials({ folder, directory });
  }

  async start({ cases, ...wanted }: WantedTrial, options: TrialTaskOptions): Promise<Result<PromisedTrial>> {
    const read = typeof cases === 'string' ? this.read(cases) : resultWith({ name: 'cases', ...cases });
    if (!read.ok) return read;
    const ready = await this.trials.prepare({ ...wanted, cases: read.value });
    return ready.ok ? this.promise(ready.value, options) : ready;
  }

  /** `budget`: instead of the one that it had. */
  async resume(id: string, budget: number | undefined, options: TrialTaskOptions): Promise<Result<PromisedTrial>> {
    const found = await this.show(id);
    if (!found.ok) return found;
    const { trial_id, status } = found.value;
    if (status === 'queued' || status === 'running')
      return refuse('held', `trial \`${trial_id}\` is ${status}`, 'wait until it ends, or interrupt it');
    if (status === 'complete')
      return refuse('over', `all runs of trial \`${trial_id}\` are judged`, 'begin a new trial');
    const ready = await this.trials.resume(trial_id, budget);
    return ready.ok ? this.promise(ready.value, options, budget) : ready;
  }

  private async promise(
    ready: ReadyTrial,
    { jobs = 1, confirm = false, by }: TrialTaskOptions,
    budget?: number,
  ): Promise<Result<PromisedTrial>> {
    const { kept, bound, unconfirmed, variants } = ready;
    if (unconfirmed !== null && !confirm) return resultWith({ unconfirmed, bound });
    const executions = await this.executions();
    const stored = await this.trials.keep(ready);
    if (!stored.ok) return stored;
    const machine = variants[0]?.program.machine.name ?? null;
    const task = { kind: 'trial', jobs, ...(budget === undefined ? {} : { budget }) } as const;
    const added = await executions.add({ run_id: kept.trial_id, machine, task, limits: {}, by });
    if (!added.ok) return added;
    const report = await this.show(kept.trial_id);
    if (!report.ok) return report;
    const { trial_id, status, runs, open } = report.value;
    return resultWith({ trial_id, status, runs, open, ...(bound === null ? {} : { bound }) });
  }

  /** What it has found so far. It is refused if it could not begin. */
  async show(name: string): Promise<Result<TrialReport>> {
    const found = await this.trials.report(name);
    if (!found.ok) return found;
    const { refusal } = readWaiting(this.directory, found.value.trial_id) ?? {};
    if (refusal === undefined || found.value.status === 'running') return resultWith(this.withPromise(found.value));
    const { code, message, help } = refusal;
    return { ok: false, refusal: { code: code === 'cancelled' ? 'over' : code, message, help } };
  }

  /** The newest first. */
  async list(): Promise<TrialReport[]> {
    return (await this.trials.list()).map((one) => this.withPromise(one));
  }

  /** What a service has promised to execute is not at its end. */
  private withPromise(report: TrialReport): TrialReport {
    const promise = readWaiting(this.directory, report.trial_id);
    const isPromised = promise !== null && promise.refusal === undefined && report.status !== 'running';
    return isPromised ? { ...report, status: promise.begun ? 'running' : 'queued' } : report;
  }

  /** Its process stops its runs, and it can be resumed. */
  async interrupt(name: string): Promise<Result<Pick<TrialReport, 'trial_id' | 'status'>>> {
    const found = await this.show(name);
    if (!found.ok) return found;
    const { trial_id } = found.value;
    const isOurs = (await this.executions()).interruptTrial(trial_id);
    const holder = this.trials.holderOf(trial_id);
    if (!isOurs && holder === null)
      return refuse('over', `trial \`${trial_id}\` is not executed`, 'resume it, or begin a new one');
    if (!isOurs && holder !== null && holder.pid !== process.pid) process.kill(holder.pid, 'SIGTERM');
    return resultWith({ trial_id, status: 'interrupted' });
  }

  /** Links that lead out of the folder are not followed. */
  private read(name: string): Result<{ readonly name: string; readonly text: string }> {
    try {
      const path = realpathSync(resolve(this.folder, name));
      if (path.startsWith(`${realpathSync(this.folder)}${sep}`))
        return resultWith({ name, text: readFileSync(path, 'utf8') });
    } catch {}
    return refuse('unknown', `there is no file \`${name}\` in the folder of programs`, 'name a file with cases');
  }
}
