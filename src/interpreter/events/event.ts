/**
 * The events of a run. They define the run completely: the journal stores them, views read them, and recovery applies them.
 * Names are in the past tense, every field is JSON, and a unit is the last word of a name.
 */
import type { Json } from '../../machine/expression.js';
import type { ExceededScope } from '../../machine/machine.js';
import type {
  AgentFacts,
  FailureCause,
  GrantedAttempt,
  HeldFailure,
  Output,
  PipeMember,
  ProcessOutput,
  RolledBack,
  RunError,
  ShownValues,
  TokenCounts,
  Unavailable,
  UndoFacts,
  Waiting,
} from './facts.js';
import type { StoredLimits } from './stored-limits.js';

export type {
  AgentFacts,
  BrokenGuard,
  DeniedCall,
  FailureCause,
  FailureFacts,
  GrantedAttempt,
  HeldFailure,
  Output,
  OwnRetries,
  PerformedCall,
  PipeMember,
  ProcessOutput,
  RunError,
  ShownValues,
  TokenCounts,
  Unavailable,
  Waiting,
} from './facts.js';

export type ExitedOutcome = Extract<Outcome, { kind: 'exited' }>;

/** The outcome of an effect. The interpreter decides what it means. */
export type Outcome =
  | ({
      readonly kind: 'exited';
      /** null if a signal ended the process. */
      readonly exit: number | null;
      readonly signal?: string;
      /** How the members of the pipe ended that made the command fail, in order. */
      readonly pipe?: readonly PipeMember[];
      readonly duration_ms: number;
      /** Whether a process that the command left behind still held its pipes open. */
      readonly output_truncated?: true;
      /** The run that remembered this outcome: nothing was started. */
      readonly memo?: string;
      /** What is wrong with the result of a tool by its schema, as a clause. */
      readonly invalid?: string;
      /** A person gave it in a debugger, and nothing was started. */
      readonly by?: 'debugger';
    } & ProcessOutput &
      AgentFacts)
  /** A JavaScript function, a mock, a clock: the value itself. */
  | {
      readonly kind: 'value';
      readonly value: Json;
      /** The JSON text of the value, if a number in it was written differently, such as `1.10`. */
      readonly printed?: string;
      readonly duration_ms?: number;
      /** The run that remembered this value: nothing was called. */
      readonly memo?: string;
      /** What is wrong with the result of a tool by its schema, as a clause. */
      readonly invalid?: string;
      readonly by?: 'debugger';
    }
  | ({
      readonly kind: 'timed-out';
      readonly timeout_ms: number;
      /** It was silent for that long. `heard`: the last line that it had printed; empty if it had printed none. */
      readonly silent?: { readonly heard: string };
      readonly duration_ms: number;
    } & ProcessOutput &
      AgentFacts)
  /** It never started: program or directory missing, no permission, an argument too large. */
  | {
      readonly kind: 'not-started';
      readonly reason: string;
      readonly error_type?: string;
      /** Of a call of an agent that waits until its account can be used. */
      readonly unavailable?: Unavailable;
    }
  /** The result of a snapshot of a worktree. */
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
      /** The code that the tool of a plan gives its failure. */
      readonly tool_code?: string;
      readonly by?: 'debugger';
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

