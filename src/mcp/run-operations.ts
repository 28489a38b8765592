/** What a caller can do with runs: each run is executed in a process of its own, and each change says who asked for it. */
import { createHash } from 'node:crypto';
import type { ReplayFrom } from '../app/execution-options.js';
import type { CheckedProgram } from '../app/programs.js';
import { replayPoint } from '../app/read-point.js';
import { type Result, refuse, resultOf, resultWith } from '../app/result.js';
import type { Delivered, DeliverOptions, Execution } from '../app/runs.js';
import { printJson } from '../interpreter/values/json.js';
import type { Value } from '../interpreter/values/value.js';
import type { Json } from '../machine/expression.js';
import type { Limits, Machine } from '../machine/machine.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import { newRunId } from '../runtime/run/run-id.js';
import type { Executions } from '../serve/executions/executions.js';
import {
  memoOf,
  printedValues,
  promisedStart,
  type WantedMemo,
  whyNotResumed,
} from '../serve/executions/requested-run.js';
import {
  isLocked,
  readWaiting,
  type Task,
  until,
  type WaitingKey,
  type WantedKey,
} from '../serve/executions/waiting-list.js';
import { type Door, keyedRun } from './door.js';

type GivenValues = Readonly<Record<string, Json>>;

/** A program that may be started: a file of the folder, or a text. */
export type StartableFlow = { readonly file: string } | { readonly text: string };

interface WantedRun {
  readonly checked: CheckedProgram;
  readonly source: StartableFlow;
  readonly inputs: GivenValues;
  /** With their numbers as they were written; absent: they lose nothing. */
  readonly written?: GivenValues | undefined;
  /** What to call the run. */
  readonly name?: string | undefined;
  readonly limits: Limits;
  readonly by: string;
  readonly key?: string | undefined;
  /** What the run shares with others that must not be executed at the same time. */
  readonly exclusive?: WantedKey;
  readonly memo?: WantedMemo;
  readonly signal: AbortSignal;
}

export function digestOf(source: StartableFlow, inputs: GivenValues): string {
  return createHash('sha256')
    .update(printJson([source, inputs] as Value))
    .digest('hex');
}

async function executionsOf(door: Door): Promise<Result<Executions>> {
  return resultOf(() => door.executions());
}

/** The id of the run, which has begun: its record is on disk. A key that was used before gives the run of that time. */
export async function startRun(door: Door, wanted: WantedRun): Promise<Result<NamedRun>> {
  const useless = door.engine === null ? undefined : onlyHere(wanted);
  if (useless !== undefined)
    return refuse('wrong-use', `\`${useless}\` has no effect on an engine, which executes the run`, 'leave it out');
  const named = await namedRun(door, wanted);
  if (!named.ok) return named;
  if (door.engine !== null) return submitRun(door, door.engine.on, wanted, named.value);
  const opened = await executionsOf(door);
  if (!opened.ok) return opened;
  const { checked, source, inputs, written, name, limits, by, exclusive = {}, memo, signal } = wanted;
  const { run_id, isNew } = named.value;
  if (!isNew && (await hasBegunElsewhere(door, opened.value, run_id, signal)))
    return resultWith({ run_id, isNew: false });
  const from = 'file' in source ? { program: source.file } : source;
  const start = { run_id, checked, source: from, inputs, written, name, limits, by, key: exclusive, memo };
  const promised = await resultOf(() => promisedStart(start));
  if (!promised.ok) return promised;
  const { execution, secret } = promised.value;
  const begun = await execute(opened.value, execution, { secret, signal });
  return begun.ok ? resultWith({ run_id, isNew: true }) : begun;
}

/** An argument that has no effect where workers execute the run. */
const onlyHere = ({ memo }: WantedRun): string | undefined => (memo?.only === undefined ? undefined : 'only');

interface NamedRun {
  readonly run_id: string;
  /** Whether no call has used its key before. */
  readonly isNew: boolean;
}

