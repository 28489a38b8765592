/**
 * The events of a run. A run is this list and nothing else: the journal holds them, views read them, recovery
 * applies them. Names are past tense; every field is JSON; units are last in a name.
 */
import type { Json } from '../../machine/expression.js';
import type { LimitScope } from '../../machine/machine.js';
import type { FailureCause, GrantedAttempt, HeldFailure, RunError } from './failure-facts.js';
import type { StoredLimits } from './stored-limits.js';
import type { RolledBack, UndoFacts } from './undo-facts.js';

export type { FailureCause, FailureFacts, GrantedAttempt, HeldFailure, RunError } from './failure-facts.js';

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
}

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

/** What is known of an agent call besides its answer. */
export interface AgentFacts {
  /** US dollars; null when it did not tell. */
  readonly cost?: number | null;
  readonly tokens?: TokenCounts;
  readonly session_id?: string;
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
}

/** What the world answered to an effect. The interpreter decides what it means. */
export type Outcome =
  | ({
      readonly kind: 'exited';
      /** null when a signal ended the process. */
      readonly exit: number | null;
      readonly signal?: string;
      readonly stdout: Output;
      /** All of stderr up to 64 KiB, else its last 4 KiB. */
      readonly stderr: string;
      /** File name below `artifacts/` of all of it, when it is over 64 KiB. */
      readonly stderr_artifact?: string;
      readonly duration_ms: number;
      /** Pipes were still held open by a straggler and were let go. */
      readonly output_truncated?: true;
      /** What is wrong with the result of a tool by its schema, as a clause. */
      readonly invalid?: string;
    } & AgentFacts)
  /** A JavaScript function, a mock, a clock: the value itself. */
  | {
      readonly kind: 'value';
      readonly value: Json;
      readonly duration_ms?: number;
      /** What is wrong with the result of a tool by its schema, as a clause. */
      readonly invalid?: string;
    }
  | ({
      readonly kind: 'timed-out';
      readonly timeout_ms: number;
      readonly stdout: Output;
      readonly stderr: string;
      readonly stderr_artifact?: string;
      readonly duration_ms: number;
    } & AgentFacts)
  /** It never started: no such program or directory, no permission, an argument too large. */
  | { readonly kind: 'not-started'; readonly reason: string; readonly error_type?: string }
  /** What a snapshot of a worktree found. */
  | {
      readonly kind: 'changed';
      readonly commit: string;
      /** Sorted names, from the root of the repository. */
      readonly files: readonly string[];
      /** The difference as a unified diff. */
      readonly stdout: Output;
    }
  /** A JavaScript function threw, an agent reported an error. */
  | {
      readonly kind: 'failed';
      readonly message: string;
      readonly error_type?: string;
      readonly exit?: number;
      /** How the tool of a plan calls its failure. */
      readonly tool_code?: string;
    };

/** The kind of a request, as events name it. */
export type EffectKind =
  | 'shell'
  | 'argv'
  | 'function'
  | 'agent'
  | 'tool'
  | 'timer'
  | 'clock'
  | 'uuid'
  | 'random'
  | 'worktree'
  | 'schema'
  | 'ask'
  | 'signal'
  | 'approval';

