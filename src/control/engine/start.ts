/** Starts a run on an engine: the program is checked here, and workers execute it. */
import { resolve } from 'node:path';
import type { EngineClient } from '../../engine/client.js';
import { type Following, followRun } from '../../engine/follow.js';
import { type Functions, loadFunctions } from '../../engine/functions.js';
import { openProject, preparedOf, refuseUnapproved, suppliedOptions } from '../../library/open-project.js';
import { type CheckedProgram, firstError, ProgramRefused, type Project } from '../../library/project.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { worktreeOnEngine } from '../../project/choose-worktree.js';
import { loadConfiguration } from '../../runtime/configuration/configuration.js';
import { emptyReport, type RunReport } from '../../runtime/run/report.js';
import type { RunOptions } from '../../runtime/run/run-options.js';
import { RunRefused } from '../../runtime/store/run-refused.js';
import type { RunsOptions } from '../folder/folder-runs.js';
import { type Result, refuse, resultWith } from '../result.js';
import type { Execution, Runs, Startable } from '../runs.js';
import { submissionOf } from './submission.js';

interface StartsOn {
  readonly client: EngineClient;
  readonly options: RunsOptions;
  /** Whether everything that the engine stores is encrypted. */
  readonly isEncrypted: boolean;
}

/** What only the process that executes effects could follow. */
const LOCAL = ['effects', 'onOutput', 'ownProcess', 'kill', 'onEnd', 'cwd', 'env'] as const;

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
  const {
    machine: name,
    tools,
    state,
    approved,
    worktree,
    signal,
    onEvent,
    onStart,
    ask,
    person = 'user',
    ...rest
  } = given;
  const checking = omitUndefined({ machine: name, tools, state, inputs: rest.inputs ?? {} });
  const project = await projectForEngine(options);
  const checked = await checkedBy(project, program, checking);
  const { machine, settings, sources } = preparedOf(checked);
  if (machine === null) throw new ProgramRefused(checked, firstError(checked.diagnostics));
  refuseUnapproved(checked, approved);
  const { configuration } = settings;
  const supplied = suppliedOptions(project, checked, { machine, sources, configuration, repository: null });
  const functions = await functionsOf(project.folder, configuration.engine?.commands, configuration.folder);
  const submission = submissionOf({
    machine,
    options: { ...supplied, ...(rest as RunOptions), settings: { here: project.folder, ...rest.settings } },
    functions: functions?.digest ?? null,
    engine: configuration.engine ?? {},
    by: person,
    worktree: worktreeOnEngine(worktree, configuration),
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

function checkedBy(project: Project, program: Startable, checking: object): Promise<CheckedProgram> | CheckedProgram {
  if (typeof program === 'string') return project.checkFile(program, checking);
  return 'text' in program ? project.checkText(program.text, { ...program, ...checking }) : program;
}

/** The project, whose programs can call the functions that workers have. */
export async function projectForEngine(options: RunsOptions): Promise<Project> {
  const folder = resolve(options.folder ?? '.');
  const { configuration } = await loadConfiguration(folder);
  const functions = await functionsOf(folder, configuration.engine?.commands, configuration.folder);
  return openProject(folder, { ...options, ...omitUndefined({ commands: functions?.all }) });
}

async function functionsOf(folder: string, file: string | undefined, from: string | null): Promise<Functions | null> {
  if (file === undefined) return null;
  try {
    return await loadFunctions(resolve(from ?? folder, file));
  } catch (cause) {
    throw new RunRefused('wrong-use', (cause as Error).message);
  }
}
