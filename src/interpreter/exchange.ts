/**
 * One exchange between a run and the world: what came from the world goes in, and what follows from it comes out. Every
 * loop that executes runs consists of exchanges, so that all of them settle outcomes one by one: the record does not say
 * whether two outcomes came together, and a replay settles them one by one, so a run must not depend on it.
 */
import type { Json } from '../machine/expression.js';
import { omitUndefined } from '../prelude/omit-undefined.js';
import { unreachable } from '../prelude/unreachable.js';
import type { Outcome, RunEvent, Through } from './events/event.js';
import type { EffectRequest } from './request.js';
import { advance } from './run.js';
import type { Run } from './run-state/run-memory.js';
import { answer, settle } from './settle.js';

/** How an effect ended. */
export type Finished =
  | { readonly kind: 'outcome'; readonly effect: string; readonly outcome: Outcome }
  /** `by`: who answered the question, for the record. */
  | {
      readonly kind: 'answer';
      readonly effect: string;
      readonly value: Json;
      readonly by: string;
      readonly through?: Through;
    };

/** How the interpreter stopped: `more` to compute, `blocked` until the world answers, or `stopped` at the run's end. */
export type AdvanceStatus = ReturnType<typeof advance>;

/** What follows from what a run was given. */
export interface Exchange {
  readonly status: AdvanceStatus;
  /** What is to be recorded, before anything else is done. */
  readonly events: RunEvent[];
  /** What the world is to do. */
  readonly requests: readonly EffectRequest[];
  /** Effects that are no longer needed. They were requested in an earlier exchange. */
  readonly cancelled: readonly string[];
}

/** Applies how an effect ended. Nothing follows from it before the next exchange. */
export function settleFinished(run: Run, finished: Finished): void {
  switch (finished.kind) {
    case 'outcome':
      return settle(run, finished.effect, finished.outcome);
    case 'answer':
      return answer(run, finished.effect, finished.value, finished.by, omitUndefined({ through: finished.through }));
    default:
      return unreachable(finished);
  }
}

/**
 * Gives a run what came, or nothing, and advances it. `transitions`: how many it may make before the caller looks up.
 * Only a `blocked` run may be given something.
 */
export function exchange(run: Run, finished: Finished | null, transitions?: number): Exchange {
  if (finished !== null) settleFinished(run, finished);
  const status = advance(run, transitions);
  const cancelled = run.takeCancellations();
  const events = run.takeEvents();
  return { status, events, requests: run.takeRequests(), cancelled };
}
