/** What a thread waits for, from the request to its outcome. */
import type { EffectKind, Waiting } from '../events/event.js';
import type { Thread } from './thread.js';

/** Something a thread cannot go on without. */
export interface Pending {
  readonly effect: string;
  readonly kind: EffectKind;
  attempt: number;
  readonly thread: Thread;
  /**
   * `result`: the outcome is what the instruction is for. `clock`: the time it needs before it can wait.
   * `bound`: the timer that ends a question, a signal or a join.
   */
  readonly purpose: 'result' | 'clock' | 'bound';
  /** Milliseconds since the epoch, for timers and what they bound. */
  until: number | null;
  /** The request was handed out, so that stopping it must be told. */
  taken: boolean;
  /** What people are told about it, where only they, a program or the clock can end it. */
  waiting: Waiting | null;
  /** How often this try of an agent call was put off. */
  readonly waits?: number;
  /** Who answered it. */
  answeredBy?: string;
  /** The try that this timer puts off, to be asked for again. */
  readonly putsOff?: { readonly effect: string; readonly attempt: number };
  /** The try that failed, where chance is asked how long to pause before the next one. */
  readonly retries?: { readonly effect: string; readonly attempt: number; readonly error: string };
  /** The call of a plan that it is made for. */
  readonly call?: PlanPending;
}

/** Which call or approval of a plan waits for this. */
export interface PlanPending {
  readonly key: string;
  /** The answer before could not be used, and this is the one further try. */
  readonly correction?: { readonly problem: string; readonly session: string | null };
}
