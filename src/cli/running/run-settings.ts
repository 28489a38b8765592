/** Settings of a run from flags, for the commands that start or resume it. */
import { resolve } from 'node:path';
import type { Json } from '../../machine/expression.js';
import type { Limits } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { problemDiagnostics } from '../../project/settings.js';
import type { FileProblem } from '../../runtime/configuration/yaml-file.js';
import type { RunReport } from '../../runtime/run/report.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import { commandLineHost } from '../files/host.js';
import { printDiagnostics } from '../terminal/report-diagnostics.js';
import type { RunFlags } from './run-flags.js';

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
