/** Settings of a run from flags, for the commands that start or resume it. */
import { resolve } from 'node:path';
import type { Json } from '../../machine/expression.js';
import type { Limits } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';
import type { Effects } from '../../runtime/effect-context.js';
import type { HostOptions } from '../../runtime/effects.js';
import type { Mock } from '../../runtime/mock.js';
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
    }),
  };
}

/** Results from a file instead of from commands and agents. */
export async function createMockEffects(
  mock: Mock,
  others: Pick<HostOptions, 'agents' | 'mcp' | 'readable'>,
): Promise<Effects> {
  const [{ mockEffects }, { hostEffects }] = await Promise.all([
    import('../../runtime/mock.js'),
    import('../../runtime/effects.js'),
  ]);
  return mockEffects(mock, hostEffects(others));
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
