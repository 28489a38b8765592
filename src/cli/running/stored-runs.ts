/** Shared by all commands for stored runs: where the store is, and how refusals are reported. */
import { resolve } from 'node:path';
import { openRuns } from '../../control/open-runs.js';
import type { Refusal, RefusalCode, Result } from '../../control/result.js';
import type { Runs } from '../../control/runs.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { latestRun } from '../../runtime/store/latest-run.js';
import { RunRefused } from '../../runtime/store/run-refused.js';
import { StoreError } from '../../runtime/store/store-error.js';
import { requireOwnStore } from '../../runtime/store/store-ownership.js';
import { findRunId } from '../../runtime/store/stored-run.js';
import { isOutsideAllowed } from '../arguments/outside-option.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { usageError } from '../terminal/usage.js';
import { STORE } from './run-settings.js';

export interface StoreFlags {
  readonly dir?: string;
  /** The address of the engine that has the runs. */
  readonly on?: string;
  readonly namespace?: string;
}

export function storeOf({ dir }: StoreFlags): string {
  return resolve(dir ?? STORE);
}

/** Reports a store that does not belong to this user; null if it does. */
export async function storeProblem(store: string): Promise<ExitCode | null> {
  const code = await refusalsAsErrors(async () => {
    await requireOwnStore(store);
    return EXIT.returned;
  });
  return code === EXIT.returned ? null : code;
}

/** The id of the named run, or of the latest. Throws a `RunRefused`. */
export function findRunOrLatest(name: string | undefined, directory: string): string {
  if (name !== undefined) return findRunId(directory, name);
  const latest = latestRun(directory);
  if (latest !== null) return latest;
  throw new RunRefused('unknown', `there are no runs in \`${directory}\``, 'name the store of the runs with `--dir`');
}

/** A refusal of an operation on its way to `refusalsAsErrors`. */
export class OperationRefused extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.message);
  }
}

/** The value of an operation that was done. Throws an `OperationRefused`. */
export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new OperationRefused(result.refusal);
}

/**
 * Turns a refusal into a message and an exit code. A wrong name is wrong usage; a run that cannot be read is a failure.
 */
export async function refusalsAsErrors(action: () => Promise<ExitCode>): Promise<ExitCode> {
  try {
    return await action();
  } catch (cause) {
    if (cause instanceof OperationRefused) return reportRefusal(cause.refusal);
    if (cause instanceof RunRefused) {
      const code = await usageError(cause.message, cause.help ?? undefined);
      return cause.kind === 'unusable' ? EXIT.failed : code;
    }
    if (!(cause instanceof StoreError)) throw cause;
    await usageError(cause.message);
    return EXIT.failed;
  }
}

/** The runs that the flags mean. */
export async function runsOf(flags: StoreFlags): Promise<Runs> {
  const options = { dir: storeOf(flags), allowOutside: isOutsideAllowed() };
  const { on, namespace } = flags;
  if (on === undefined) return openRuns(options);
  const { engineRuns } = await import('../../control/engine/engine-runs.js');
  const { engineAccess } = await import('./engine-flags.js');
  return engineRuns({ ...options, on, ...engineAccess(), ...omitUndefined({ namespace }) });
}

/** What is not the fault of the command line. All other refusals are wrong usage. */
const FAILURES: ReadonlySet<RefusalCode> = new Set(['unusable', 'damaged', 'store', 'unfinished', 'not-applied']);

/** Reports a refusal. */
export async function reportRefusal({ code, message, help }: Refusal): Promise<ExitCode> {
  const usage = await usageError(message, help ?? undefined);
  return FAILURES.has(code) ? EXIT.failed : usage;
}
