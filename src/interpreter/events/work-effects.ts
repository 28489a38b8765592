/** Effects that do work outside of the run. The others only wait, ask, or give a value. */
import type { RunEvent } from './event.js';

/** The kinds of effects that do work: commands, functions, agents and tools. */
export const WORK_EFFECTS: ReadonlySet<string> = new Set(['shell', 'argv', 'function', 'agent', 'tool']);

/** Whether the event begins one of the `effects` that lists and reports count: further attempts are the same effect. */
export function countsAsEffect(event: RunEvent): boolean {
  return event.type === 'effect_requested' && event.attempt === 1 && WORK_EFFECTS.has(event.kind);
}
