/** Facts of a failure: its causes, the error contract for handlers, and the error of a failed run. */
import type { Json } from '../../machine/expression.js';

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
