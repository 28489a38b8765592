/**
 * What the service has promised to execute, as files: one for each run, from the request until the run ends or is suspended.
 * A service that dies finds here what it has to continue.
 */
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { ReplayFrom } from '../../app/execution-options.js';
import type { Refusal } from '../../app/result.js';
import type { Json } from '../../machine/expression.js';
import type { Limits, Machine } from '../../machine/machine.js';
import type { MemoOptions } from '../../runtime/memo.js';
import { createRedactor } from '../../runtime/redact.js';
import { secretsOf } from '../../runtime/run/run-options.js';
import { emptyReport } from '../../runtime/run/run-report.js';
import { keyOfProgram } from '../../runtime/run/run-title.js';
import { type Delivery, deliver, INBOX } from '../../runtime/store/inbox.js';
import { entryAt, makeFolder, readOwn, writeOwn } from '../../runtime/store/own-file.js';
import type { OnBusy, RunKey } from '../../runtime/store/run-header.js';
import { checkKey, withoutKey } from '../../runtime/store/run-keys.js';
import { lockHolder } from '../../runtime/store/run-lock.js';
import { storeError } from '../../runtime/store/store-error.js';
import { QUEUE, type RunAbout } from '../../runtime/store/stored-run.js';

/** What is to be executed: a new run of a program or text, a run that continues, or a new run from a point of an old one. */
export type Task =
  | {
      readonly kind: 'start';
      /** The path from the folder of programs. */
      readonly program?: string;
      readonly text?: string;
      /** What the person who asks for it calls it. */
      readonly name?: string;
      readonly inputs: Readonly<Record<string, Json>>;
      /** The JSON text of inputs with a number that JavaScript would print differently, such as `1.10`. */
      readonly printed?: Readonly<Record<string, string>>;
      /** The span of the request, to whose trace the run belongs. */
      readonly traceparent?: string;
      readonly memo?: MemoOptions;
    }
  /** `rollback`: performs its UNDO commands instead. */
  | { readonly kind: 'resume'; readonly rollback?: true }
  | { readonly kind: 'replay'; readonly of: string; readonly from: ReplayFrom }
  /** What is left of a trial that is kept; its id takes the place of that of a run. `budget`: instead of the one that it had. */
  | { readonly kind: 'trial'; readonly jobs: number; readonly budget?: number };

/** What a run shares with others that must not be executed at the same time. */
export type WaitingKey = RunKey & { readonly onBusy: OnBusy };

/** What was asked for; what is absent follows from the program. */
export interface WantedKey {
  readonly key?: string | undefined;
  readonly onBusy?: OnBusy | undefined;
  readonly while?: 'running' | undefined;
}

/** Null: the run has no key. Throws a `RunRefused`. */
export function keyOfStart(
  machine: Machine,
  inputs: Readonly<Record<string, Json>>,
  { key, onBusy, while: period }: WantedKey,
): WaitingKey | null {
  const name = key ?? keyOfProgram(machine, inputs);
  if (name === null) {
    if (onBusy !== undefined || period !== undefined) throw withoutKey();
    return null;
  }
  checkKey(name);
  return { name, onBusy: onBusy ?? 'wait', ...(period === undefined ? {} : { while: period }) };
}

/** The key that a run has on record. */
export function keyOnRecord(directory: string, runId: string): WaitingKey | undefined {
  try {
    const about = JSON.parse(readOwn(join(directory, 'runs', runId, 'run.json')).toString('utf8')) as RunAbout;
    return about.key === undefined ? undefined : { ...about.key, onBusy: 'wait' };
  } catch {
    return undefined;
  }
}

/** A promise of the service to execute a run. */
export interface WaitingExecution {
  readonly run_id: string;
  /** The machine or the program, for lists. */
  readonly machine: string | null;
  /** What a person will call it; absent: its program is all that is known. */
  readonly title?: string | undefined;
  /** ISO 8601. */
  readonly queued_at: string;
  /** Orders those that came in the same millisecond. */
  readonly number: number;
  readonly task: Task;
  readonly limits: Limits;
  /** Absent: other runs do not keep it from being executed. */
  readonly key?: WaitingKey;
  /** Who asked for it. */
  readonly by: string;
  /** A process was started for it, which may have died. */
  readonly begun: boolean;
  /** Why it could not begin; then nothing more is tried. */
  readonly refusal?: BeginRefusal;
}

/** A run in lists that is not executed yet, with the members of others. */
export interface QueuedRun {
  readonly run_id: string;
  readonly machine: string | null;
  readonly title: string | null;
  /** `queued`: others are executed first. `running`: its process has been started or is next, and the run has no record yet. */
  readonly status: 'queued' | 'running' | 'failed';
  readonly state: null;
  readonly started_at: string;
  readonly ended_at: null;
  readonly duration_ms: null;
  readonly cost: null;
  readonly effects: null;
  readonly error?: { readonly kind: string; readonly message: string };
  readonly key?: string;
}

