/** What is known of a failure: what it came from, what handlers are given of it, and what a failed run tells. */
import type { Json } from '../../machine/expression.js';

/** Where a failure came from, so that a run can be resumed there and nowhere else. */
export interface FailureCause {
  /** The thread that failed: empty is the run itself, otherwise the fork and the number of the member. */
  readonly thread: string;
  /** Its first, second, … failure. */
  readonly number: number;
  /** How many effects the thread had begun by then. */
  readonly begun: number;
  /** The effects whose outcomes made it fail; absent: it was no effect's failure. */
  readonly effects?: readonly string[];
  /** It came up within an instruction that had begun its effects, so it is no point where a run could begin. */
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
  /** The step that did not pass, and the gate that said so. */
  readonly step?: string;
  readonly gate?: string;
  /** What a FAIL passes. */
  readonly with?: Readonly<Record<string, Json>>;
  /** Where it came from: of a join those of all members that failed. */
  readonly causes?: readonly FailureCause[];
}

/** An attempt of a step behind which one more may follow. */
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
  /** The gate that said so. */
  readonly gate?: string;
  /** What the FAIL passed that ended the run. */
  readonly with?: Readonly<Record<string, Json>>;
}