/** The id that the run has, or that the first run with its key got. */
async function namedRun(door: Door, { source, inputs, written, key }: WantedRun): Promise<Result<NamedRun>> {
  const run_id = newRunId();
  if (key === undefined) return resultWith({ run_id, isNew: true });
  const digest = digestOf(source, { ...inputs, ...written });
  const known = await resultOf(async () => {
    await door.openStore();
    return keyedRun(door.directory, key, { run_id, digest });
  });
  if (!known.ok) return known;
  if (known.value.digest !== digest)
    return refuse('conflict', `the key \`${key}\` was used for another program or other inputs`, 'use a new key');
  return resultWith({ run_id: known.value.run_id, isNew: known.value.run_id === run_id });
}

/** How long a worker may take to accept a run. Milliseconds. */
const ACCEPTING_MS = 10_000;

/** Workers execute the run, which is on the engine when this returns. Submitting it again changes nothing. */
async function submitRun(
  { runs }: Door,
  on: string,
  { source, checked, inputs, written, name, limits, by, exclusive = {}, memo, signal }: WantedRun,
  { run_id, isNew }: NamedRun,
): Promise<Result<NamedRun>> {
  const options = {
    ...{ runId: run_id, inputs, printedInputs: printedValues(written ?? {}), limits, person: by, signal },
    ...omitUndefined({ name, key: exclusive.key, onBusy: exclusive.onBusy }),
    ...omitUndefined({ memo: memoOf(checked.machine as Machine, memo ?? {}) }),
    answerWithinMs: ACCEPTING_MS,
  };
  const started = await runs.start('file' in source ? source.file : source, options);
  if (!started.ok) return started;
  const { isAccepted } = started.value as Execution & { readonly isAccepted: boolean };
  if (isAccepted) return resultWith({ run_id, isNew });
  const message = `no worker answers; the engine at ${on} keeps run \`${run_id}\` until one comes`;
  const help = `start one: \`statedsl worker\`; then \`get\` with \`run_id: "${run_id}"\``;
  return { ok: false, refusal: { code: 'unreachable', message, help, facts: { run_id } } };
}

/** How long the first user of a key may take until its run is promised, and until that has begun. Milliseconds. */
const PROMISED_MS = 1000;
const BEGUN_MS = 10_000;

/** Whether the run of a key has begun. Another server may be starting it now; if it died before, it has not. */
async function hasBegunElsewhere(
  { directory }: Door,
  executions: Executions,
  run_id: string,
  signal: AbortSignal,
): Promise<boolean> {
  const hasBegun = (): boolean => executions.hasRecord(run_id);
  const isComing = (): boolean => readWaiting(directory, run_id) !== null || isLocked(directory, run_id);
  await until(() => hasBegun() || isComing(), PROMISED_MS, signal);
  await until(() => hasBegun() || !isComing(), BEGUN_MS, signal);
  return hasBegun();
}

interface HeldExecution {
  readonly task: Task;
  readonly run_id: string;
  readonly title?: string | undefined;
  readonly machine: string | null;
  readonly limits: Limits;
  readonly by: string;
  readonly key?: WaitingKey;
}

async function execute(
  executions: Executions,
  execution: HeldExecution,
  { secret = {}, signal }: { readonly secret?: GivenValues; readonly signal: AbortSignal },
): Promise<Result<string>> {
  const { run_id } = execution;
  await executions.untilFree(run_id, signal);
  const added = await executions.add(execution, secret);
  if (!added.ok) return added;
  const refusal = await executions.untilDecided(run_id, signal);
  // A program that is refused now was changed since it was checked.
  if (refusal !== null) {
    const code = refusal.code === 'cancelled' ? 'over' : refusal.code;
    return { ok: false, refusal: { ...refusal, code } };
  }
  await executions.untilBegun(run_id, signal);
  return resultWith(run_id);
}

/** What a caller gives a run that waits. */
export interface Gift {
  readonly answers?: GivenValues;
  readonly signal?: { readonly name: string; readonly payload: Json };
  readonly by: string;
  /** Of answers: whether a person gave them in a form, or an agent. */
  readonly through?: 'form' | 'mcp';
  readonly reason?: string | undefined;
}

