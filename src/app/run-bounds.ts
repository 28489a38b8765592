/** What a run that is about to start spends on agents at most, as a sentence, and whether somebody has to confirm it. */
import type { Printed } from '../interpreter/values/json.js';
import type { Json } from '../machine/expression.js';
import { callsAgents, type Limits, type Machine } from '../machine/machine.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import type { Configuration } from '../runtime/configuration/load-configuration.js';
import { wholeOf } from '../runtime/redact.js';
import { agentCosts, type RunOptions } from '../runtime/run/run-options.js';
import { countOf, dollars } from '../views/drawing/amounts.js';
import { boundWords } from '../views/drawing/bound-words.js';
import type { RunBounds } from './programs.js';
import type { Instead } from './project/preparation.js';

/**
 * A run loses at most 150 ms of a processor before its first call of an agent. The clock is looked at between segments, and
 * the ways through what was explored are counted afterwards, so exploring ends earlier.
 */
const EXPLORING_MS = 130;

interface StartingRun {
  readonly configuration: Configuration;
  readonly instead: Instead;
  readonly inputs: Readonly<Record<string, Json>>;
  /** The JSON texts of inputs whose numbers JavaScript would print differently. */
  readonly printed?: Printed;
  /** Those that replace limits of the program. */
  readonly limits?: Limits;
  readonly start?: RunOptions['start'];
}

/** Null: the program calls no agents. */
export async function boundsBeforeStart(
  machine: Machine,
  { configuration: { agents, folder }, instead, inputs: given, printed, limits, start }: StartingRun,
): Promise<RunBounds | null> {
  if (!callsAgents(machine)) return null;
  const { boundOfRun } = await import('../lab/foresight/run-bound.js');
  const inputs = wholeOf(given, printed);
  const maxCost = agentCosts({ agents, folder, instead });
  const state = start === undefined ? -1 : machine.states.findIndex(({ name }) => name === start.state);
  const limited = { ...machine, limits: { ...machine.limits, ...limits } };
  const first = omitUndefined({ start: state < 0 ? undefined : { state, with: start?.with ?? {} } });
  try {
    return boundOfRun(limited, { inputs, maxCost, ...first, milliseconds: EXPLORING_MS });
  } catch {
    // What only tells about a run does not prevent it; `verify` reports what is wrong with the exploration.
    return { calls: null, cost: null, agents: [], problem: 'not computed' };
  }
}

/** Why a run has to be confirmed; null: it need not be. What has no bound is above every number. */
export function whyConfirm(
  bound: RunBounds | null,
  { calls, cost }: { readonly calls?: number; readonly cost?: number },
): string | null {
  if (bound === null || (calls === undefined && cost === undefined)) return null;
  const limits = [
    ...(calls !== undefined && (bound.calls ?? Number.POSITIVE_INFINITY) > calls ? [countOf(calls, 'call')] : []),
    ...(cost !== undefined && (bound.cost ?? Number.POSITIVE_INFINITY) > cost ? [dollars(cost)] : []),
  ];
  if (limits.length === 0) return null;
  const allowed = `more than \`confirm_above\` allows (${limits.join(', ')})`;
  if (bound.calls === null) return `${boundWords(bound)}, which is ${allowed}`;
  const costWords = bound.cost === null && cost !== undefined ? ', and no bound of the cost' : '';
  return `the run has ${boundWords(bound)}${costWords}: ${allowed}`;
}
