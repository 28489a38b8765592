/** Shared by all commands for stored runs: where the store is, and how refusals are reported. */
import { resolve } from 'node:path';
import { openRuns } from '../../app/open-runs.js';
import type { ProgramFindings } from '../../app/project/preparation.js';
import { problemDiagnostics } from '../../app/project/settings.js';
import { OperationRefused, type Refusal, type RefusalCode } from '../../app/result.js';
import type { Runs } from '../../app/runs.js';
import type { Diagnostic } from '../../language/source/diagnostic.js';
import type { Json } from '../../machine/expression.js';
import type { Limits } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { FileProblem } from '../../runtime/configuration/yaml-file.js';
import type { OnDebugger } from '../../runtime/run/drive-options.js';
import type { RunReport } from '../../runtime/run/run-report.js';
import { RunRefused, StoreError } from '../../runtime/store/store-error.js';
import { isOutsideAllowed } from '../arguments/outside-option.js';
import { commandLineHost } from '../files/command-line-host.js';
import { EXIT, type ExitCode } from '../terminal/exit-code.js';
import { printDiagnostics, reportInvalid } from '../terminal/report-diagnostics.js';
import { usageError } from '../terminal/usage-error.js';
import type { RunFlags } from './run-flags.js';

export interface StoreFlags {
  readonly dir?: string;
  /** The address of the engine that has the runs. */
  readonly on?: string;
  readonly namespace?: string;
  /** The names of other agents, by the names they replace. */
  readonly agent?: Readonly<Record<string, string>>;
}

export function storeOf({ dir }: StoreFlags): string {
  return resolve(dir ?? STORE);
}

/** The command ends with this exit code, and has said why. */
export class CommandEnded extends Error {
  constructor(readonly code: ExitCode) {
    super('the command ended');
  }
}

/**
 * Turns a refusal into a message and an exit code. A wrong name is wrong usage; a run that cannot be read is a failure.
 */
export async function refusalsAsErrors(
  action: () => Promise<ExitCode>,
  flags: { readonly json?: boolean } = {},
): Promise<ExitCode> {
  try {
    return await action();
  } catch (cause) {
    if (cause instanceof CommandEnded) return cause.code;
    if (cause instanceof OperationRefused) return reportRefusal(cause.refusal, flags);
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
  const { on, namespace, agent: agents } = flags;
  const options = { dir: storeOf(flags), allowOutside: isOutsideAllowed(), ...omitUndefined({ agents }) };
  if (on === undefined) return openRuns({ ...options, onDebugger: letIn });
  const { engineRuns } = await import('../../engine/runs/engine-runs.js');
  const { engineAccess } = await import('./engine-flags.js');
  return engineRuns({ ...options, on, ...engineAccess(), ...omitUndefined({ namespace }) });
}

/** Lets a debugger in that asked a run of this process. It is loaded only then. */
export const letIn: OnDebugger = async (asked, live) =>
  (await import('../../editor/dap/debug-adapter.js')).letDebuggerIn(asked, live);

/** What is not the fault of the command line. All other refusals are wrong usage. */
const FAILURES: ReadonlySet<RefusalCode> = new Set(['unusable', 'damaged', 'store', 'unfinished', 'not-applied']);

/** Reports a refusal. */
export async function reportRefusal(
  { code, message, help, findings }: Refusal,
  flags: { readonly json?: boolean } = {},
): Promise<ExitCode> {
  if (findings !== undefined) {
    const { diagnostics, sources } = findings as ProgramFindings;
    return (await reportInvalid(diagnostics, sources, flags)).code;
  }
  const usage = await usageError(message, help ?? undefined);
  return FAILURES.has(code) ? EXIT.failed : usage;
}

/** The default directory of the store. */
export const STORE = '.statedsl';

/** Settings that are stored with the run, so that `resume` needs no flags. */
export function settingsOf(flags: RunFlags): Readonly<Record<string, Json>> {
  return omitUndefined({
    suspend_after: flags.suspendAfter,
    real_time: flags.realTime,
    cassette: flags.cassette === undefined ? undefined : resolve(flags.cassette),
  });
}

/** Warns of names in a mock that a run which has ended did not ask for. */
export async function reportUnusedAnswers(
  unused: readonly FileProblem[],
  { status }: Pick<RunReport, 'status'>,
  flags: Pick<RunFlags, 'quiet'>,
): Promise<void> {
  if (unused.length === 0 || (status !== 'returned' && status !== 'failed')) return;
  const found = problemDiagnostics(commandLineHost(), 'unused-mock', unused);
  const diagnostics = found.diagnostics.map((one): Diagnostic => ({ ...one, severity: 'warning' }));
  await printDiagnostics(diagnostics, found.sources, flags);
}

type LimitFlags = Pick<RunFlags, 'maxTransitions' | 'timeout' | 'maxCost' | 'maxTokens' | 'maxJournal' | 'maxOutput'>;

/** The limits that flags set; all others stay as the program sets them. */
export function flagLimits(flags: LimitFlags): Limits {
  return omitUndefined({
    transitions: flags.maxTransitions,
    timeMs: flags.timeout,
    cost: flags.maxCost,
    tokens: flags.maxTokens,
    journal: flags.maxJournal,
    output: flags.maxOutput,
  });
}
