/**
 * Executes runs in processes of their own, so that the crash of one is not the crash of another: at most so many at once,
 * first come, first served. The processes survive the service, and the next service continues what they have not finished.
 */
import { join } from 'node:path';
import { type Result, refuse, resultOf, resultWith } from '../../control/result.js';
import type { Delivered } from '../../control/runs.js';
import type { Json } from '../../machine/expression.js';
import type { Delivery } from '../../runtime/store/inbox.js';
import { entryAt } from '../../runtime/store/own-file.js';
import { StoreError } from '../../runtime/store/store-error.js';
import { isRunId } from '../../runtime/store/stored-run.js';
import { type Continuation, isToContinue, type KeptDelivery, keepDelivery, readDeliveries } from './kept-deliveries.js';
import { StartingProcesses } from './starting-processes.js';
import {
  type BeginRefusal,
  forgetWaiting,
  isLocked,
  keepForBegin,
  keepWaiting,
  makeServiceFolder,
  type QueuedRun,
  queuedRunOf,
  readAllWaiting,
  readWaiting,
  until,
  type Waiting,
  writtenSince,
} from './waiting-list.js';

/**
 * A process that executes one run. When it has kept the promise it removes it from disk, and when the run could not begin it
 * writes the reason there. Otherwise the run was interrupted, or the process died.
 */
export interface RunProcess {
  readonly end: Promise<void>;
  /** Resolves when it executes its run. */
  readonly begun?: Promise<void>;
  /** Asks it to interrupt its run, which can be resumed. */
  interrupt(): void;
}

export interface ExecutionsOptions {
  /** The folder of the runs. */
  readonly directory: string;
  /** How many runs are executed at once. */
  readonly atOnce: number;
  /** How many processes are being started at once. */
  readonly startAtOnce?: number;
  /** Starts the process; `secret`: inputs of the run that are never on disk. */
  readonly start: (runId: string, secret: Readonly<Record<string, Json>>) => RunProcess;
  /** Called for a process that an earlier service started; returns what is called at its end. */
  readonly adopt?: () => () => void;
  /** Called when a process has ended. */
  readonly onEnd?: () => void;
}

/** How often a run is looked at that a process of an earlier service executes. */
const LOOK_MS = 200;
/** How long a full disk is left alone. */
const FULL_DISK_MS = 1000;
/** How long lists show a run that could not begin. */
const REFUSED_MS = 7 * 24 * 60 * 60 * 1000;
/** How long a request waits for the process of its run to begin. */
const DECIDED_MS = 5000;
/** How long a request waits until a run that was accepted has begun: processors may have other work. */
const BEGUN_MS = 30_000;
/** A process that dies again and again at its start is not started for ever. */
const MOST_STARTS = 5;

export class Executions {
  private readonly waiting = new Map<string, Waiting>();
  private readonly processes = new Map<string, RunProcess>();
  private readonly starting: StartingProcesses;
  private readonly adopted = new Map<string, NodeJS.Timeout>();
  private readonly starts = new Map<string, number>();
  /** Kept until the run is removed or the service ends: a run that is suspended needs them again. */
  private readonly secrets = new Map<string, Readonly<Record<string, Json>>>();
  /** Those of the time before the last promise, which count again if the process refuses to continue the run. */
  private readonly secretsBefore = new Map<string, Readonly<Record<string, Json>>>();
  /** Runs that continue when their process has ended. */
  private readonly afterwards = new Map<string, readonly KeptDelivery[]>();
  private number = 0;
  private isStopping = false;
  /** The next run could not be begun. */
  private isDiskFull = false;

  constructor(private readonly options: ExecutionsOptions) {
    this.starting = new StartingProcesses(options.startAtOnce ?? Number.POSITIVE_INFINITY, () => this.startNext());
  }

  /** Continues what an earlier service had promised. Throws a `StoreError` or the system's error. */
  open(): void {
    makeServiceFolder(this.options.directory);
    for (const one of readAllWaiting(this.options.directory)) {
      if (one.refusal !== undefined && Date.parse(one.queued_at) < Date.now() - REFUSED_MS) {
        forgetWaiting(this.options.directory, one.run_id);
        continue;
      }
      this.waiting.set(one.run_id, one);
      this.number = Math.max(this.number, one.number + 1);
    }
    for (const one of readDeliveries(this.options.directory)) {
      const { run_id } = one.continuation;
      // A process of the earlier service may be about to end, as in `resumeWith`.
      if (this.waiting.get(run_id)?.begun === true && isLocked(this.options.directory, run_id))
        this.resumeAfterwards(run_id, [one]);
      else void this.resumeWith([one]);
    }
    this.startNext();
  }

