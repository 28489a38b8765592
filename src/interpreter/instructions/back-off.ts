/**
 * Pauses that double. Each is between nothing and its longest, as chance decides, so that many runs that failed together
 * do not come back together. Chance is asked like any other effect: a replay and a resumed run pause as the run did.
 */
import type { Pause } from '../../machine/option-values.js';
import { beginSample, type EffectFacts } from '../control/effects.js';
import type { Outcome } from '../events/event.js';
import { decodeOutcome } from '../outcome.js';
import type { Thread } from '../run-state/thread.js';

/** Milliseconds of the pause after so many tries or turns; `chance` is at least 0 and less than 1. */
export function doubledMs({ pauseMs, upToMs = pauseMs }: Pause, after: number, chance: number): number {
  return Math.round(Math.min(pauseMs * 2 ** (after - 1), upToMs) * chance);
}

/** Asks for the chance that the next pause needs. */
export function askChance(thread: Thread, facts: Pick<EffectFacts, 'retries' | 'call'>): void {
  beginSample(thread, 'random', 'how long to pause', facts);
}

/** What chance said. */
export function chanceOf(outcome: Outcome): number {
  const { value } = decodeOutcome(outcome, { reading: 'do', ok: [0], tool: null, agent: false });
  return typeof value === 'number' ? value : 0;
}
