/** Starts a run on an engine: the program is checked here, and workers execute it. */

import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  type FollowOptions,
  preparedBy,
  type Startable,
  type StartOptions,
  splitOptions,
} from '../../app/execution-options.js';
import { executionElsewhere } from '../../app/folder/follow-stored.js';
import { openPrograms } from '../../app/open-runs.js';
import { type FolderOptions, hostOf, type Programs, storeOf } from '../../app/programs.js';
import { runOptionsOf } from '../../app/project/prepare.js';
import { prepareFor } from '../../app/read-programs.js';
import { OperationRefused, type Refused, type Result, refuse, resultWith } from '../../app/result.js';
import type { Execution } from '../../app/runs.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { clockMs } from '../../runtime/clock.js';
import { type Configuration, loadConfiguration } from '../../runtime/configuration/load-configuration.js';
import { keyOfTarget, targetList } from '../../runtime/notifications/notices.js';
import type { InDoubt } from '../../runtime/run/in-doubt.js';
import { memoSettings } from '../../runtime/run/memo-effects.js';
import type { RunOptions } from '../../runtime/run/run-options.js';
import type { RunReport } from '../../runtime/run/run-report.js';
import type { StopSignal } from '../../runtime/stop-signal.js';
import { abortedBy } from '../../runtime/stop-signal.js';
import { EngineFailure, helpAfter } from '../ask-engine.js';
import type { EngineClient } from '../client.js';
import { isAlreadyOver } from '../engine-context.js';
import { functionsOf } from '../engine-functions.js';
import { type Following, followRun } from '../follow.js';
import type { Submission } from '../messages.js';
import { submissionOf } from './submission.js';

interface StartsOn extends EngineClients {
  readonly options: FolderOptions;
  /** Whether everything that the engine stores is encrypted. */
  readonly isEncrypted: boolean;
}

/** Two ways to ask the same engine. */
export interface EngineClients {
  /** For a caller that waits for the answer. */
  readonly client: EngineClient;
  /** For following a run, which may take longer than a server needs to start again. */
  readonly patient: EngineClient;
}

/** What only this package gives in addition to the options of the library. */
export interface StartingOnEngine extends Pick<FollowOptions, 'onSilence'> {
  /** Only workers with this name execute the run, instead of those that the configuration names. */
  readonly home?: string;
  readonly inDoubt?: InDoubt;
  /**
   * How long a worker may take to accept the run, in milliseconds; then the engine keeps the run until one comes. By default
   * the server is waited for as long as it is well.
   */
  readonly answerWithinMs?: number;
  /** The same id is the same run for a day, also if that is removed meanwhile. */
  readonly isOnce?: boolean;
}

/** A run that was sent to an engine. */
export interface SubmittedRun extends Execution {
  /** Whether a worker has accepted it. Otherwise it may begin when one comes. */
  readonly isAccepted: boolean;
  /** Whether it is executed, waits for its key, or was skipped because another run has it. */
  readonly standing: () => Promise<Standing>;
}

type Standing = 'running' | 'queued' | 'skipped';

/** What only the process that executes effects could follow. */
const LOCAL = ['effects', 'onOutput', 'ownProcess', 'kill', 'onEnd', 'cwd', 'mock'] as const;

/** How long the first worker may need to register its services, and the pause between two looks. Milliseconds. */
const REGISTERING_MS = 5000;
const PAUSE_MS = 250;
/** An engine without an answer for so long is well, and has no worker that answers. Milliseconds. */
const UNANSWERED_MS = REGISTERING_MS + 1500;

