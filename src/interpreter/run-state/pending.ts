/** What a thread waits for, from the request to its outcome. */
import type { ContinuedSession } from '../agents/continued-session.js';
import type { EffectKind, TokenCounts, Waiting } from '../events/event.js';
import type { Thread } from './thread.js';

/** Something that a thread needs before it can continue. */
export interface Pending {
  readonly effect: string;
  readonly kind: EffectKind;
  attempt: number;
  readonly thread: Thread;
  /**
   * `result`: the outcome of the instruction itself. `clock`: the time that it needs before it can wait. `bound`: the timer
   * that ends a question, a signal or a join.
   */
  readonly purpose: 'result' | 'clock' | 'bound';
  /** Milliseconds since the epoch, for timers and what they bound. */
  until: number | null;
  /** Whether the request was handed out, so that stopping it must be reported. */
  taken: boolean;
  /** Its description for people, if only they, a program or the clock can end it. */
  waiting: Waiting | null;
  /** How often this attempt of an agent call was backed off. */
  readonly waits?: number;
  /** The session in which this call of an agent continues, or will continue after this timer. */
  readonly continues?: ContinuedSession;
  /** What this call of an agent, or the pause before it, has reserved of the budget of the run, in US dollars. */
  readonly reserved?: number;
  /** Who answered it. */
  answeredBy?: string;
  /** The attempt that this timer backs off, which is requested again afterwards. */
  readonly putsOff?: { readonly effect: string; readonly attempt: number };
  /** The attempt that failed, if this request is for the random length of the pause before the next one. */
  readonly retries?: { readonly effect: string; readonly attempt: number; readonly error: string };
  /** The call of a plan for which it is made. */
  readonly call?: PlanPending;
}

/** The name of a question, or the path of an approval, with its id. */
export function namesOf({ waiting }: Pick<Pending, 'waiting'>): { readonly id: string; readonly name: string } {
  const name = waiting?.name ?? waiting?.path ?? '';
  return { id: waiting?.id ?? name, name };
}

/** The call or approval of a plan that waits for this. */
export interface PlanPending {
  readonly key: string;
  /** Whether the previous answer was unusable and this is the only further attempt. */
  readonly correction?: {
    readonly problem: string;
    readonly session: string | null;
    /** What the session had used before, where its program reports only such sums. */
    readonly sessionTokens?: TokenCounts;
  };
}
