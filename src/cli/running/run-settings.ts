/** Settings of a run from flags, for the commands that start or resume it. */
import { resolve } from 'node:path';
import type { Json } from '../../machine/expression.js';
import type { Limits } from '../../machine/machine.js';
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
    ...(flags.mock === undefined ? {} : { mock: resolve(flags.mock) }),
    ...(flags.tools === undefined ? {} : { tools: resolve(flags.tools) }),
    ...(flags.agent === undefined ? {} : { agent: flags.agent }),
    ...(flags.tools === undefined ? {} : { tools: resolve(flags.tools) }),
    ...(flags.state === undefined ? {} : { state: resolve(flags.state) }),
    ...(flags.allowOutside === undefined ? {} : { allow_outside: flags.allowOutside }),
    ...(flags.suspendAfter === undefined ? {} : { suspend_after: flags.suspendAfter }),
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
  return {
    ...(flags.maxTransitions === undefined ? {} : { transitions: flags.maxTransitions }),
    ...(flags.timeout === undefined ? {} : { timeMs: flags.timeout }),
    ...(flags.maxCost === undefined ? {} : { cost: flags.maxCost }),
    ...(flags.maxTokens === undefined ? {} : { tokens: flags.maxTokens }),
    ...(flags.maxJournal === undefined ? {} : { journal: flags.maxJournal }),
    ...(flags.maxOutput === undefined ? {} : { output: flags.maxOutput }),
  };
}