/** One event of a run: a line of its journal without number and time. `docs/events.md` lists them with their members. */
export type RunEvent =
  | {
      readonly type: 'run_started';
      readonly machine: string;
      readonly digest: string;
      readonly inputs: Readonly<Record<string, Json>>;
      /** The JSON text of inputs with a number that was written differently, such as `1.10`. */
      readonly printed?: Readonly<Record<string, string>>;
      readonly version: string;
      /** The commit from which the run's worktree starts, if it has one. */
      readonly worktree?: { readonly base: string };
      /** Who started the run, if that is known. */
      readonly by?: string;
    }
  | {
      readonly type: 'state_entered';
      readonly state: string;
      readonly with?: Readonly<Record<string, Json>>;
      /** The JSON text of values with a number that was written differently, such as `1.10`. */
      readonly printed?: Readonly<Record<string, string>>;
    }
  | {
      readonly type: 'effect_requested';
      /** The same after a crash and a resume: `STATEDSL_EFFECT_ID` is made from it. */
      readonly effect: string;
      readonly kind: EffectKind;
      readonly tool: string | null;
      /** As written in the program. */
      readonly text: string;
      readonly state: string;
      readonly line: number;
      readonly attempt: number;
      /** Of a signal: the id of the wait for it. */
      readonly id?: string;
      /** The path of its step; absent outside of steps. */
      readonly step?: string;
      /** Values in the order of the interpolations, rendered. */
      readonly args?: readonly Json[];
      /** The JSON text of the parameters of a tool, if a number in them was written differently, such as `1.10`. */
      readonly printed?: string;
      /** The positions of the values in `text`, as start and end, for those that are in it. */
      readonly holes?: readonly (readonly [number, number])[];
      /** The number of its member of a PARALLEL or FOR EACH, from 1, and how many members there are. */
      readonly member?: readonly [number, number];
      readonly prompt?: string;
      /** The file name of the prompt below `artifacts/`; the prompt itself is omitted if it is over 64 KiB. */
      readonly artifact?: string;
      /** What the author of a plan wrote about the call: `_why` and the like. */
      readonly remarks?: Readonly<Record<string, Json>>;
      /** Whether it is an UNDO. */
      readonly undo?: true;
    }
  | {
      readonly type: 'effect_settled';
      readonly effect: string;
      readonly attempt: number;
      readonly outcome: Outcome;
      /** Whether the run itself stopped it, because its result was no longer needed. */
      readonly stopped?: true;
    }
  | {
      readonly type: 'effect_retried';
      readonly effect: string;
      readonly attempt: number;
      readonly error: string;
      readonly delay_ms: number;
      /** When an unavailable agent is called again; the attempt does not count. Milliseconds since the epoch. */
      readonly until_ms?: number;
      /** The account that the call waits for. */
      readonly account?: string;
    }
  /** Recorded at once, before it is handled; for a join when its members have ended. */
  | {
      readonly type: 'instruction_failed';
      /** The thread that failed; empty for the run itself. */
      readonly thread: string;
      readonly error_type: string;
      readonly error: string;
      readonly state: string;
      readonly line: number;
      /** Where `resume` goes back to; for a failure in a handler, the causes of the failure that it handled. */
      readonly causes: readonly FailureCause[];
      /** Whether the loop continues with its next round. */
      readonly kept?: true;
    }
  /** A person changed a variable in a debugger. For a tracked one, `tracked_set` follows. */
  | {
      readonly type: 'variable_changed';
      readonly name: string;
      readonly value: Json;
      /** The JSON text of the value, if a number in it was written differently, such as `1.10`. */
      readonly printed?: string;
      readonly in: 'local' | 'tracked';
      readonly slot: number;
      /** The thread that stood there; empty for the run itself. */
      readonly thread: string;
      /** The instruction that came next, over all states. */
      readonly pc: number;
      /** How far the thread had come, to find the moment again. */
      readonly moment: string;
      readonly by: string;
    }
  | {
      readonly type: 'tracked_set';
      readonly name: string;
      readonly value: Json;
      /** The JSON text of the value, if a number in it was written differently, such as `1.10`. */
      readonly printed?: string;
    }
  | {
      readonly type: 'state_set';
      readonly path: string;
      readonly value: Json;
      /** The JSON text of the value, if a number in it was written differently, such as `1.10`. */
      readonly printed?: string;
      /** How it was written, if not by replacing: `merge`, `push`, …; then `value` is what was added. */
      readonly method?: string;
    }
  | {
      readonly type: 'emitted';
      readonly by: 'author' | 'engine';
      readonly event: string | null;
      readonly fields: Readonly<Record<string, Json>>;
      /** The JSON text of fields with a number that was written differently, such as `1.10`. */
      readonly printed?: Readonly<Record<string, string>>;
      readonly message: string | null;
      readonly state: string;
      readonly line: number;
      /** The path of its step; absent outside of steps. */
      readonly step?: string;
    }
  | {
      readonly type: 'asked';
      readonly effect: string;
      readonly id: string;
      readonly name: string;
      readonly question: string;
      readonly choices: readonly string[] | null;
      readonly default: string | null;
      /** Milliseconds since the epoch. */
      readonly deadline: number | null;
      readonly show?: ShownValues;
    }
  | {
      readonly type: 'answered';
      readonly effect: string;
      /** The id of the question. */
      readonly id: string;
      readonly name: string;
      readonly value: Json;
      /** The JSON text of the value, if a number in it was written differently, such as `1.10`. */
      readonly printed?: string;
      readonly by: string;
      /** The door through which it came; absent: a script or a deadline. */
      readonly through?: Through;
      /** Why the person decided so. */
      readonly reason?: string;
      /** Bytes of the run's inbox that were read with it, where it came that way. */
      readonly inbox?: number;
    }
  /** An answer of a person who may not give it. */
  | ({ readonly type: 'answer_refused'; readonly inbox?: number } & RefusedAnswer)
  | {
      readonly type: 'signal_received';
      readonly name: string;
      /** The wait that it is for, if the sender named one. */
      readonly id?: string;
      readonly payload: Json;
      /** The JSON text of the payload, if a number in it was written differently, such as `1.10`. */
      readonly printed?: string;
      readonly by: string;
      /** Bytes of the run's inbox that were read with it, where it came that way. */
      readonly inbox?: number;
    }
  /** `until` in milliseconds since the epoch: a deadline is a point in time, not a duration. */
  | {
      readonly type: 'timer_set';
      readonly effect: string;
      readonly until: number;
      /** The account of agents whose limit the run waits for. */
      readonly account?: string;
    }
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
      /** The file name of its output below `artifacts/`. */
      readonly artifact?: string;
    }
  | {
      readonly type: 'retry_triggered';
      readonly step: string;
      /** The attempt that follows. */
      readonly attempt: number;
      /** Indexes of the entries that applied. */
      readonly matched: readonly number[];
      /** What differs from the step as written. */
      readonly overrides: {
        readonly agent?: string;
        readonly prompt?: string;
        readonly session?: string;
        readonly worktree?: string;
        readonly restart_from?: string;
        readonly replan?: string;
      };
    }
  /** Once for each step. */
  | {
      readonly type: 'step_completed';
      readonly step: string;
      readonly attempt: number;
      readonly status: 'pass' | 'fail' | 'fatal';
      readonly retries: number;
      /** US dollars of all its attempts; null if a call did not report its cost. */
      readonly cost: number | null;
    }
  | {
      readonly type: 'budget_exceeded';
      readonly scope: ExceededScope;
      /** The step that exceeded it. */
      readonly step?: string;
      readonly limit: number;
      readonly used: number;
    }
  | {
      readonly type: 'warned';
      readonly message: string;
      readonly state: string;
      readonly line: number;
      /** Recorded by the runtime and not by the program, so a replay does not expect it. */
      readonly by?: 'runner';
      /** Bytes of the run's inbox that were read with it, where it came that way. */
      readonly inbox?: number;
    }
  | {
      /** Recorded by the runtime: a replay does not expect it. */
      readonly type: 'worktree_committed';
      readonly commit: string;
      /** The number of the event from which on the worktree has this commit. */
      readonly since: number;
    }
  | { readonly type: 'run_suspended'; readonly waiting: readonly Waiting[] }
  | RunResumed
  | { readonly type: 'run_interrupted'; readonly reason: string }
  | { readonly type: 'run_cancelled'; readonly by: string; readonly inbox?: number }
  /** Another run has the same key. `waited`, `cancelled`: what this run did. `waits`, `skipped`: what the other one did. */
  | {
      readonly type: 'key_shared';
      readonly key: string;
      readonly run_id: string;
      readonly how: 'waited' | 'cancelled' | 'waits' | 'skipped';
      readonly waited_ms?: number;
      readonly inbox?: number;
    }
  /** Nothing of it was executed, because another run had its key. */
  | { readonly type: 'run_skipped'; readonly key: string; readonly run_id: string }
  /** The undo register is empty, because its entries were performed. */
  | ({ readonly type: 'rolled_back' } & RolledBack)
  /** A user rolls back a run that has ended. */
  | { readonly type: 'rollback_started'; readonly by: string; readonly inbox?: number }
  | {
      readonly type: 'run_returned';
      readonly state: string;
      readonly value: Json;
      /** The JSON text of the value, if a number in it was written differently, such as `1.10`. */
      readonly printed?: string;
    }
  | {
      readonly type: 'run_failed';
      readonly error: RunError;
      readonly value?: Json;
      /** The JSON text of the value, if a number in it was written differently, such as `1.10`. */
      readonly printed?: string;
      /** What can be undone, in the order of a rollback. */
      readonly undo?: readonly UndoFacts[];
    };