/** Rejects with an `EngineFailure`, or with what the check of a program throws. */
export async function startOn(
  { client, patient, options, isEncrypted }: StartsOn,
  program: Startable,
  given: StartOptions & StartingOnEngine = {},
): Promise<Result<SubmittedRun>> {
  const local = given.memo?.only === undefined ? LOCAL.find((name) => given[name] !== undefined) : 'only';
  if (local !== undefined)
    return refuse(
      'wrong-use',
      `\`${local}\` has no effect on an engine, whose workers execute effects`,
      'leave it out',
    );
  const { preparing, running } = splitOptions(given);
  const { home, inDoubt, answerWithinMs, isOnce, onSilence, ...begun } = running as typeof running & StartingOnEngine;
  const { signal, onEvent, onStart, ask, onUnsent, person = 'user', key, onBusy, keyWhile, memo, ...rest } = begun;
  const host = hostOf(options);
  const prepared = await preparedBy(program, preparing, (source) =>
    prepareFor(host, { ...options, dir: storeOf(options) }, source, preparing, { functions: functionsOf }),
  );
  if (!prepared.ok) return prepared;
  const { machine, configuration, variables, functions = null, worktreeElsewhere = false } = prepared.value;
  const supplied = runOptionsOf(host, prepared.value);
  // The run belongs to the trace of its starter, not to that of its workers.
  const traceparent = rest.settings?.traceparent ?? ((options.env ?? process.env).TRACEPARENT || undefined);
  const settings = {
    ...{ ...supplied.settings, ...rest.settings, ...memoSettings(memo) },
    ...omitUndefined({ traceparent }),
  };
  const made = await submissionOf({
    machine,
    options: { ...supplied, ...(rest as RunOptions), settings },
    functions,
    engine: configuration.engine ?? {},
    by: person,
    worktree: worktreeElsewhere,
    isEncrypted,
    exclusive: omitUndefined({ key, onBusy, keyWhile }),
    ...omitUndefined({ variables, home, inDoubt }),
  });
  if (!made.ok) return made;
  const { runId, key: own } = made.value.header;
  const standing = (): Promise<Standing> =>
    own === undefined ? Promise.resolve('running') : standingOf(client, runId);
  const notices = await noticesFor(client, configuration, options);
  const isAccepted = await submit(client, made.value, {
    signal: signal ?? null,
    onSilence: answerWithinMs === undefined ? onSilence : undefined,
    answerWithinMs,
    isOnce,
  });
  if (!isAccepted && signal?.aborted === true)
    return resultWith(
      Object.assign(
        executionElsewhere(runId, machine.name, async () => null),
        { isAccepted, standing },
      ),
    );
  onStart?.({ runId, folder: null });
  const following = { onEvent, ask, person, signal: signal ?? null, from: 1, onSilence, hasKey: own !== undefined };
  const execution = executionOf(patient, runId, machine.name, following, async () => {
    const unsent = await notices?.();
    if (unsent != null) onUnsent?.(unsent);
  });
  return resultWith(Object.assign(execution, { isAccepted, standing }));
}

/** How long the object of a key may take to decide. Milliseconds. */
const DECIDING_MS = 5000;
const DECIDED_MS = 25;

async function standingOf(client: EngineClient, runId: string): Promise<Standing> {
  for (const end = clockMs() + DECIDING_MS; ; await pause(DECIDED_MS)) {
    const key = (await client.status(runId))?.key;
    if (key?.state === 'skipped') return 'skipped';
    if (key?.state !== 'waits') return 'running';
    if (key.busy !== undefined || clockMs() > end) return 'queued';
  }
}

/** How long the engine may take before a run begins without its receivers, and receivers at its end. Milliseconds. */
const EXPECTING_MS = 2000;
const SENDING_MS = 2000;
/** How long the notice may take to come after the end that was followed, if nobody else sends it. Milliseconds. */
const COMING_MS = 500;

