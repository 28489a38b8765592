/**
 * Executes runs in processes of their own, so that the crash of one is not the crash of another: at most so many at once,
 * first come, first served. The processes survive the service, and the next service continues what they have not finished.
 */
import { join } from 'node:path';
import { type Result, refuse, resultOf, resultWith } from '../../app/result.js';
import { type SearchedInput, searchedInputs } from '../../app/run-filter.js';
import type { Delivered } from '../../app/runs.js';
import type { Json } from '../../machine/expression.js';
import type { Delivery } from '../../runtime/store/inbox.js';
import { entryAt } from '../../runtime/store/own-file.js';
import { keyHolder } from '../../runtime/store/run-keys.js';
import { StoreError } from '../../runtime/store/store-error.js';
import { isRunId } from '../../runtime/store/stored-run.js';
import { type Continuation, isToContinue, type KeptDelivery, keepDelivery, readDeliveries } from './kept-deliveries.js';
import { PromisedRun, type RunProcess } from './promised-run.js';
import {
  type BeginRefusal,
  forgetWaiting,
  isLocked,
  keepForBegin,
  keepWaiting,
  keyOnRecord,
  makeServiceFolder,
  type QueuedRun,
  queuedRunOf,
  readAllWaiting,
  readWaiting,
  until,
  type WaitingExecution,
  writtenSince,
} from './waiting-list.js';

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

/** How long a full disk is left alone. */
const FULL_DISK_MS = 1000;
/** How long lists show a run that could not begin. */
const REFUSED_MS = 7 * 24 * 60 * 60 * 1000;
/** How long a request waits for the process of its run to begin. */
const DECIDED_MS = 5000;
/** How long a request waits until a run that was accepted has begun: processors may have other work. */
const BEGUN_MS = 30_000;
/** How long the process of a run may take to end after it has recorded that. Milliseconds. */
const LEAVING_MS = 10_000;
/** How often runs are looked at that wait for the key of another one. Milliseconds. */
const KEY_MS = 500;
/** A process that dies again and again at its start is not started forever. */
const MOST_STARTS = 5;

export class Executions {
  /** In the order of their promises. */
  private readonly runs = new Map<string, PromisedRun>();
  private readonly starting: StartingProcesses;
  private readonly stopping = new AbortController();
  private number = 0;
  /** The next run could not be begun. */
  private isDiskFull = false;
  private keyTimer: NodeJS.Timeout | null = null;

  constructor(private readonly options: ExecutionsOptions) {
    this.starting = new StartingProcesses(options.startAtOnce ?? Number.POSITIVE_INFINITY, () => this.startNext());
  }

  /** Continues what an earlier service had promised. Throws a `StoreError` or the system's error. */
  open(): void {
    const { directory } = this.options;
    makeServiceFolder(directory);
    for (const one of readAllWaiting(directory)) {
      if (one.refusal !== undefined && Date.parse(one.queued_at) < Date.now() - REFUSED_MS) {
        forgetWaiting(directory, one.run_id);
        continue;
      }
      this.newest(one.run_id).promise = one;
      this.number = Math.max(this.number, one.number + 1);
    }
    for (const one of readDeliveries(directory)) {
      const { run_id } = one.continuation;
      const run = this.runs.get(run_id);
      // A process of the earlier service may be about to end, as in `resumeWith`.
      if (run?.promise?.begun === true && isLocked(directory, run_id)) run.keepDelivered([one]);
      else void this.resumeWith([one]);
    }
    this.startNext();
  }

  private get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  /** How many runs are executed now. */
  get executing(): number {
    return this.processes().length;
  }

  private processes(): RunProcess[] {
    return [...this.runs.values()].flatMap(({ process }) => process ?? []);
  }

  isExecuting(runId: string): boolean {
    return (this.runs.get(runId)?.process ?? null) !== null;
  }

  /** The secret inputs of a run, as long as they are in memory. `id`: its id or the beginning of one. */
  secretsOf(id: string): Readonly<Record<string, Json>> {
    const found = [...this.runs.values()].filter((run) => run.id.startsWith(id));
    return found.length === 1 ? (found[0]?.secret ?? {}) : {};
  }

