/** What is recorded of the call of an agent besides its answer. */
import type { Output } from './output.js';

/** Tokens of one agent call. What came from a cache is not part of `in`. */
export interface TokenCounts {
  readonly in: number;
  readonly out: number;
  readonly cache_read: number;
  readonly cache_write: number;
}

/** A limit of a single agent call that it went beyond. */
export interface BrokenGuard {
  readonly name: 'max_turns' | 'max_cost' | 'max_time' | 'no_write';
  /** A clause for messages: what it did and what it was allowed. */
  readonly message: string;
}

/** Why an agent could do nothing for now. Asking again later is all that it takes, so such a try does not count. */
export interface Unavailable {
  readonly cause: 'usage' | 'overload' | 'network';
  readonly message: string;
  /** When it will answer again as far as it said; milliseconds since the epoch, as `atMs`, when it was noticed. */
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

/** What is known of an agent call besides its answer. */
export interface AgentFacts {
  /** US dollars; null when it did not tell. */
  readonly cost?: number | null;
  readonly tokens?: TokenCounts;
  readonly session_id?: string;
  /** Tokens of the session since it began, where the program reports only those: the next call subtracts them. */
  readonly session_tokens?: TokenCounts;
  /** The adapter that made the session, which no other can continue. */
  readonly adapter?: string;
  /** The adapter of the session that was to be continued, where that is another one: the call began a new one. */
  readonly session_of?: string;
  readonly turns?: number;
  /** Whether the agent said that it failed. Present where an adapter read what it printed: then `stdout` is its answer. */
  readonly is_error?: boolean;
  /** All that it printed, where `stdout` is only the answer. */
  readonly transcript?: Output;
  readonly guard?: BrokenGuard;
  readonly unavailable?: Unavailable;
  readonly denied?: readonly DeniedCall[];
  readonly own_retries?: OwnRetries;
}