/** One event of a run: a line of its journal without number and time. `grammar/events.md` lists them with their members. */
export type RunEvent =
  | {
      readonly type: 'run_started';
      readonly machine: string;
      readonly digest: string;
      readonly inputs: Readonly<Record<string, Json>>;
      readonly version: string;
      /** The commit that the run's worktree began at, where it has one. */
      readonly worktree?: { readonly base: string };
    }
  | { readonly type: 'state_entered'; readonly state: string; readonly with?: Readonly<Record<string, Json>> }
  | {
      readonly type: 'effect_requested';
      /** Stable across crash and resume: what `STATEDSL_EFFECT_ID` is made of. */
      readonly effect: string;
      readonly kind: EffectKind;
      readonly tool: string | null;
      /** As written in the program. */
      readonly text: string;
      readonly state: string;
      readonly line: number;
      readonly attempt: number;
      /** The path of the step that it is part of; absent: of none. */
      readonly step?: string;
      /** Values in the order of the interpolations, rendered. */
      readonly args?: readonly Json[];
      /** Where the values stand in `text`: from and to, of as many as are in it. */
      readonly holes?: readonly (readonly [number, number])[];
      /** Which member of a PARALLEL or FOR EACH it is part of, from 1, and of how many. */
      readonly member?: readonly [number, number];
      readonly prompt?: string;
      /** File name below `artifacts/` of the prompt, which is left out when it is over 64 KiB. */
      readonly artifact?: string;
      /** What the author of a plan wrote about the call: `_why` and the like. */
      readonly remarks?: Readonly<Record<string, Json>>;
      /** It takes back what the run did: an UNDO. */
      readonly undo?: true;
    }
  | {
      readonly type: 'effect_settled';
      readonly effect: string;
      readonly attempt: number;
      readonly outcome: Outcome;
      /** The run itself stopped it, because its result was not needed any more. */
      readonly stopped?: true;
    }
  | {
      readonly type: 'effect_retried';
      readonly effect: string;
      readonly attempt: number;
      readonly error: string;
      readonly delay_ms: number;
      /** An agent could do nothing for now: the try does not count, and is made again then. Milliseconds since the epoch. */
      readonly until_ms?: number;
    }
  /** Recorded at once, before anything handles it; of a join when its members have ended. */
  | {
      readonly type: 'instruction_failed';
      /** The thread that failed: empty is the run itself. */
      readonly thread: string;
      readonly error_type: string;
      readonly error: string;
      readonly state: string;
      readonly line: number;
      /** Where `resume` goes back to: of a failure while another one was handled those of that one. */
      readonly causes: readonly FailureCause[];
      /** A loop goes on with its next turn all the same. */
      readonly kept?: true;
    }
  | { readonly type: 'tracked_set'; readonly name: string; readonly value: Json }
  | {
      readonly type: 'state_set';
      readonly path: string;
      readonly value: Json;
      /** How it was written where that is not plainly: `merge`, `push`, …; then `value` is what was added. */
      readonly method?: string;
    }
  | {
      readonly type: 'emitted';
      readonly by: 'author' | 'engine';
      readonly event: string | null;
      readonly fields: Readonly<Record<string, Json>>;
      readonly message: string | null;
      readonly state: string;
      readonly line: number;
      /** The path of the step that it happened in; absent: in none. */
      readonly step?: string;
    }
  | {
      readonly type: 'asked';
      readonly effect: string;
      readonly name: string;
      readonly question: string;
      readonly choices: readonly string[] | null;
      readonly default: string | null;
      /** Milliseconds since the epoch. */
      readonly deadline: number | null;
    }
  | {
      readonly type: 'answered';
      readonly effect: string;
      readonly name: string;
      readonly value: Json;
      readonly by: string;
      /** Bytes of the run's inbox that were read with it, where it came that way. */
      readonly inbox?: number;
    }
  | {
      readonly type: 'signal_received';
      readonly name: string;
      readonly payload: Json;
      readonly by: string;
      /** Bytes of the run's inbox that were read with it, where it came that way. */
      readonly inbox?: number;
    }
  /** `until` in milliseconds since the epoch: a deadline is a point in time, not a duration. */
  | { readonly type: 'timer_set'; readonly effect: string; readonly until: number }
  /** Once for each attempt of a step. `step` is its full path. */
  | {
      readonly type: 'step_started';
      readonly step: string;
      readonly attempt: number;
      readonly agent: string | null;
      readonly step_type: string;
    }
  | {
      readonly type: 'gate_result';
      readonly step: string;
      readonly attempt: number;
      readonly gate: string;
      readonly kind: string;
      readonly pass: boolean;
      /** Why it did not pass, in one line. */
      readonly message?: string;
      /** File name below `artifacts/` of what it printed. */
      readonly artifact?: string;
    }
  | {
      readonly type: 'retry_triggered';
      readonly step: string;
      /** The attempt that follows. */
      readonly attempt: number;
      /** Indexes of the entries that applied. */
      readonly matched: readonly number[];
      /** What is different from the step as it is written. */
      readonly overrides: {
        readonly agent?: string;
        readonly prompt?: string;
        readonly session?: string;
        readonly worktree?: string;
      };
    }
  /** Once for each step. */
  | {
      readonly type: 'step_completed';
      readonly step: string;
      readonly attempt: number;
      readonly status: 'pass' | 'fail' | 'fatal';
      readonly retries: number;
      /** US dollars of all its attempts; null when some call did not tell. */
      readonly cost: number | null;
    }
  | {
      readonly type: 'budget_exceeded';
      readonly scope: LimitScope;
      /** The step that went beyond it. */
      readonly step?: string;
      readonly limit: number;
      readonly used: number;
    }
  | {
      readonly type: 'warned';
      readonly message: string;
      readonly state: string;
      readonly line: number;
      /** Told by what runs the program and not by the program, so that a replay does not expect it. */
      readonly by?: 'runner';
    }
  | {
      /** Told by what runs the program: a replay does not expect it. */
      readonly type: 'worktree_committed';
      readonly commit: string;
      /** The worktree holds this from the event with that number on. */
      readonly since: number;
    }
  | { readonly type: 'run_suspended'; readonly waiting: readonly Waiting[] }
  | RunResumed
  | { readonly type: 'run_interrupted'; readonly reason: string }
  | { readonly type: 'run_cancelled'; readonly by: string; readonly inbox?: number }
  /** The register is empty: what was on it has been performed. */
  | ({ readonly type: 'rolled_back' } & RolledBack)
  /** A person takes back what a run did that is over. */
  | { readonly type: 'rollback_started'; readonly by: string; readonly inbox?: number }
  | { readonly type: 'run_returned'; readonly state: string; readonly value: Json }
  | {
      readonly type: 'run_failed';
      readonly error: RunError;
      readonly value?: Json;
      /** What can be taken back, in the order in which a rollback does it. */
      readonly undo?: readonly UndoFacts[];
    };

