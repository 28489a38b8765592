/** Continues runs of an engine: resumes them from before their failure, replays them from a point, and follows them. */
import type { FollowOptions, ReplayFrom, ReplayRunOptions, ResumeRunOptions } from '../../app/execution-options.js';
import { continuedOptions } from '../../app/folder/continued-options.js';
import { executionElsewhere } from '../../app/folder/follow-stored.js';
import { type FolderOptions, hostOf, storeOf } from '../../app/programs.js';
import type { ProgramSource } from '../../app/project/preparation.js';
import { type Result, refuse, resultWith } from '../../app/result.js';
import type { Execution } from '../../app/runs.js';
import { isOver } from '../../interpreter/events/status-after.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { checkSendable } from '../../runtime/run/apply-delivery.js';
import { RunRefused } from '../../runtime/store/store-error.js';
import { isRunId } from '../../runtime/store/stored-run.js';
import type { EngineClient } from '../client.js';
import type { Following } from '../follow.js';
import { unknownRun } from '../mirror.js';
import { type ReplayOnEngine, type ResumeElsewhere, replayOn, resumeOn } from './replay-on-engine.js';
import { type EngineClients, executionOf, followUntilStop } from './start-on-engine.js';

/** What only this package gives to `resume` in addition to the options of the library. */
export interface ResumingOnEngine extends Pick<FollowOptions, 'onSilence'> {
  /** A run that does not need it is followed instead of refused. */
  readonly follows?: boolean;
}

/**
 * Workers continue a run that has not ended, without being asked, unless its limits change. A run that takes answers or signals
 * is followed from then on.
 */
export async function resumeRun(
  { client, patient, copy, find }: EngineFolder,
  options: FolderOptions,
  run: string,
  given: ResumeRunOptions & ResumingOnEngine = {},
): Promise<Result<Execution>> {
  const { limits, again, person = 'user', program, deliveries = [], follows = false, rollback } = given;
  if (rollback === true)
    return refuse('wrong-use', 'a run on an engine cannot be rolled back from outside', 'use ROLLBACK in its program');
  const follow = (runId: string, machine: string, seq: number): Result<Execution> => {
    given.onStart?.({ runId, folder: null });
    return resultWith(executionOf(patient, runId, machine, followingOf(given, seq + 1)));
  };
  if (deliveries.length > 0) {
    checkSendable(deliveries);
    const id = await find(run);
    const seq = await client.deliver(id, deliveries);
    return follow(id, await machineOf(client, id), seq);
  }
  const hasLimits = Object.keys(limits ?? {}).length > 0;
  if (follows && !hasLimits) {
    const id = await find(run);
    const state = await client.status(id);
    if (state?.status !== 'failed') return follow(id, await machineOf(client, id), state?.seq ?? 0);
  }
  const id = await copyOfKnown(client, copy, run);
  const state = await client.status(id);
  const hasEnded = state !== null && isOver(state);
  if (!hasEnded && !hasLimits)
    return refuse(
      'wrong-use',
      `run \`${id}\` has not ended: workers continue it without being asked`,
      `follow it: \`statedsl show ${id} --follow\``,
    );
  if (state?.status === 'running')
    return refuse(
      'wrong-use',
      `run \`${id}\` is being executed, and its limits change only while it waits or after its end`,
      'try again when it waits, or has failed at its limit',
    );
  const resuming = {
    ...omitUndefined({ limits, again, person }),
    ...(await editedOf(options, id, program)),
  } as ResumeElsewhere;
  const seq = await resumeOn(client, id, storeOf(options), resuming);
  return follow(id, await machineOf(client, id), seq);
}

/** Rejects with a `RunRefused` if there is no such run, or with an `EngineFailure`. */
async function machineOf(client: EngineClient, id: string): Promise<string> {
  const about = await client.about(id);
  if (about === null) throw unknownRun(id);
  return about.header.machine.name;
}

function followingOf(
  { onEvent, ask, person = 'user', through, signal, onSilence }: Omit<FollowOptions, 'from'>,
  from: number,
): Following {
  return { onEvent, ask, person, through, signal: signal ?? null, from, onSilence };
}

/** Shows a run, and changes nothing. */
export async function followOnEngine(
  { client, patient, find, url }: EngineFolder,
  run: string | null,
  given: FollowOptions = {},
): Promise<Result<Execution>> {
  const id = await find(run);
  const about = await client.about(id);
  if (about === null) throw unknownRun(id, url);
  const { name } = about.header.machine;
  return resultWith(
    executionElsewhere(id, name, () => {
      given.onStart?.({ runId: id, folder: null });
      return followUntilStop(patient, id, followingOf(given, given.from ?? 1));
    }),
  );
}

/** The new run is one of the engine. */
export async function replayRun(
  { client, patient, copy }: EngineFolder,
  options: FolderOptions,
  run: string,
  given: ReplayRunOptions & Pick<ResumingOnEngine, 'onSilence'> & { readonly from: ReplayFrom },
): Promise<Result<Execution>> {
  const { from, limits, person = 'user', program, runId, onStart } = given;
  const id = await copyOfKnown(client, copy, run);
  const edited = await editedOf(options, id, program);
  const beginning = { ...omitUndefined({ from, limits, person, runId }), ...edited } as ReplayOnEngine;
  const begun = await replayOn(client, id, storeOf(options), beginning);
  onStart?.({ runId: begun.runId, folder: null });
  return resultWith(executionOf(patient, begun.runId, begun.machine, followingOf(given, begun.seq + 1)));
}

/** The edited program in which a run continues, compiled as the run was. */
async function editedOf(options: FolderOptions, id: string, program: ProgramSource | undefined) {
  if (program === undefined) return {};
  const copies = { directory: storeOf(options), host: hostOf(options), options };
  const { machine, file } = await continuedOptions(copies, id, { program });
  return omitUndefined({ machine, file });
}

/** A run that was archived is in the store, and nowhere else. */
async function copyOfKnown(client: EngineClient, copy: EngineFolder['copy'], run: string): Promise<string> {
  try {
    return await copy(run);
  } catch (cause) {
    const isGone = cause instanceof RunRefused && isRunId(run) && (await client.status(run)) === null;
    if (!isGone) throw cause;
    throw new RunRefused(
      cause.kind,
      `${cause.message}; it may have been removed`,
      `if the store has a copy, execute that here from a point: \`statedsl replay ${run} --from POINT --on none\``,
    );
  }
}

/** What the operations on runs of an engine share. */
export interface EngineFolder extends EngineClients {
  readonly url: string;
  /** The id of the run that is meant; null: the latest. Rejects with a `RunRefused`. */
  find(run: string | null): Promise<string>;
  /** Copies the run, and resolves with its id. */
  copy(run: string | null): Promise<string>;
}
