/** Stored runs of a folder, executed by this process: resumed, executed again from a point, or compared with a program. */
import type { ProjectOptions } from '../../library/project.js';
import { storedOptions } from '../../library/stored-options.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { ProjectHost } from '../../project/host.js';
import { checkDrift, replay } from '../../runtime/run/again/replay-run.js';
import { resume } from '../../runtime/run/again/resume.js';
import type { ResumeOptions } from '../../runtime/run/again/resume-options.js';
import type { RunReport } from '../../runtime/run/report.js';
import type { Started } from '../../runtime/run/run-options.js';
import { openStoredRun } from '../../runtime/store/stored-run.js';
import type { Result } from '../result.js';
import type { CompareOptions, Drift, Execution, ReplayFrom, ReplayRunOptions, ResumeRunOptions } from '../runs.js';
import { begin } from './execute.js';
import { findOwnRun } from './find-run.js';

/** Where the runs are, and what was given when they were opened. */
export interface StoredRuns {
  readonly directory: string;
  readonly host: ProjectHost;
  readonly options: ProjectOptions;
}

/** What the configuration supplies. It is read only if one of these was left out. */
const CONFIGURED = ['agents', 'mcp', 'readable', 'secrets'] as const;

export function resumeStored(runs: StoredRuns, run: string, given: ResumeRunOptions): Promise<Result<Execution>> {
  return execute(runs, run, given, resume);
}

export function replayStored(
  runs: StoredRuns,
  run: string,
  { from, ...given }: ReplayRunOptions & { readonly from: ReplayFrom },
): Promise<Result<Execution>> {
  return execute(runs, run, given, (id, options) => replay(id, { ...options, from }));
}

/** Rejects with a `RunRefused`, a `ProgramRefused` or a `StoreError`. */
export async function compareStored(runs: StoredRuns, run: string, given: CompareOptions): Promise<Drift> {
  const id = await findOwnRun(runs.directory, run);
  const { program, ...others } = given;
  const { dir, inputs, env, secrets, machine } = await complete(runs, id, others as ResumeOptions);
  const edited = machine ?? (program?.machine as typeof machine | null) ?? undefined;
  const { events, difference } = await checkDrift(id, omitUndefined({ dir, inputs, env, secrets, machine: edited }));
  return { run_id: id, status: difference === null ? 'same' : 'different', events, difference };
}

function execute(
  runs: StoredRuns,
  run: string,
  given: ResumeRunOptions,
  action: (id: string, options: ResumeOptions) => Promise<RunReport>,
): Promise<Result<Execution>> {
  const { directory } = runs;
  const start = async (onStart: (started: Started) => void): Promise<RunReport> => {
    const id = await findOwnRun(directory, run);
    return action(id, { ...(await complete(runs, id, given as ResumeOptions)), onStart });
  };
  return begin(start, (id) => openStoredRun(directory, id).about.machine, given.onStart);
}

/** What was given, completed by the configuration. */
async function complete(
  { directory, host, options }: StoredRuns,
  id: string,
  given: ResumeOptions,
): Promise<ResumeOptions> {
  const isComplete = CONFIGURED.every((name) => given[name] !== undefined);
  const { env, commands } = options;
  const known = isComplete ? omitUndefined({ env, commands }) : await storedOptions(host, directory, id, options);
  return { ...known, ...given, dir: directory };
}