  /** The run has ended without its process: nothing of it is left to do. */
  forget(runId: string): void {
    const run = this.runs.get(runId);
    if (run !== undefined) {
      run.end();
      run.secret = {};
      if (run.process === null) this.runs.delete(runId);
    }
    forgetWaiting(this.options.directory, runId);
  }

  /** Promises to execute a run; the promise is on disk when this resolves. One run has one promise. */
  async add(
    task: Omit<WaitingExecution, 'queued_at' | 'number' | 'begun'>,
    secret: Readonly<Record<string, Json>> = {},
  ): Promise<Result<WaitingExecution>> {
    if (this.isStopping) return refuse('unavailable', 'the service is stopping', 'try again when it has started again');
    return this.promise(task, secret);
  }

  private async promise(
    task: Omit<WaitingExecution, 'queued_at' | 'number' | 'begun'>,
    secret: Readonly<Record<string, Json>>,
  ): Promise<Result<WaitingExecution>> {
    if (this.runs.get(task.run_id)?.isPromised === true)
      return refuse('held', `the service already executes run \`${task.run_id}\``, 'follow its events');
    const key =
      task.key ??
      (task.task.kind === 'start'
        ? undefined
        : keyOnRecord(this.options.directory, task.task.kind === 'replay' ? task.task.of : task.run_id));
    const waiting: WaitingExecution = {
      ...task,
      ...(key === undefined ? {} : { key }),
      queued_at: new Date().toISOString(),
      number: this.number++,
      begun: false,
    };
    const kept = await resultOf(() => keepWaiting(this.options.directory, waiting));
    if (!kept.ok) return kept;
    this.newest(waiting.run_id).accept(waiting, secret);
    this.startNext();
    return resultWith(waiting);
  }

  /** What is known of a run, which comes after all others now. */
  private newest(runId: string): PromisedRun {
    const run = this.runs.get(runId) ?? new PromisedRun(runId);
    this.runs.delete(runId);
    this.runs.set(runId, run);
    return run;
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
    const run = this.runs.get(first.continuation.run_id);
    if (run !== undefined && run.process !== null) return run.keepDelivered(delivered);
    const promised = await this.promise({ ...first.continuation, task: { kind: 'resume' } }, {});
    if (!promised.ok && promised.refusal.code === 'store')
      setTimeout(() => void this.resumeWith(delivered), FULL_DISK_MS).unref();
    // A run that already waits for its turn continues with what was delivered.
    else for (const one of delivered) one.forget();
  }

  /** Sends something to a run, which continues with it unless its process gets it. */
  async deliver(to: Continuation, send: () => Promise<Result<Delivered>>): Promise<Result<Delivered>> {
    const expected = await this.expectDelivery(to);
    if (!expected.ok) return expected;
    const result = await send();
    if (!result.ok || result.value.delivery !== 'recorded') {
      expected.value.forget();
      return result;
    }
    await this.untilFree(to.run_id, this.stopping.signal);
    await this.resumeWith([expected.value]);
    return result;
  }

  /**
   * The process that somebody else started for the run may be about to end: it forgets what is promised for the run then, so
   * nothing is promised before. What this process has started it knows itself.
   */
  async untilFree(runId: string, signal: AbortSignal): Promise<void> {
    if (this.isExecuting(runId)) return;
    await until(() => !isLocked(this.options.directory, runId), LEAVING_MS, signal);
  }

  /** Takes back a promise for which no process was started; a run without a record stays in lists. False: there is none. */
  withdraw(runId: string, by: string): boolean {
    const run = this.runs.get(runId);
    if (run?.promise == null || !run.isQueued) return false;
    const refusal = { code: 'cancelled', message: `${by} cancelled the run before it began`, help: null } as const;
    const refused = { ...run.promise, refusal };
    if (this.isStored(runId) || !this.keep(refused)) this.forget(runId);
    else run.promise = refused;
    return true;
  }

  /** Interrupts the process of a trial, or takes back its promise; false: this service has neither. */
  interruptTrial(id: string): boolean {
    const run = this.runs.get(id);
    if (run === undefined || run.promise === null) return false;
    const { process } = run;
    this.forget(id);
    process?.interrupt();
    return process?.isAdopted !== true;
  }

  /** Runs that wait, newest first, also for the beginning of their record, and those that could not begin. */
  queuedRuns(): QueuedRun[] {
    return [...this.runs.values()].flatMap((run) => this.entryOf(run) ?? []).reverse();
  }

