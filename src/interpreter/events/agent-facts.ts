/** The recorded facts about an agent call in addition to its answer. */
import type { Output } from './output.js';

/** Tokens of one agent call. Cached tokens are not part of `in`. */
export interface TokenCounts {
  readonly in: number;
  readonly out: number;
  readonly cache_read: number;
  readonly cache_write: number;
}

/** A limit of a single agent call that it exceeded. */
export interface BrokenGuard {
  readonly name: 'max_turns' | 'max_cost' | 'max_time' | 'no_write';
  /** A clause for messages: what it used and what was allowed. */
  readonly message: string;
}

/** Why an agent was temporarily unavailable. It only has to be called again later, so such an attempt does not count. */
export interface Unavailable {
  readonly cause: 'usage' | 'overload' | 'network';
  readonly message: string;
  /** `until_ms`: when it will be available again, if it said so. `at_ms`: when that was noticed. Milliseconds since the epoch. */
  readonly until_ms: number | null;
  readonly at_ms: number;
}

/** A call of a tool that the program of an agent did not allow. */
export interface DeniedCall {
  /** As the program names it. */
  readonly tool: string;
  /** What it was called with, shortened. */
  readonly input?: string;
  readonly reason?: string;
}

/** How often the program of an agent asked its service again by itself. */
export interface OwnRetries {
  readonly count: number;
  readonly ms: number;
  /** Why, the last time. */
  readonly message: string;
}

/** Facts of an agent call in addition to its answer. */
export interface AgentFacts {
  /** US dollars; null if not reported. */
  readonly cost?: number | null;
  readonly tokens?: TokenCounts;
  readonly session_id?: string;
  /** Tokens of the session since it began, where the program reports only those: the next call subtracts them. */
  readonly session_tokens?: TokenCounts;
  /** The session cannot be branched off, or cannot be found from another directory. */
  readonly session_bound?: true;
  /** The adapter that made the session; no other can continue it. */
  readonly adapter?: string;
  /** The adapter of the session that should have been continued, if it is another one: the call then started a new session. */
  readonly session_of?: string;
  readonly turns?: number;
  /** Whether the agent reported a failure. Present if an adapter decoded its output: then `stdout` is its answer. */
  readonly is_error?: boolean;
  /** Its whole output, if `stdout` is only the answer. */
  readonly transcript?: Output;
  readonly guard?: BrokenGuard;
  readonly unavailable?: Unavailable;
  readonly denied?: readonly DeniedCall[];
  readonly own_retries?: OwnRetries;
}
