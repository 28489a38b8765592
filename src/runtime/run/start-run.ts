/**
 * Starts a run: executes a machine from its first state to its end. Runs share nothing, so several can execute in one
 * process.
 */
import { resolve } from 'node:path';
import { link, type Run, startRun } from '../../interpreter/run.js';
import type { Machine } from '../../machine/machine.js';
import { timeStamp } from '../clock.js';
import { createRedactor, tooShort } from '../redact.js';
import { checkpoints } from '../store/checkpoint.js';
import { openInbox } from '../store/inbox.js';
import { fileJournal, type OpenJournal } from '../store/journal.js';
import { RunRefused, StoreError } from '../store/store-error.js';
import { VERSION } from '../version.js';
import { driveRun } from './drive-run.js';
import { headerOf } from './header.js';
import { newRunId } from './run-id.js';
import { checkInputs } from './run-inputs.js';
import { fixedOptions, interpreterOptions, type RunOptions, secretsOf, shortSecretWarning } from './run-options.js';
import { emptyReport, type RunReport, storeFailure } from './run-report.js';

export type { RunOptions } from './run-options.js';

/**
 * Runs a machine. Resolves with a report whatever happens in the program. Rejects only with what `effects`, `onEvent` and
 * the other given functions throw.
 */
export async function run(machine: Machine, options: RunOptions = {}): Promise<RunReport> {
  const runId = options.runId ?? newRunId();
  const secrets = secretsOf(machine, options);
  const redactor = createRedactor(secrets);
  const journal = options.journal ?? (options.dir === undefined ? null : fileJournal(options.dir, options.signer));
  // A wrong call does not start a run and leaves no folder behind.
  const { inputs, problems } = checkInputs(machine, options.inputs ?? {});
  if (problems.length > 0) return notStarted(machine, runId, 'bad_value', problems.map((p) => p.message).join('; '));
  const directory = resolve(options.cwd ?? process.cwd());
  const workingDirectory = await workingDirectoryOf(options, directory, runId);
  if (workingDirectory !== null && 'reason' in workingDirectory)
    return notStarted(machine, runId, 'worktree', workingDirectory.reason);
  const startedAt = timeStamp();
  const fixed = fixedOptions(machine, options, workingDirectory?.main.base ?? options.worktreeBase ?? null);
  const record = journal !== null || options.onEvent !== undefined;
  // If no listener exists and nothing is stored, events need not be made.
  const interpreter = interpreterOptions(machine, fixed, { inputs, record, version: VERSION });
  let open: OpenJournal | null = null;
  try {
    open = journal?.open(headerOf(machine, { ...options, inputs }, { runId, startedAt, redactor, fixed })) ?? null;
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    return notStarted(machine, runId, 'store', cause.message);
  }
  const folder = open?.folder?.path ?? null;
  options.onStart?.({ runId, folder });
  const state = startRun(link(machine), interpreter);
  for (const name of tooShort(secrets)) state.recordNow(shortSecretWarning(name, state));
  const start = { seq: 0, offset: 0 };
  const { key } = options;
  if (key !== undefined && folder !== null) {
    const problem = await keyProblem(state, key, { ...options, runId });
    if (problem !== null) await open?.close();
    if (problem !== null) return notStarted(machine, runId, 'store', problem);
  }
  return driveRun(
    {
      runId,
      run: state,
      startedAt,
      labels: fixed.title === undefined ? {} : { title: fixed.title },
      open,
      redactor,
      checkpoints: folder === null ? null : checkpoints(folder, redactor, start),
      inbox: folder === null ? null : openInbox(folder, 0),
      key: key?.name,
      begin: { seq: 0, events: [], activeMs: 0 },
      cwd: workingDirectory?.main.cwd ?? directory,
      worktrees: workingDirectory,
    },
    options,
  );
}

/** Null: the run has its key, or has ended because another one has it. */
async function keyProblem(
  run: Run,
  key: NonNullable<RunOptions['key']>,
  { runId, dir = '', signal, onKeyBusy }: RunOptions & { readonly runId: string },
): Promise<string | null> {
  const { takeKey } = await import('./take-key.js');
  try {
    await takeKey(run, key, { directory: dir, runId, signal, onBusy: onKeyBusy });
    return null;
  } catch (cause) {
    if (cause instanceof StoreError || cause instanceof RunRefused) return cause.message;
    throw cause;
  }
}

async function workingDirectoryOf({ worktree = false, dir }: RunOptions, cwd: string, runId: string) {
  if (worktree === false) return null;
  const { newWorktree } = await import('./working-directory.js');
  return newWorktree(worktree, { cwd, dir, runId });
}

/** The report of a run that never started. */
function notStarted(
  machine: Machine,
  runId: string,
  kind: 'bad_value' | 'store' | 'worktree',
  message: string,
): RunReport {
  return { ...emptyReport(runId, machine.name, 'failed'), error: { ...storeFailure(message, null), kind } };
}
