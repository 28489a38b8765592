/** What a record says, as plain data: its events, visits of states, attempts of effects, waits and exceeded limits. */
import type { DeniedCall, Outcome, RunEvent, Waiting } from '../../interpreter/events/event.js';
import type { RolledBack } from '../../interpreter/events/facts.js';
import type { Json } from '../../machine/expression.js';

/** A line of a journal. */
export interface Recorded {
  readonly seq: number;
  /** ISO 8601. */
  readonly time: string;
  readonly event: RunEvent;
}

export type EventOf<T extends RunEvent['type']> = Extract<RunEvent, { type: T }>;
export type Requested = EventOf<'effect_requested'>;

/** A period in which the run was in a state. */
export interface Visit {
  readonly state: string;
  readonly seq: number;
  readonly time: string;
  /** False if the run was resumed in a state that it had entered before. */
  readonly entered: boolean;
  readonly with: Readonly<Record<string, Json>>;
  /** Milliseconds in which a process executed the run in this state. */
  activeMs: number;
  /** Whether a resume took it back, and whether another run made it, from which this one was copied. */
  isUndone: boolean;
  isCopied: boolean;
}

/** How an attempt of an effect ended. `put-off`: the agent was unavailable, and the same attempt was made again. */
export type Ending = 'succeeded' | 'failed' | 'stopped' | 'put-off' | 'open';

/** Tokens of agent calls. */
export interface Tokens {
  readonly in: number;
  readonly out: number;
  readonly cache_read: number;
  readonly cache_write: number;
}

/** One attempt of an effect. */
export interface Attempt {
  readonly seq: number;
  readonly time: string;
  readonly request: Requested;
  /** The index of its visit in `visits`. */
  readonly visit: number;
  /** The same call was started earlier, and that outcome no longer counts. */
  readonly again: boolean;
  ending: Ending;
  outcome: Outcome | null;
  /** Milliseconds; null while it has no outcome, or if it never started. */
  durationMs: number | null;
  /** US dollars of an agent call; null is unknown. Commands have none. */
  cost?: number | null;
  tokens?: Tokens;
  turns?: number;
  sessionId?: string;
  /** Calls of tools that the program of its agent did not allow. */
  denied?: readonly DeniedCall[];
  /** The number of the event with the outcome. */
  settledSeq: number | null;
  /** The reason of the retry. */
  retried: string | null;
}

/** A wait for a person, a signal or a time. */
export interface Wait {
  readonly kind: 'ask' | 'signal' | 'time';
  readonly name: string | null;
  readonly state: string;
  /** The number of the event that started it. */
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly beganMs: number;
  /** Milliseconds, including those in which no process executed the run; null while it is open. */
  ms: number | null;
  /** Whether the wait timed out. */
  ranOut: boolean;
}

/** A wait with what its event says. */
export interface RecordedWait extends Wait {
  readonly effect: string;
  /** Whether it is a value that a plan waits for. */
  readonly isApproval: boolean;
  readonly waiting: Waiting;
  /** The instruction or the question. */
  readonly text: string;
  /** 0 if the event does not say. */
  readonly line: number;
  endSeq: number | null;
}

/** A ROLLBACK that ended, whether the program or a person began it. */
export interface EndedRollback extends RolledBack {
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  /** Null: the program began it. */
  readonly by: string | null;
}

/** A limit that a run reached. */
export interface LimitReached {
  readonly seq: number;
  readonly scope: Extract<RunEvent, { type: 'budget_exceeded' }>['scope'];
  readonly limit: number;
  readonly used: number;
}