/** A run that no process executes continues with what was delivered. */
export async function deliver(
  door: Door,
  run: string,
  { answers, signal, by, through = 'mcp', reason }: Gift,
): Promise<Result<Delivered>> {
  const send = (run_id: string, options: DeliverOptions): Promise<Result<Delivered>> =>
    signal === undefined
      ? door.runs.answer(run_id, answers ?? {}, { ...options, through, ...omitUndefined({ reason }) })
      : door.runs.signal(run_id, signal.name, signal.payload, options);
  if (door.engine !== null) return send(run, { by });
  const opened = await executionsOf(door);
  if (!opened.ok) return opened;
  const executions = opened.value;
  const found = await door.runs.inspect(run);
  if (!found.ok) return found;
  const { run_id, machine } = found.value;
  const inputs = executions.secretsOf(run_id);
  return executions.deliver({ run_id, machine, limits: {}, by }, () => send(run_id, { by, inputs }));
}

export interface RunCommand {
  readonly run_id: string;
  readonly action: 'cancel' | 'resume' | 'replay' | 'rollback';
  readonly from?: string | undefined;
  readonly limits: Limits;
  readonly by: string;
  readonly signal: AbortSignal;
}

/** The id of the run that the command was about, or of the new one. */
export async function control(door: Door, command: RunCommand): Promise<Result<string>> {
  const { action, from, limits, by, signal } = command;
  if (from !== undefined && action !== 'replay')
    return refuse('wrong-use', '`from` says where a replay begins', 'leave it out, or use the action `replay`');
  const point = await pointOf(command);
  if (!point.ok) return point;
  if (door.engine !== null) return controlElsewhere(door, command, point.value);
  const opened = await executionsOf(door);
  if (!opened.ok) return opened;
  const executions = opened.value;
  // The first event has what a replay needs, also if a later one is damaged.
  const found = await door.runs.inspect(command.run_id, action === 'replay' ? 1 : null);
  if (!found.ok) return found;
  const { run_id, machine } = found.value;
  switch (action) {
    case 'cancel': {
      const result = await door.runs.cancel(run_id, { by });
      if (!result.ok) return result;
      executions.forget(run_id);
      return resultWith(run_id);
    }
    case 'replay': {
      const task: Task = { kind: 'replay', of: run_id, from: point.value };
      const execution = { task, run_id: newRunId(), machine, limits, by };
      return execute(executions, execution, { secret: executions.secretsOf(run_id), signal });
    }
    default:
      return continueRun(door, executions, { task: taskOf(action), run_id, machine, limits, by }, signal);
  }
}

/** Where a replay begins; of other actions nothing. */
async function pointOf({ action, from }: RunCommand): Promise<Result<ReplayFrom>> {
  if (action !== 'replay') return resultWith('failed');
  if (from === undefined)
    return refuse('wrong-use', 'a replay needs a point to begin at', 'give `from`: an event, a STATE or `failed`');
  return resultOf(() => (from === 'failed' ? from : replayPoint(from)));
}

/** The same where workers execute the runs. */
async function controlElsewhere(
  { runs }: Door,
  { run_id, action, limits, by }: RunCommand,
  point: ReplayFrom,
): Promise<Result<string>> {
  if (action === 'cancel') {
    const cancelled = await runs.cancel(run_id, { by });
    return cancelled.ok ? resultWith(cancelled.value.run_id) : cancelled;
  }
  const options = { limits, person: by };
  const found = action === 'resume' ? await runs.inspect(run_id) : null;
  const problem = found?.ok === true ? whyNotResumed(found.value) : null;
  const begun =
    problem ??
    (await (action === 'replay'
      ? runs.replay(run_id, point, options)
      : runs.resume(run_id, action === 'rollback' ? { ...options, rollback: true } : options)));
  return begun.ok ? resultWith(begun.value.started.run_id) : begun;
}

const taskOf = (action: 'resume' | 'rollback'): Task =>
  action === 'rollback' ? { kind: 'resume', rollback: true } : { kind: 'resume' };

async function continueRun(
  door: Door,
  executions: Executions,
  execution: HeldExecution,
  signal: AbortSignal,
): Promise<Result<string>> {
  const { run_id, task } = execution;
  await executions.untilLeft(run_id, signal);
  const found = await door.runs.inspect(run_id);
  if (!found.ok) return found;
  const problem = task.kind === 'resume' && task.rollback === true ? null : whyNotResumed(found.value);
  return problem ?? execute(executions, execution, { signal });
}
