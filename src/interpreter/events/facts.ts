/**
 * Facts that events record: about the call of an agent in addition to its answer, about failures, about what is undone,
 * and about what a run waits for.
 */
import type { Json } from '../../machine/expression.js';

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
  /** `budget`: it has not begun, because it might exceed what a program may spend in a day. */
  readonly cause: 'usage' | 'overload' | 'network' | 'budget';
  readonly message: string;
  /** `until_ms`: when it will be available again, if it said so. `at_ms`: when that was noticed. Milliseconds since the epoch. */
  readonly until_ms: number | null;
  readonly at_ms: number;
  /** The account whose limit it is, where all calls of the account wait together; `budget:NAME@$1.50`: the budget and what is needed. */
  readonly account?: string;
}

/** A call of a tool that the program of an agent did not allow. */
export interface DeniedCall {
  /** As the program names it. */
  readonly tool: string;
  /** What it was called with, shortened. */
  readonly input?: string;
  readonly reason?: string;
}

/** A call of a tool by a model. */
export interface PerformedCall {
  readonly tool: string;
  /** What it was called with, shortened. */
  readonly input: string;
  /** Milliseconds; absent: it did not end. */
  readonly ms?: number;
  /** Why it failed; absent: it did not. */
  readonly error?: string;
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
  /** The model that the configuration or the name of the agent says. */
  readonly model?: string;
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
  /** Calls of tools that its program told on purpose, in their order; at most 1,000. */
  readonly tool_calls?: readonly PerformedCall[];
  readonly denied?: readonly DeniedCall[];
  readonly own_retries?: OwnRetries;
}

/** What a process printed. */
export interface ProcessOutput {
  readonly stdout: Output;
  /** All of stderr up to 64 KiB, otherwise its last 4 KiB. */
  readonly stderr: string;
  /** The file name of all of it below `artifacts/`, if it is over 64 KiB. */
  readonly stderr_artifact?: string;
  /** How many lines came on stdout, then on stderr, then on stdout …; absent: first all of stdout, or it is not known. */
  readonly order?: readonly number[];
}

/** How a member of a pipe ended. Its program is null if it is not one program, or if that is not known. */
export interface PipeMember {
  readonly program: string | null;
  readonly exit: number;
}

/** stdout of an effect. Up to 64 KiB inline, else in an artifact of the run. */
export interface Output {
  /** All of it, when it is valid UTF-8 (or had to be decoded to be bound). */
  readonly text?: string;
  /** All of it, when it is not valid UTF-8. */
  readonly base64?: string;
  /** File name below `artifacts/`. */
  readonly artifact?: string;
  /** The last 4 KiB of an artifact. */
  readonly tail?: string;
  readonly bytes: number;
  /** `text` was decoded from bytes that are not valid UTF-8. */
  readonly lossy?: true;
  /** The artifact has only the first 16 MiB, because an engine stores no more. */
  readonly cut?: true;
  /** It is too large for a value of a run on an engine. */
  readonly unbound?: true;
}

/** A cause of a failure, which is where the run is resumed. */
export interface FailureCause {
  /** The thread that failed: empty for the run itself, otherwise the fork and the number of the member. */
  readonly thread: string;
  /** The number of the failure in its thread, from 1. */
  readonly number: number;
  /** How many effects the thread had begun. */
  readonly begun: number;
  /** The effects whose outcomes caused it; absent: no effect caused it. */
  readonly effects?: readonly string[];
  /** Whether it happened inside an instruction that had begun effects, where a run cannot be resumed. */
  readonly inside?: true;
  /** The step that did not pass, at its last attempt. */
  readonly step?: GrantedAttempt;
}

/** The error contract: entry values of ERROR, locals of ON ERROR, and `error` of a failed run. */
export interface FailureFacts {
  /** `tool_failure`, `timeout`, `not_json`, `bad_value`, `limit`, `in_doubt`, `fell_off`, …: always with `_`. */
  readonly error_type: string;
  readonly tool: string | null;
  readonly error: string;
  readonly exit_code: number | null;
  readonly from_state: string;
  readonly line: number;
  readonly file?: string;
  /** The step that did not pass, and the gate that failed. */
  readonly step?: string;
  readonly gate?: string;
  /** The values of a FAIL. */
  readonly with?: Readonly<Record<string, Json>>;
  /** The JSON text of those with a number that was written differently, such as `1.10`. */
  readonly printed?: Readonly<Record<string, string>>;
  /** Its causes; for a join, those of all members that failed. */
  readonly causes?: readonly FailureCause[];
}

/** An attempt of a step after which one more may follow. */
export interface GrantedAttempt {
  readonly step: string;
  readonly attempt: number;
}

/** A failure by its thread and number, as in `FailureCause`. */
export type HeldFailure = Pick<FailureCause, 'thread' | 'number'>;

/** Why a run failed: the failure that nothing handled, or the limit that ended it. */
export interface RunError {
  readonly kind: string;
  readonly message: string;
  readonly state: string | null;
  readonly line: number | null;
  readonly file: string | null;
  readonly tool: string | null;
  readonly exit_code: number | null;
  /** The step that did not pass, or used up a limit. */
  readonly step?: string;
  /** The gate that failed. */
  readonly gate?: string;
  /** The values of the FAIL that ended the run. */
  readonly with?: Readonly<Record<string, Json>>;
  /** The JSON text of those with a number that was written differently, such as `1.10`. */
  readonly printed?: Readonly<Record<string, string>>;
}

/** An UNDO command that a rollback would perform. */
export interface UndoFacts {
  readonly line: number;
  readonly state: string;
  readonly text: string;
}

/** The result of a ROLLBACK. */
export interface RolledBack {
  readonly done: number;
  readonly failed: readonly { readonly line: number; readonly error: string }[];
}

/** The branch that an effect belongs to: its id without the number at the end. Empty is the run itself. */
export function threadOf(effect: string): string {
  const end = effect.lastIndexOf('.');
  return end < 0 ? '' : effect.slice(0, end);
}

/** What `show=` of a question names, as it was when the question was asked. A long value is a text that is cut. */
export type ShownValues = Readonly<Record<string, Json>>;

/** Something that a run waits for and that only a person, another program or the clock can provide. */
export interface Waiting {
  readonly kind: 'ask' | 'signal' | 'time' | 'approval';
  /** Its own name in the run, such as `go@2`; the clock needs none. */
  readonly id?: string;
  /** Absent for an approval, which has a path. */
  readonly name?: string | null;
  /** The path of an approval of a plan, below `†state`. */
  readonly path?: string;
  readonly question?: string;
  readonly choices?: readonly string[] | null;
  readonly show?: ShownValues;
  readonly until?: number | null;
  /** With `time`: the account of agents whose limit ends then. */
  readonly account?: string;
}
