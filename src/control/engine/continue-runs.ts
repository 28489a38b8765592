/** Runs of an engine go on: resumed from before their failure, or as new runs from a point. Their copies say from where. */
import type { EngineClient } from '../../engine/client.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { ProgramSource } from '../../project/preparation.js';
import { RunRefused } from '../../runtime/store/run-refused.js';
import { isRunId } from '../../runtime/store/stored-run.js';
import type { ReplayFrom, ReplayRunOptions, ResumeRunOptions } from '../execution-options.js';
import { continuedOptions } from '../folder/continued-options.js';
import { type FolderOptions, hostOf, storeOf } from '../programs.js';
import { type Result, refuse, resultWith } from '../result.js';
import type { Execution } from '../runs.js';
import { type ReplayOnEngine, type ResumeElsewhere, replayOn, resumeOn } from './replay.js';
import { executionOf } from './start.js';

/** Workers continue a run that has not ended, without being asked, unless its limits change. */
export async function resumeRun(
  { client, copy }: EngineFolder,
  options: FolderOptions,
  run: string,
  { limits, again, person = 'user', onEvent, onStart, ask, signal, program }: ResumeRunOptions = {},
): Promise<Result<Execution>> {
  const id = await copyOfKnown(client, copy, run);
  const state = await client.status(id);
  const isOver = state?.status === 'failed' || state?.status === 'returned';
  if (!isOver && Object.keys(limits ?? {}).length === 0)
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
  const given = {
    ...omitUndefined({ limits, again, person }),
    ...(await editedOf(options, id, program)),
  } as ResumeElsewhere;
  const seq = await resumeOn(client, id, storeOf(options), given);
  onStart?.({ runId: id, folder: null });
  const following = { onEvent, ask, person, signal: signal ?? null, from: seq + 1 };
  const about = await client.about(id);
  return resultWith(executionOf(client, id, about?.header.machine.name ?? '', following));
}

/** The new run is one of the engine. */
export async function replayRun(
  { client, copy }: EngineFolder,
  options: FolderOptions,
  run: string,
  {
    from,
    limits,
    person = 'user',
    program,
    runId,
    onEvent,
    onStart,
    ask,
    signal,
  }: ReplayRunOptions & { readonly from: ReplayFrom },
): Promise<Result<Execution>> {
  const id = await copyOfKnown(client, copy, run);
  const edited = await editedOf(options, id, program);
  const given = { ...omitUndefined({ from, limits, person, runId }), ...edited } as ReplayOnEngine;
  const begun = await replayOn(client, id, storeOf(options), given);
  onStart?.({ runId: begun.runId, folder: null });
  const following = { onEvent, ask, person, signal: signal ?? null, from: begun.seq + 1 };
  return resultWith(executionOf(client, begun.runId, begun.machine, following));
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
export interface EngineFolder {
  readonly client: EngineClient;
  readonly url: string;
  /** The id of the run that is meant; null: the latest. Rejects with a `RunRefused`. */
  find(run: string | null): Promise<string>;
  /** Copies the run, and resolves with its id. */
  copy(run: string | null): Promise<string>;
}