/** How lists show it; `status`: as long as nothing was refused. */
export function queuedRunOf(one: WaitingExecution, status: 'queued' | 'running'): QueuedRun {
  const { run_id, machine, title = machine, queued_at, refusal, key } = one;
  return {
    run_id,
    machine,
    title,
    status: refusal === undefined ? status : 'failed',
    state: null,
    started_at: queued_at,
    ended_at: null,
    duration_ms: null,
    cost: null,
    effects: null,
    ...(refusal === undefined ? {} : { error: { kind: refusal.code, message: refusal.message } }),
    ...(key === undefined ? {} : { key: key.name }),
  };
}

/**
 * How it is shown alone: as a run before its first event, with all members that a run has then, so that no reader needs a
 * second shape.
 */
export function beforeFirstEvent(one: QueuedRun) {
  const { run_id, machine, title, status, started_at, error, key } = one;
  return {
    ...emptyReport(run_id, machine, 'interrupted'),
    title,
    status,
    error: error === undefined ? null : { ...error, state: null, line: null, file: null, tool: null, exit_code: null },
    seq: 0,
    at: started_at,
    last_seq: 0,
    started_at,
    inputs: {},
    bound: {},
    values: {},
    ...(key === undefined ? {} : { key }),
  };
}

/** Also that a user cancelled it before. */
export type BeginRefusal = Omit<Refusal, 'findings' | 'code'> & { readonly code: Refusal['code'] | 'cancelled' };

const NAME = /^([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.json$/;

/** The folder below that of the runs. */
export const serviceFolder = (directory: string): string => join(directory, 'service');

const fileOf = (directory: string, runId: string): string => join(directory, QUEUE, `${runId}.json`);

/** Holds the lock of the process that executes the run for a service. */
export const executionFolder = (directory: string, runId: string): string =>
  join(serviceFolder(directory), 'processes', runId);

/** Whether a process executes the run for a service, this one or an earlier one. */
export function isLocked(directory: string, runId: string): boolean {
  const folder = executionFolder(directory, runId);
  return entryAt(folder) !== null && lockHolder(folder).owner !== null;
}

/** What a run gets that has not begun, on disk when it returns. Throws a `StoreError`. */
export function keepForBegin(
  directory: string,
  runId: string,
  delivery: Delivery,
  secretInputs: Readonly<Record<string, Json>>,
): void {
  const folder = executionFolder(directory, runId);
  makeFolder(folder, 0o700);
  const inputs = Object.keys(secretInputs).map((name) => ({ name, secret: true as const }));
  deliver(folder, delivery, createRedactor(secretsOf({ inputs }, { inputs: secretInputs })));
}

/**
 * Makes the folder of a run that is about to begin ready: without the parts of one that a process left which died while it made
 * it, in which nothing has happened, and with what the run got meanwhile.
 */
export function prepareRunFolder(directory: string, runId: string): void {
  const folder = join(directory, 'runs', runId);
  const kept = join(executionFolder(directory, runId), INBOX);
  if (entryAt(folder) !== null)
    for (const name of readdirSync(folder))
      if (name !== INBOX) rmSync(join(folder, name), { recursive: true, force: true });
  if (entryAt(kept) !== null) {
    makeFolder(folder, 0o700);
    renameSync(kept, join(folder, INBOX));
  }
}

export function makeServiceFolder(directory: string): string {
  makeFolder(join(directory, QUEUE), 0o700);
  return serviceFolder(directory);
}

/** In the order of their requests. A file that cannot be read is left alone: it may belong to a newer version. */
export function readAllWaiting(directory: string): WaitingExecution[] {
  const names = readdirSync(join(directory, QUEUE));
  const all = names.flatMap((name) => {
    const id = NAME.exec(name)?.[1];
    const waiting = id === undefined ? null : readWaiting(directory, id);
    return waiting === null ? [] : [waiting];
  });
  return all.sort((a, b) => a.queued_at.localeCompare(b.queued_at) || a.number - b.number);
}

export function readWaiting(directory: string, runId: string): WaitingExecution | null {
  try {
    const one = JSON.parse(readOwn(fileOf(directory, runId)).toString('utf8')) as WaitingExecution;
    return one.run_id === runId && typeof one.queued_at === 'string' && typeof one.task?.kind === 'string' ? one : null;
  } catch {
    return null;
  }
}

/** On disk when it returns. Throws a `StoreError`. */
export function keepWaiting(directory: string, waiting: WaitingExecution): void {
  const path = fileOf(directory, waiting.run_id);
  try {
    writeOwn(`${path}.new`, JSON.stringify(waiting), 'w', true);
    renameSync(`${path}.new`, path);
  } catch (cause) {
    throw storeError('write', path, cause);
  }
}

export function forgetWaiting(directory: string, runId: string): void {
  rmSync(fileOf(directory, runId), { force: true });
  rmSync(executionFolder(directory, runId), { recursive: true, force: true });
}

/** Whether the journal of a run has changed from now on. */
export function writtenSince(directory: string, runId: string): () => boolean {
  const size = (): number | undefined => entryAt(join(directory, 'runs', runId, 'journal.ndjson'))?.size;
  const before = size();
  return () => size() !== before;
}

/** How often a run is looked at that is about to begin or to end. */
const LOOK_MS = 50;

/** Waits until something has happened, for so long at most. */
export async function until(isDone: () => boolean, mostMs: number, signal: AbortSignal): Promise<void> {
  for (let waited = 0; waited < mostMs && !signal.aborted && !isDone(); waited += LOOK_MS)
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
}