/** Money in US dollars, and tokens. */
export interface SpentAmount {
  readonly cost: number;
  readonly tokens: TokenCounts;
}

/** A run goes on, or a new one goes on where an earlier one was. */
export interface RunResumed {
  readonly type: 'run_resumed';
  readonly by: string;
  /** The events from this number on, and the outcomes in `without`, do not count any more: they are made again. */
  readonly from?: number;
  readonly without?: readonly number[];
  /** Failures that are not taken: the run waits at their instructions until all of the record is read. */
  readonly held?: readonly HeldFailure[];
  /** Effects that these threads had begun, also those that do not count any more: no other effect gets their names. */
  readonly begun?: Readonly<Record<string, number>>;
  /** What the outcomes cost that do not count any more. */
  readonly spent?: SpentAmount;
  /** Steps that may have one more attempt, since a person wants them to. */
  readonly granted?: readonly GrantedAttempt[];
  /** The run is a copy of this one up to here. */
  readonly of?: string;
  /** SHA-256 of the machine that is executed from here on, where it is another one than before. */
  readonly digest?: string;
  /** Limits that hold from here on, where they are other ones than before. */
  readonly limits?: StoredLimits;
}

/** Something a run waits for that only a person, another program or the clock can give. */
export interface Waiting {
  readonly kind: 'ask' | 'signal' | 'time' | 'approval';
  /** Absent for an approval, which has a path. */
  readonly name?: string | null;
  /** A gate of a plan that a person opens, below `†state`. */
  readonly path?: string;
  readonly question?: string;
  readonly choices?: readonly string[] | null;
  readonly until?: number | null;
}