  /** How many runs are executed now. */
  get executing(): number {
    return this.processes.size + this.adopted.size;
  }

  isExecuting(runId: string): boolean {
    return this.processes.has(runId) || this.adopted.has(runId);
  }

  /** The secret inputs of a run, as long as they are in memory. `id`: its id or the beginning of one. */
  secretsOf(id: string): Readonly<Record<string, Json>> {
    const found = [...this.secrets].filter(([runId]) => runId.startsWith(id));
    return found.length === 1 ? (found[0]?.[1] ?? {}) : {};
  }

  /** The run has ended without its process: nothing of it is left to do. */
  forget(runId: string): void {
    this.secrets.delete(runId);
    this.secretsBefore.delete(runId);
    this.release(runId);
  }

  /** There is no promise any more, but the run may be continued again. */
  private release(runId: string): void {
    this.waiting.delete(runId);
    for (const one of this.afterwards.get(runId) ?? []) one.forget();
    this.afterwards.delete(runId);
    forgetWaiting(this.options.directory, runId);
  }

  /** A promise that was refused: the run is as it was before. */
  private takeBack(runId: string): void {
    this.secrets.set(runId, this.secretsBefore.get(runId) ?? {});
    this.starts.delete(runId);
    this.release(runId);
  }

  /** Promises to execute a run; the promise is on disk when this resolves. One run has one promise. */
  async add(
    task: Omit<Waiting, 'queued_at' | 'number' | 'begun'>,
    secret: Readonly<Record<string, Json>> = {},
  ): Promise<Result<Waiting>> {
    if (this.isStopping) return refuse('unavailable', 'the service is stopping', 'try again when it has started again');
    return this.promise(task, secret);
  }

  private async promise(
    task: Omit<Waiting, 'queued_at' | 'number' | 'begun'>,
    secret: Readonly<Record<string, Json>>,
  ): Promise<Result<Waiting>> {
    const known = this.waiting.get(task.run_id);
    if (known !== undefined && known.refusal === undefined)
      return refuse('held', `the service already executes run \`${task.run_id}\``, 'follow its events');
    const waiting: Waiting = { ...task, queued_at: new Date().toISOString(), number: this.number++, begun: false };
    const kept = await resultOf(() => keepWaiting(this.options.directory, waiting));
    if (!kept.ok) return kept;
    // A promise that was refused has changed nothing.
    const before = (known === undefined ? this.secrets : this.secretsBefore).get(waiting.run_id) ?? {};
    this.secretsBefore.set(waiting.run_id, before);
    if (Object.keys(secret).length > 0) this.secrets.set(waiting.run_id, { ...before, ...secret });
    this.waiting.set(waiting.run_id, waiting);
    this.startNext();
    return resultWith(waiting);
  }

  /** Before something is delivered to a run: what becomes of it does not depend on this process. */
  expectDelivery(continuation: Continuation): Promise<Result<KeptDelivery>> {
    return resultOf(() => keepDelivery(this.options.directory, continuation));
  }

  /**
   * Continues a run after something was delivered to it. A process that is about to end has not seen that, so its end is
   * waited for. If the service is stopping, the next one finds what is kept, and continues the run.
   */
  async resumeWith(delivered: readonly KeptDelivery[]): Promise<void> {
    const [first] = delivered;
    if (first === undefined || this.isStopping) return;
    const { run_id } = first.continuation;
    if (this.isExecuting(run_id)) return this.resumeAfterwards(run_id, delivered);
    const promised = await this.promise({ ...first.continuation, task: { kind: 'resume' } }, {});
    if (!promised.ok && promised.refusal.code === 'store')
      setTimeout(() => void this.resumeWith(delivered), FULL_DISK_MS).unref();
    // A run that already waits for its turn continues with what was delivered.
    else for (const one of delivered) one.forget();
  }

  private resumeAfterwards(runId: string, delivered: readonly KeptDelivery[]): void {
    this.afterwards.set(runId, [...(this.afterwards.get(runId) ?? []), ...delivered]);
  }