  /** The inputs of a run that has not begun, without secrets. */
  inputsOf(runId: string): SearchedInput[] {
    const task = this.runs.get(runId)?.promise?.task;
    return task?.kind === 'start' ? searchedInputs(task.inputs, task.printed) : [];
  }

  /** The queued run with this id or beginning; null: there is none, or several. */
  find(id: string): QueuedRun | null {
    const exact = this.runs.get(id);
    const isWhole = exact !== undefined || isRunId(id);
    const named = isWhole ? [exact] : [...this.runs.values()].filter((run) => run.id.startsWith(id));
    const found = named.flatMap((run) => (run === undefined ? [] : (this.entryOf(run) ?? [])));
    return found.length === 1 ? (found[0] ?? null) : null;
  }

  /** How lists show it; null: its record does. */
  private entryOf(run: PromisedRun): QueuedRun | null {
    const { promise, id } = run;
    // A trial is no run.
    if (promise === null || promise.task.kind === 'trial') return null;
    // What a run with a record was refused does not change what it is.
    const isShown = run.isPromised ? run.isQueued || !this.hasRecord(id) : !this.isStored(id);
    return isShown ? queuedRunOf(promise, this.mustWait(id) ? 'queued' : 'running') : null;
  }

  /** Whether a run that is not executed at this moment will be, without anything more from outside. */
  mayContinue(runId: string): boolean {
    const run = this.runs.get(runId);
    return run !== undefined && (run.isPromised || run.process !== null);
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
    const refusal = (): BeginRefusal | undefined => this.runs.get(runId)?.promise?.refusal;
    // A process that has locked the run may still refuse it; one that has written has begun.
    const hasWritten = writtenSince(this.options.directory, runId);
    await until(() => refusal() !== undefined || !this.isExecuting(runId) || hasWritten(), DECIDED_MS, signal);
    const why = refusal();
    if (why === undefined) return null;
    if (this.isStored(runId)) {
      this.runs.get(runId)?.takeBack();
      forgetWaiting(this.options.directory, runId);
    } else this.forget(runId);
    return why;
  }

  /** Waits a while for a process of the run that has written its end; what it writes meanwhile is no end. */
  untilLeft(runId: string, signal: AbortSignal): Promise<void> {
    const hasWritten = writtenSince(this.options.directory, runId);
    return until(() => !this.isExecuting(runId) || hasWritten(), DECIDED_MS, signal);
  }

  /** Starts nothing more, waits so long for what is executed, then interrupts it. What was promised stays on disk. */
  async stop(graceMs: number): Promise<void> {
    this.stopping.abort();
    const ends = (): Promise<unknown> =>
      Promise.all(this.processes().map(({ end, isAdopted }) => (isAdopted === true ? null : end)));
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
    for (const process of this.processes()) process.interrupt();
  }

  /** Keeps what a run gets before it begins. Throws a `StoreError`. */
  keepForBegin(run_id: string, delivery: Delivery): Delivered {
    keepForBegin(this.options.directory, run_id, delivery, this.secretsOf(run_id));
    return { run_id, delivery: 'passed-on' };
  }

  /** Whether a run would only wait for another one: then it takes no place from those that can be executed. */
  private waitsForKey({ id, promise }: PromisedRun): boolean {
    const key = promise?.key;
    if (key === undefined || key.onBusy !== 'wait') return false;
    for (const run of this.runs.values())
      if (run.process !== null && run.id !== id && run.promise?.key?.name === key.name) return true;
    return keyHolder(this.options.directory, key.name, id) !== null;
  }

  /** The run that has a key may be executed by others, who do not say when it ends. */
  private lookForKeys(): void {
    this.keyTimer ??= setTimeout(() => {
      this.keyTimer = null;
      this.startNext();
    }, KEY_MS).unref();
  }

  private startNext(): void {
    for (const run of this.runs.values()) {
      if (this.isStopping || this.executing >= this.options.atOnce) break;
      if (run.promise === null || !run.isQueued) continue;
      if (this.waitsForKey(run)) {
        this.lookForKeys();
        continue;
      }
      if (run.promise.begun && isLocked(this.options.directory, run.id)) this.execute(run, this.adopt(run.id));
      else if (this.starting.isFull || !this.begin(run, run.promise)) break;
    }
  }

