/** Settings of a run from flags, for the commands that start or resume it. */
import { resolve } from 'node:path';
import type { Json } from '../../machine/expression.js';
import type { Limits, Machine } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import { problemDiagnostics } from '../../project/settings.js';
import type { HostOptions } from '../../runtime/effects.js';
import type { MockWorld } from '../../runtime/mock.js';
import type { Mock } from '../../runtime/mock-file.js';
import type { RunReport } from '../../runtime/run/report.js';
import type { RunOptions } from '../../runtime/run/run-options.js';
import type { Diagnostic } from '../../source/diagnostic.js';
import { commandLineHost } from '../files/host.js';
import { printDiagnostics } from '../terminal/report-diagnostics.js';
import type { RunFlags } from './run-flags.js';

/** The default directory of the store. */
export const STORE = '.statedsl';

/** Settings that are stored with the run, so that `resume` needs no flags. */
export function settingsOf(flags: RunFlags): Readonly<Record<string, Json>> {
  return {
    here: process.cwd(),
    ...omitUndefined({
      mock: flags.mock === undefined ? undefined : resolve(flags.mock),
      tools: flags.tools === undefined ? undefined : resolve(flags.tools),
      agent: flags.agent,
      state: flags.state === undefined ? undefined : resolve(flags.state),
      allow_outside: flags.allowOutside,
      suspend_after: flags.suspendAfter,
      real_time: flags.realTime,
      cassette: flags.cassette === undefined ? undefined : resolve(flags.cassette),
    }),
  };
}

/** The options of a run whose answers come from a mock, and what to report at its end. */
interface MockedRun {
  readonly options: Pick<RunOptions, 'effects' | 'time' | 'suspendAfterMs'>;
  readonly world: MockWorld;
}

/** Results from a file instead of from commands, agents and people. In virtual time, unless `realTime` is set. */
export async function createMockedRun(
  mock: Mock,
  flags: { readonly realTime?: boolean | undefined; readonly suspendAfter?: number | 'never' | undefined },
  others: Pick<HostOptions, 'agents' | 'mcp' | 'readable'>,
): Promise<MockedRun> {
  const [{ createMockWorld }, { hostEffects }, { VirtualTime }] = await Promise.all([
    import('../../runtime/mock.js'),
    import('../../runtime/effects.js'),
    import('../../runtime/virtual-time.js'),
  ]);
  const time = flags.realTime === true ? undefined : new VirtualTime();
  const world = createMockWorld(mock, hostEffects(others), time ?? null);
  const suspendAfterMs = time === undefined || flags.suspendAfter !== undefined ? undefined : null;
  return { world, options: omitUndefined({ effects: world.effects, time, suspendAfterMs }) };
}

/** Warns of names in a mock that a run which has ended did not ask for. */
export async function reportUnusedAnswers(
  world: MockWorld,
  machine: Machine,
  { status }: Pick<RunReport, 'status'>,
  flags: Pick<RunFlags, 'quiet'>,
): Promise<void> {
  if (status !== 'returned' && status !== 'failed') return;
  const unused = problemDiagnostics(commandLineHost(), 'unused-mock', world.listUnused(machine));
  const diagnostics = unused.diagnostics.map((one): Diagnostic => ({ ...one, severity: 'warning' }));
  await printDiagnostics(diagnostics, unused.sources, flags);
}

/** The flags for worktrees. */
export function worktreeFlags({ worktree, dir, dryRun }: RunFlags): {
  readonly worktree: boolean | undefined;
  readonly store: string;
  readonly isDryRun: boolean;
} {
  return { worktree, store: resolve(dir ?? STORE), isDryRun: dryRun === true };
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
