/**
 * Pauses that double. Each is between nothing and its longest, as chance decides, so that many runs that failed together
 * do not come back together. Chance is asked like any other effect: a replay and a resumed run pause as the run did.
 */
import type { Pause } from '../../machine/option-values.js';
import { suspend, tellRequested } from '../control/effects.js';
import type { Outcome } from '../events/event.js';
import { meaningOf } from '../outcome.js';
import type { Pending } from '../run-state/pending.js';
import type { Thread } from '../run-state/thread.js';

/** Milliseconds of the pause after so many tries or turns; `chance` is at least 0 and less than 1. */
export function doubledMs({ pauseMs, upToMs = pauseMs }: Pause, after: number, chance: number): number {
  return Math.round(Math.min(pauseMs * 2 ** (after - 1), upToMs) * chance);
}

/** Asks for the chance that the next pause needs. */
export function askChance(thread: Thread, facts: Pick<Pending, 'retries' | 'call'>): void {
  const effect = thread.nextEffect();
  suspend(thread, { effect, kind: 'random', purpose: 'result', until: null, waiting: null, ...facts });
  tellRequested(thread, effect, 'random', 'how long to pause');
  requestChance(thread, effect);
}

export function requestChance(thread: Thread, effect: string): void {
  thread.run.request({ effect, kind: 'random', attempt: 1, delayMs: 0 });
}

/** What chance said. */
export function chanceOf(outcome: Outcome): number {
  const { value } = meaningOf(outcome, { reading: 'do', ok: [0], tool: null, agent: false });
  return typeof value === 'number' ? value : 0;
}