  /** False if the disk takes nothing now: then it is tried again later. */
  private begin(run: PromisedRun, promise: WaitingExecution): boolean {
    const begun = { ...promise, begun: true };
    this.isDiskFull = !this.keep(begun);
    if (this.isDiskFull) {
      setTimeout(() => this.startNext(), FULL_DISK_MS).unref();
      return false;
    }
    run.promise = begun;
    run.starts++;
    const process = this.options.start(run.id, run.secret);
    this.execute(run, process);
    this.starting.add(process);
    return true;
  }

  private execute(run: PromisedRun, process: RunProcess): void {
    run.process = process;
    void process.end.then(() => {
      // The next service looks for a process that this one has not started.
      if (process.isAdopted === true && this.isStopping) return;
      run.process = null;
      this.settle(run);
      this.startNext();
    });
  }

  /** A process of an earlier service: its end shows in its lock. */
  private adopt(runId: string): RunProcess {
    const leave = this.options.adopt?.();
    const isLeft = (): boolean => !isLocked(this.options.directory, runId);
    const end = until(isLeft, Number.POSITIVE_INFINITY, this.stopping.signal).finally(leave);
    return { end, interrupt: () => undefined, isAdopted: true };
  }

  private keep(one: WaitingExecution): boolean {
    try {
      keepWaiting(this.options.directory, one);
      return true;
    } catch (cause) {
      if (cause instanceof StoreError) return false;
      throw cause;
    }
  }

  private readonly isStored = (runId: string): boolean =>
    entryAt(join(this.options.directory, 'runs', runId, 'run.json')) !== null;

  /** Whether something has happened to the run, so that everything that knows runs knows it. */
  hasRecord(runId: string): boolean {
    return (entryAt(join(this.options.directory, 'runs', runId, 'journal.ndjson'))?.size ?? 0) > 0;
  }

  /** Its process has ended: what is on disk says whether it has kept the promise. */
  private settle(run: PromisedRun): void {
    const promise = readWaiting(this.options.directory, run.id);
    this.options.onEnd?.();
    if (promise === null) {
      const delivered = run.takeDelivered();
      run.end();
      if (delivered.length > 0 && isToContinue(this.options.directory, run.id)) void this.resumeWith(delivered);
      // The process has taken what was delivered, or the run is over.
      else for (const kept of delivered) kept.forget();
    } else if (promise.refusal === undefined && !this.isStopping && run.starts >= MOST_STARTS) {
      const message = `the process of the run died ${MOST_STARTS} times`;
      const refusal = { code: 'unusable', message, help: 'resume it in a terminal to see why' } as const;
      run.promise = { ...promise, refusal };
      this.keep(run.promise);
    } else run.promise = promise;
    if (run.promise === null && Object.keys(run.secret).length === 0) this.runs.delete(run.id);
  }

  /** Whether the run waits for others, and not only for the start of its process. */
  mustWait(runId: string): boolean {
    if (this.runs.get(runId)?.isQueued !== true) return false;
    let room = this.isStopping || this.isDiskFull ? 0 : this.options.atOnce - this.executing;
    for (const run of this.runs.values()) {
      if (room <= 0) break;
      if (!run.isQueued || this.waitsForKey(run)) continue;
      if (run.id === runId) return false;
      room--;
    }
    return true;
  }
}

/** How long the start of a process keeps back the next one. */
const START_MS = 5000;

/**
 * The processes that are being started: each takes a processor until it executes its run. Many of them at once would keep
 * the service from answering, and none of them would begin sooner.
 */
class StartingProcesses {
  private readonly processes = new Set<RunProcess>();

  /** `onRoom`: called when the next process may be started. */
  constructor(
    private readonly atMost: number,
    private readonly onRoom: () => void,
  ) {}

  get isFull(): boolean {
    return this.processes.size >= this.atMost;
  }

  /** It counts until it executes its run, has ended or takes too long. */
  add(process: RunProcess): void {
    if (process.begun === undefined) return;
    this.processes.add(process);
    const remove = (): void => {
      clearTimeout(timer);
      if (this.processes.delete(process)) this.onRoom();
    };
    const timer = setTimeout(remove, START_MS).unref();
    void process.begun.then(remove);
    void process.end.then(remove);
  }
}