/** Before a run: what happens to it is for the receivers of the configuration. Null: there are none. Otherwise what sends notices at its end. */
async function noticesFor(
  client: EngineClient,
  { notify, folder }: Configuration,
  options: FolderOptions,
): Promise<(() => Promise<string | null>) | null> {
  const targets = targetList(notify);
  if (targets.length === 0) return null;
  const [{ sendOnce }, { noticeSender }, { unsentWords }] = await Promise.all([
    import('./notices-on-engine.js'),
    import('../../runtime/notifications/notifier.js'),
    import('../../runtime/notifications/send-notices.js'),
  ]);
  // Without a worker the engine keeps the request.
  const expected = client.expectNotices(targets.map(keyOfTarget)).catch(() => undefined);
  await Promise.race([expected, pause(EXPECTING_MS, undefined, { ref: false })]);
  const { env: environment } = options;
  const send = noticeSender(folder ?? resolve(options.folder ?? '.'), omitUndefined({ environment }));
  return async () => {
    try {
      return unsentWords(await sendOnce({ client, targets, send }, { mostMs: SENDING_MS, awaitedMs: COMING_MS }));
    } catch (cause) {
      if (!(cause instanceof EngineFailure)) throw cause;
      return `no one was notified: ${cause.message}`;
    }
  };
}

interface Waits extends Pick<StartingOnEngine, 'answerWithinMs' | 'onSilence' | 'isOnce'> {
  readonly signal: StopSignal | null;
}

/** Whether a worker has accepted it. False: not in time, or the caller gave up; the engine may have it all the same. Rejects with an `EngineFailure`. */
async function submit(
  client: EngineClient,
  submission: Submission,
  { signal: stopping, onSilence, answerWithinMs, isOnce }: Waits,
): Promise<boolean> {
  const interrupted = abortedBy(stopping);
  const limit = answerWithinMs === undefined ? [] : [AbortSignal.timeout(answerWithinMs)];
  const signal = AbortSignal.any([interrupted.signal, ...limit]);
  const waiting = setTimeout(() => onSilence?.(null), UNANSWERED_MS).unref();
  try {
    for (const end = clockMs() + REGISTERING_MS; ; ) {
      try {
        await client.submit(submission, undefined, signal, isOnce);
        return true;
      } catch (cause) {
        // The first worker may be about to register.
        if (!(cause instanceof EngineFailure) || cause.kind !== 'no-service' || clockMs() > end) throw cause;
        await pause(PAUSE_MS, undefined, { signal });
      }
    }
  } catch (cause) {
    if (!signal.aborted) throw cause;
    return false;
  } finally {
    clearTimeout(waiting);
    interrupted.release();
  }
}

/** A run that workers execute. */
export function executionOf(
  client: EngineClient,
  runId: string,
  machine: string,
  following: Following,
  onEnd: () => Promise<void> = async () => undefined,
): Execution {
  return executionElsewhere(runId, machine, async () => {
    const report = await followUntilStop(client, runId, following);
    if (report !== null) await onEnd();
    return report;
  });
}

/** As `followRun`, but rejects with an `OperationRefused`. */
export async function followUntilStop(
  client: EngineClient,
  runId: string,
  following: Following,
): Promise<RunReport | null> {
  try {
    return await followRun(client, runId, following);
  } catch (cause) {
    if (cause instanceof EngineFailure) throw new OperationRefused(refusalOfEngine(cause).refusal);
    throw cause;
  }
}

export function refusalOfEngine(failure: EngineFailure): Refused {
  const { kind, status, message } = failure;
  if (kind !== 'refused') return refuse('unreachable', message, helpAfter(failure));
  if (status === 404)
    return refuse('unknown', message, 'list the runs of the engine; those of another namespace need `--namespace`');
  return refuse(isAlreadyOver(message) ? 'over' : 'wrong-use', message, helpAfter(failure));
}

/** The programs of a folder, which can call the functions that workers have. */
export async function programsForEngine(options: FolderOptions): Promise<Programs> {
  const { configuration } = await loadConfiguration(resolve(options.folder ?? '.'));
  const functions = await functionsOf(configuration);
  return openPrograms(functions === null ? options : { ...options, commands: functions.all as never });
}
