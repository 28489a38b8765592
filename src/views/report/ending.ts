/** How an attempt of an effect ended, from its outcome. */
import { agentFailed } from '../../interpreter/agents/agent-output.js';
import type { EffectKind, Outcome } from '../../interpreter/events/event.js';
import { isStopped } from '../log/outcome-words.js';
import type { Ending } from './facts.js';

/** `wasStopped`: the run stopped the effect, because its result was no longer needed. */
export function endingOf(
  outcome: Outcome,
  kind: EffectKind,
  wasStopped: boolean,
): Extract<Ending, 'succeeded' | 'failed' | 'stopped'> {
  if (wasStopped || isStopped(outcome)) return 'stopped';
  return hasFailed(outcome, kind) ? 'failed' : 'succeeded';
}

function hasFailed(outcome: Outcome, kind: EffectKind): boolean {
  if (kind === 'agent') return agentFailed(outcome);
  return outcome.kind === 'exited' ? outcome.exit !== 0 : outcome.kind !== 'value';
}
