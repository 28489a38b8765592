/** Starts a run on an engine: the program is checked here, and workers execute it. */
import { resolve } from 'node:path';
import type { Startable } from '../../app/execution-options.js';
import { preparedBy, splitOptions } from '../../app/execution-options.js';
import { openPrograms } from '../../app/open-runs.js';
import { type FolderOptions, hostOf, type Programs, storeOf } from '../../app/programs.js';
import { runOptionsOf } from '../../app/project/prepare.js';
import { prepareFor } from '../../app/read-programs.js';
import { type Result, refuse, resultWith } from '../../app/result.js';
import type { Execution, Runs } from '../../app/runs.js';
import { loadConfiguration } from '../../runtime/configuration/load-configuration.js';
import type { RunOptions } from '../../runtime/run/run-options.js';
import { emptyReport, type RunReport } from '../../runtime/run/run-report.js';
import type { EngineClient } from '../client.js';
import { type Following, followRun } from '../follow.js';
import { functionsOf } from '../server-configuration.js';
import { submissionOf } from './submission.js';

interface StartsOn {
  readonly client: EngineClient;
  readonly options: FolderOptions;
  /** Whether everything that the engine stores is encrypted. */
  readonly isEncrypted: boolean;
}

/** What only the process that executes effects could follow. */
const LOCAL = ['effects', 'onOutput', 'ownProcess', 'kill', 'onEnd', 'cwd', 'mock'] as const;

/** Rejects with an `EngineFailure`, or with what the check of a program throws. */
export async function startOn(
  { client, options, isEncrypted }: StartsOn,
  program: Startable,
  given: Parameters<Runs['start']>[1] = {},
): Promise<Result<Execution>> {
  const local = LOCAL.find((name) => given[name] !== undefined);
  if (local !== undefined)
    return refuse(
      'wrong-use',
      `\`${local}\` has no effect on an engine, whose workers execute effects`,
      'leave it out',
    );
  const { preparing, running } = splitOptions(given);
  const { signal, onEvent, onStart, ask, person = 'user', ...rest } = running;
  const host = hostOf(options);
  const prepared = await preparedBy(program, preparing, (source) =>
    prepareFor(host, { ...options, dir: storeOf(options) }, source, preparing, { functions: functionsOf }),
  );
  if (!prepared.ok) return prepared;
  const { machine, configuration, functions = null, worktreeElsewhere = false, settings } = prepared.value;
  const submission = submissionOf({
    machine,
    options: {
      ...runOptionsOf(host, prepared.value),
      ...(rest as RunOptions),
      settings: { ...settings, ...rest.settings },
    },
    functions,
    engine: configuration.engine ?? {},
    by: person,
    worktree: worktreeElsewhere,
    isEncrypted,
  });
  if (!submission.ok) return submission;
  await client.submit(submission.value);
  const { runId } = submission.value.header;
  onStart?.({ runId, folder: null });
  const following = { onEvent, ask, person, signal: signal ?? null, from: 1 };
  return resultWith(executionOf(client, runId, machine.name, following));
}

/** A run that workers execute. */
export function executionOf(client: EngineClient, run_id: string, machine: string, following: Following): Execution {
  let report: Promise<RunReport> | null = null;
  const follow = async (): Promise<RunReport> =>
    (await followRun(client, run_id, following)) ?? emptyReport(run_id, machine, 'interrupted');
  return {
    started: { run_id, machine, status: 'running' },
    // A caller that does not ask for it needs no connection.
    get report() {
      report ??= follow();
      return report;
    },
  };
}

/** The programs of a folder, which can call the functions that workers have. */
export async function programsForEngine(options: FolderOptions): Promise<Programs> {
  const { configuration } = await loadConfiguration(resolve(options.folder ?? '.'));
  const functions = await functionsOf(configuration);
  return openPrograms(functions === null ? options : { ...options, commands: functions.all as never });
}