  /** Takes back a promise for which no process was started; a run without a record stays in lists. False: there is none. */
  withdraw(runId: string, by: string): boolean {
    const one = this.waiting.get(runId);
    if (one === undefined || one.refusal !== undefined || !this.isQueued(one)) return false;
    const refusal = { code: 'cancelled', message: `${by} cancelled the run before it began`, help: null } as const;
    if (this.isStored(runId) || !this.keep({ ...one, refusal })) this.forget(runId);
    else this.waiting.set(runId, { ...one, refusal });
    return true;
  }

  /** Runs that wait, newest first, also for the beginning of their record, and those that could not begin. */
  queuedRuns(): QueuedRun[] {
    return [...this.waiting.values()]
      .filter((one) => this.isShown(one))
      .map((one) => this.entryOf(one))
      .reverse();
  }

  /** The queued run with this id or beginning; null: there is none, or several. */
  find(id: string): QueuedRun | null {
    const exact = this.waiting.get(id);
    const isWhole = exact !== undefined || isRunId(id);
    const named = isWhole ? [exact] : [...this.waiting.values()].filter(({ run_id }) => run_id.startsWith(id));
    const found = named.filter((one) => one !== undefined && this.isShown(one));
    return found.length === 1 ? this.entryOf(found[0] as Waiting) : null;
  }

  private isShown(one: Waiting): boolean {
    // What a run with a record was refused does not change what it is.
    return one.refusal === undefined ? this.isQueued(one) || !this.hasRecord(one.run_id) : !this.isStored(one.run_id);
  }

  /** Waits while a run has been accepted and has no record yet. `id`: its id or the beginning of one. */
  untilRecorded(id: string, signal: AbortSignal): Promise<void> {
    const hasOne = (): boolean => {
      const found = this.find(id);
      return found === null || found.status === 'failed' || this.hasRecord(found.run_id);
    };
    return until(hasOne, Number.POSITIVE_INFINITY, signal);
  }

  /** Waits a while if the process of a run has been started and the run has no record yet. `id`: as for `untilRecorded`. */
  untilBegun(id: string, signal: AbortSignal): Promise<void> {
    return until(() => this.find(id)?.status !== 'running', BEGUN_MS, signal);
  }

  /**
   * Waits until the process of a run has begun to execute it, or has refused to; null: it has begun, or the run waits for its
   * turn. A refused run is forgotten.
   */
  async untilDecided(runId: string, signal: AbortSignal): Promise<BeginRefusal | null> {
    const refusal = (): BeginRefusal | undefined => this.waiting.get(runId)?.refusal;
    // A process that has locked the run may still refuse it; one that has written has begun.
    const hasWritten = writtenSince(this.options.directory, runId);
    await until(() => refusal() !== undefined || !this.isExecuting(runId) || hasWritten(), DECIDED_MS, signal);
    const why = refusal();
    if (why === undefined) return null;
    if (this.isStored(runId)) this.takeBack(runId);
    else this.forget(runId);
    return why;
  }

  /** Waits a while for a process of the run that has written its end; what it writes meanwhile is no end. */
  untilLeft(runId: string, signal: AbortSignal): Promise<void> {
    const hasWritten = writtenSince(this.options.directory, runId);
    return until(() => !this.isExecuting(runId) || hasWritten(), DECIDED_MS, signal);
  }

  /** Starts nothing more, waits so long for what is executed, then interrupts it. What was promised stays on disk. */
  async stop(graceMs: number): Promise<void> {
    this.isStopping = true;
    for (const timer of this.adopted.values()) clearTimeout(timer);
    this.adopted.clear();
    const ends = (): Promise<unknown> => Promise.all([...this.processes.values()].map(({ end }) => end));
    let timer: NodeJS.Timeout | undefined;
    const grace = new Promise((resolve) => {
      timer = setTimeout(resolve, graceMs);
    });
    await Promise.race([ends(), grace]);
    clearTimeout(timer);
    this.interruptAll();
    await ends();
  }

  /** Stops waiting for the grace of `stop`: everything is interrupted now. */
  interruptAll(): void {
    for (const process of this.processes.values()) process.interrupt();
  }

