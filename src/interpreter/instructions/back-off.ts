/**
 * Exponential back-off with full jitter: each pause is a random part of its maximum, so that many runs that failed together
 * do not retry together. The random number is an effect, so a replay and a resumed run pause as the run did.
 */
import type { Pause } from '../../machine/option-values.js';
import { beginSample, type EffectFacts } from '../control/effects.js';
import type { Outcome } from '../events/event.js';
import { decodeOutcome } from '../outcome.js';
import type { Thread } from '../run-state/thread.js';

/** The pause after this many attempts or rounds, in milliseconds; 0 ≤ `chance` < 1. */
export function doubledMs({ pauseMs, upToMs = pauseMs }: Pause, after: number, chance: number): number {
  return Math.round(Math.min(pauseMs * 2 ** (after - 1), upToMs) * chance);
}

/** Requests the random number for the next pause. */
export function askChance(thread: Thread, facts: Pick<EffectFacts, 'retries' | 'call'>): void {
  beginSample(thread, 'random', 'how long to pause', facts);
}

/** The random number. */
export function chanceOf(outcome: Outcome): number {
  const { value } = decodeOutcome(outcome, { decoding: 'do', ok: [0], tool: null, agent: false });
  return typeof value === 'number' ? value : 0;
}