/** Cost in US dollars, and tokens. */
export interface SpentAmount {
  readonly cost: number;
  readonly tokens: TokenCounts;
}

/** A run is resumed, or a new run continues from a point of an earlier one. */
export interface RunResumed {
  readonly type: 'run_resumed';
  readonly by: string;
  /** The events from this number on, and the outcomes in `without`, no longer count. */
  readonly from?: number;
  readonly without?: readonly number[];
  /** Failures at which the run is held: it waits at their instructions until the whole record is read. */
  readonly held?: readonly HeldFailure[];
  /** How many effects these threads had begun, including discarded ones, whose ids no other effect gets. */
  readonly begun?: Readonly<Record<string, number>>;
  /** What the discarded outcomes cost. */
  readonly spent?: SpentAmount;
  /** Steps that get one more attempt, because the user asked for it. */
  readonly granted?: readonly GrantedAttempt[];
  /** The run of which this run is a copy up to here. */
  readonly of?: string;
  /** SHA-256 of the machine that is executed from here on, if it has changed. */
  readonly digest?: string;
  /** What the edited program has moved: its instructions take over these outcomes. */
  readonly kept?: readonly KeptOutcomes[];
  /** What the edited program has above what was open is executed first, and what was open begins anew. */
  readonly inserted?: true;
  /** Limits that apply from here on, if they have changed. */
  readonly limits?: StoredLimits;
}

/** The outcome of an instruction. Of one that is not an effect, it has the texts of the values that the instruction bound. */
export interface KeptOutcome {
  readonly effect: string;
  /** The values of the effect, as one text. */
  readonly args: string;
  readonly outcome: Outcome;
}

/** Outcomes that instructions of an edited program take over when the run comes to them, each outcome once. */
export interface KeptOutcomes {
  /** `undo`: the UNDO below is registered already. */
  readonly at: readonly { readonly state: string; readonly pc: number; readonly undo?: true }[];
  readonly outcomes: readonly KeptOutcome[];
  /** The values need not be the same, because the effect was executed once. */
  readonly any?: true;
}

/** The doors through which answers come. */
export type Through = 'terminal' | 'command' | 'http' | 'page' | 'mcp' | 'form' | 'library';

/** An answer that nobody took, because who gave it may not answer. */
export interface RefusedAnswer {
  readonly id?: string;
  readonly name: string;
  readonly value: Json;
  readonly printed?: string;
  readonly by: string;
  readonly through: Through;
  readonly reason?: string;
}