  /** Keeps what a run gets before it begins. Throws a `StoreError`. */
  keepForBegin(run_id: string, delivery: Delivery): Delivered {
    keepForBegin(this.options.directory, run_id, delivery, this.secretsOf(run_id));
    return { run_id, delivery: 'passed-on' };
  }

  private readonly isQueued = ({ run_id }: Waiting): boolean => !this.isExecuting(run_id);

  private startNext(): void {
    for (const one of this.waiting.values()) {
      if (this.isStopping || this.executing >= this.options.atOnce) break;
      if (one.refusal !== undefined || !this.isQueued(one)) continue;
      if (one.begun && isLocked(this.options.directory, one.run_id)) this.adopt(one.run_id);
      else if (this.starting.isFull || !this.begin(one)) break;
    }
  }

  /** False if the disk takes nothing now: then it is tried again later. */
  private begin(one: Waiting): boolean {
    this.isDiskFull = !this.keep({ ...one, begun: true });
    if (this.isDiskFull) {
      setTimeout(() => this.startNext(), FULL_DISK_MS).unref();
      return false;
    }
    this.waiting.set(one.run_id, { ...one, begun: true });
    this.starts.set(one.run_id, (this.starts.get(one.run_id) ?? 0) + 1);
    const process = this.options.start(one.run_id, this.secrets.get(one.run_id) ?? {});
    this.processes.set(one.run_id, process);
    this.starting.add(process);
    void process.end.then(() => {
      this.processes.delete(one.run_id);
      this.settle(one.run_id);
      this.startNext();
    });
    return true;
  }

  private keep(one: Waiting): boolean {
    try {
      keepWaiting(this.options.directory, one);
      return true;
    } catch (cause) {
      if (cause instanceof StoreError) return false;
      throw cause;
    }
  }

  /** A process of an earlier service executes it: its end shows in its lock. */
  private adopt(runId: string): void {
    const leave = this.options.adopt?.();
    const look = (): void => {
      if (isLocked(this.options.directory, runId)) {
        this.adopted.set(runId, setTimeout(look, LOOK_MS));
        return;
      }
      this.adopted.delete(runId);
      leave?.();
      this.settle(runId);
      this.startNext();
    };
    this.adopted.set(runId, setTimeout(look, LOOK_MS));
  }

  private readonly isStored = (runId: string): boolean =>
    entryAt(join(this.options.directory, 'runs', runId, 'run.json')) !== null;

  /** Whether something has happened to the run, so that everything that knows runs knows it. */
  hasRecord(runId: string): boolean {
    return (entryAt(join(this.options.directory, 'runs', runId, 'journal.ndjson'))?.size ?? 0) > 0;
  }

  /** Its process has ended: what is on disk says whether it has kept the promise. */
  private settle(runId: string): void {
    const one = readWaiting(this.options.directory, runId);
    this.options.onEnd?.();
    if (one === null) {
      this.waiting.delete(runId);
      this.starts.delete(runId);
      const delivered = this.afterwards.get(runId) ?? [];
      this.afterwards.delete(runId);
      if (delivered.length > 0 && isToContinue(this.options.directory, runId)) void this.resumeWith(delivered);
      // The process has taken what was delivered, or the run is over.
      else for (const kept of delivered) kept.forget();
    } else if (one.refusal === undefined && !this.isStopping && (this.starts.get(runId) ?? 0) >= MOST_STARTS) {
      const message = `the process of the run died ${MOST_STARTS} times`;
      const refusal = { code: 'unusable', message, help: 'resume it in a terminal to see why' } as const;
      this.waiting.set(runId, { ...one, refusal });
      this.keep({ ...one, refusal });
    } else this.waiting.set(runId, one);
  }

  private entryOf(one: Waiting): QueuedRun {
    return queuedRunOf(one, this.mustWait(one.run_id) ? 'queued' : 'running');
  }

  /** Whether the run waits for others, and not only for the start of its process. */
  mustWait(runId: string): boolean {
    if (this.isExecuting(runId) || !this.waiting.has(runId)) return false;
    let room = this.isStopping || this.isDiskFull ? 0 : this.options.atOnce - this.executing;
    for (const one of this.waiting.values()) {
      if (room <= 0) break;
      if (one.refusal !== undefined || !this.isQueued(one)) continue;
      if (one.run_id === runId) return false;
      room--;
    }
    return true;
  }
}
