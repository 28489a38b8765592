/** Events of a run, written by hand: each with the second at which it was recorded. */
import type { Outcome, RunEvent } from '../../src/interpreter/events/event.js';
import type { Recorded } from '../../src/runtime/record/record-facts.js';

type Requested = Extract<RunEvent, { type: 'effect_requested' }>;

export type Timed = readonly [second: number, event: RunEvent];

export const started: RunEvent = { type: 'run_started', machine: 'm', digest: 'd', inputs: {}, version: '' };
export const resumed: RunEvent = { type: 'run_resumed', by: 'x' };
export const suspended: RunEvent = { type: 'run_suspended', waiting: [] };
export const returned: RunEvent = { type: 'run_returned', state: 'A', value: null };
export const entered = (state: string): RunEvent => ({ type: 'state_entered', state });

export function requested(effect: string, text: string, more: Partial<Requested> = {}): RunEvent {
  const event = { type: 'effect_requested', effect, kind: 'shell', tool: text, text, state: 'A', line: 1, attempt: 1 };
  return { ...event, ...more } as Requested;
}

export function exited(exit: number, more: Partial<Extract<Outcome, { kind: 'exited' }>> = {}): Outcome {
  return { kind: 'exited', exit, stdout: { text: '', bytes: 0 }, stderr: '', duration_ms: 500, ...more };
}

export function settled(effect: string, outcome: Outcome = exited(0), attempt = 1): RunEvent {
  return { type: 'effect_settled', effect, attempt, outcome };
}

export function retried(effect: string, delay_ms: number, attempt = 1, until_ms?: number): RunEvent {
  const until = until_ms === undefined ? {} : { until_ms };
  return { type: 'effect_retried', effect, attempt, error: 'exit 1', delay_ms, ...until };
}

/** The records of a journal with these events, after the start of the run. */
export function recordsOf(events: readonly Timed[]): Recorded[] {
  const all: Timed[] = [[0, started], ...events];
  return all.map(([second, event], at) => ({ seq: at + 1, time: new Date(second * 1000).toISOString(), event }));
}

/** Gives all events to a model. */
export function taken<M extends { take(record: Recorded): void }>(model: M, ...events: readonly Timed[]): M {
  for (const record of recordsOf(events)) model.take(record);
  return model;
}
