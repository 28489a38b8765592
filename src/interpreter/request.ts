/**
 * Requests: what the interpreter needs from outside. All values are evaluated, so an effect handler needs no expression
 * and no name. The event `effect_requested` records the same request.
 */
import type { Json, ShellText } from '../machine/expression.js';
import type { Decoding, Strictness } from '../machine/machine.js';
import type { ToolProgram } from '../machine/plan.js';
import type { EffectKind, Output, ShownValues, TokenCounts } from './events/event.js';
import type { PlanCheck } from './plan/engine/plan-node.js';

/** The members of all requests. */
export interface RequestHeader {
  /** The id of the effect: the same after a crash and a resume, as in `effect_requested`. */
  readonly effect: string;
  readonly kind: EffectKind;
  readonly attempt: number;
  /** A pause before the start, between two attempts. Milliseconds. */
  readonly delayMs: number;
}

/** A value for shell text: the printed text of a scalar, compact JSON of anything else. */
export type ShellValue =
  | { readonly text: string; readonly json?: string; readonly file?: true }
  /** The elements of `{list*}`. */
  | { readonly list: readonly string[] };

/** The members of requests for commands, functions, agents and tools. */
export interface CommandRequest extends RequestHeader {
  readonly tool: string | null;
  /** The instruction as written, in one line, for people. */
  readonly text: string;
  readonly state: string;
  readonly line: number;
  /** The path of the branch that requests it; `''` is the run itself. */
  readonly branch: string;
  readonly timeoutMs: number | null;
  /** How long it may print nothing; absent: as long as it likes. */
  readonly idleMs?: number;
  readonly once: boolean;
  readonly cwd: string | null;
  readonly env: Readonly<Record<string, string>>;
  /** The standard input; null means empty. */
  readonly stdin: Output | null;
  /** Exit codes that are not a failure; absent: 0. After any other code, what the command left running is stopped. */
  readonly ok?: readonly number[] | 'any';
  /** Whether output is bound to a value, so that its text is needed (up to 16 MiB). */
  readonly needsText: boolean;
  /** An outcome of the same request may be taken from the memo; absent: it is performed. */
  readonly memo?: {
    /** Patterns of files whose contents count for what is the same. */
    readonly files: readonly string[];
    /** How the output is read: what cannot be read is not remembered. */
    readonly reading: Decoding;
    /** The agent of a step: what it answers and changes is remembered once the step has passed. */
    readonly step?: StepMemo;
  };
  /** The working directory of this branch, absolute; absent: that of the run. */
  readonly directory?: string;
  /** The attempt of the enclosing step, which programs receive instead of the attempt of the effect. */
  readonly stepAttempt?: number;
}

/** What the memo has to know of a step. */
export interface StepMemo {
  /** Whether it is the first request of the step, which alone may be answered by the memo. */
  readonly isFirst: boolean;
  /** Whether its changes of files are its result: they can be remembered only in a worktree. */
  readonly changesFiles: boolean;
}

/** A command for the shell: DO or CHECK with a line of shell text. */
export type ShellRequest = CommandRequest & {
  readonly kind: 'shell';
  readonly shell: 'bash' | 'sh' | 'default';
  /** Which failures end the script early; absent: none. */
  readonly strict?: Strictness;
  readonly template: ShellText;
  /** One value for each hole of the template, in order. */
  readonly values: readonly ShellValue[];
};
/** A program with its arguments, without a shell. */
export type ArgvRequest = CommandRequest & {
  readonly kind: 'argv';
  readonly argv: readonly string[];
  /** Whether it prints the file that its last word names, which must be a file of the project. */
  readonly reads?: true;
};
/** A JavaScript function that is bound as a command. */
export type FunctionRequest = CommandRequest & {
  readonly kind: 'function';
  readonly name: string;
  readonly args: readonly string[];
};
/** A conversation in short, for a new session that takes the place of one that its program cannot find. */
export interface SessionOrigin {
  /** Absolute; null is the directory of the run. */
  readonly directory: string | null;
  readonly prompt: string;
  readonly answer: string;
}

/** One call of an agent: its prompt, the session it continues, and what limits it. */
export type AgentRequest = CommandRequest & {
  readonly kind: 'agent';
  readonly agent: string;
  /** The complete prompt: the interpreter has appended the `with` values. */
  readonly prompt: string;
  readonly args: Readonly<Record<string, Json>>;
  /** The file for the output, relative to the run's working directory. */
  readonly output: string | null;
  /** How often this attempt was backed off; absent: never. */
  readonly waits?: number;
  /** The session of an earlier call that this call continues; absent: a new one. */
  readonly session?: string;
  /** The adapter that made the session, if known. */
  readonly sessionAdapter?: string;
  /** The tokens that it had used by its last call, where its program reports only such sums. */
  readonly sessionTokens?: TokenCounts;
  /** The call branches off from the session, which stays as it is; absent: it continues it. */
  readonly fork?: true;
  /** Where the session was begun and what was said in it last, if it cannot be continued everywhere. */
  readonly sessionOrigin?: SessionOrigin;
  /** The process that made this request before was interrupted, so that it is made once more. */
  readonly again?: true;
  /** The purpose of the call, as agents receive it; absent: the name of the state. */
  readonly step?: string;
  /** Absent: only those of the configuration. */
  readonly guards?: AgentGuards;
  /** A file that the agent may write to its answer folder, whose text is then its answer: `plan.json`. */
  readonly answerFile?: string;
  /** A folder in its working directory where it may write this file too. Files there do not count as changes. */
  readonly answerFolder?: string;
  /** What the answer has to match. Programs that make the model keep to a schema get it. */
  readonly answerSchema?: Json;
  /** The same, in a file of the project. */
  readonly answerSchemaFile?: string;
  /** The call of a plan whose tool is the agent. */
  readonly call?: ToolCall;
};

/**
 * An operation on the worktree of a run or of a parallel task. Each can be repeated after a crash with the same result.
 * Commits are named by their hash.
 */
export type WorktreeAction =
  /** Commits all changes; settles as `changed` with the difference from `from`. */
  | {
      readonly do: 'snapshot';
      readonly onto: string;
      readonly from: string;
      readonly label: string;
      /** The changes are those of this attempt of a step that the memo remembers. */
      readonly memo?: { readonly step: string; readonly attempt: number };
    }
  /** Resets to a commit; settles with null. */
  | { readonly do: 'reset'; readonly to: string }
  /** A worktree for a parallel task; settles with `{directory}`. */
  | { readonly do: 'fork'; readonly base: string }
  /** Merges tasks in their order into the run's worktree; settles with `{commit}` or fails. */
  | { readonly do: 'merge'; readonly onto: string; readonly tasks: readonly MergedTask[] };

/** A parallel task whose commits are merged: those after `base`, up to `tip`. */
export interface MergedTask {
  readonly task: string;
  readonly base: string;
  readonly tip: string;
}

/** A request for an operation on a worktree. */
export type WorktreeRequest = RequestHeader & {
  readonly kind: 'worktree';
  /** The path of the parallel task whose worktree is meant; null: the run's own worktree. */
  readonly task: string | null;
  readonly action: WorktreeAction;
};

/** Whether a text matches a JSON Schema; settles with null, or with the problems as a text. */
export type SchemaRequest = RequestHeader & {
  readonly kind: 'schema';
  /** The file of the schema, relative to `directory`. */
  readonly path: string;
  readonly text: string;
  readonly directory?: string;
};
/** A call of a tool, except agents, which are called like any agent, and plans, which the interpreter runs. */
export type ToolRequest = CommandRequest & {
  readonly kind: 'tool';
  readonly calls: ToolProgram | PlanCheck;
  readonly call: ToolCall;
};

/** What a tool receives about its call. */
export interface ToolCall {
  /** Its name in the tools file. */
  readonly name: string;
  readonly parameters: { readonly [name: string]: Json };
  /** Their JSON text, if a number in them was written differently, such as `1.10`. */
  readonly printed?: string;
  /** The paths that its result may go to, as lists of paths that are written together. */
  readonly alternatives: readonly (readonly string[])[];
  /** A JSON Schema of parameters, `_outputPath` and `_output`. */
  readonly schema: Json | null;
}

/** Limits of a single agent call that act while it runs. */
export interface AgentGuards {
  readonly maxTurns?: number;
  /** US dollars. */
  readonly maxCost?: number;
  readonly maxTimeMs?: number;
  readonly idleMs?: number;
  /** Whether it must not change any file. */
  readonly noWrite?: boolean;
}

/**
 * Settles at `until` (milliseconds since the epoch) or later, with the time then, see `account`. The interpreter reads the clock before
 * it requests a timer, so `until` is always set and survives a restart; `ms` is the requested length.
 */
export type TimerRequest = RequestHeader & {
  readonly kind: 'timer';
  readonly ms: number | null;
  readonly until: number | null;
  /** The effect id of a question or signal that this timer only bounds. Such a timer alone does not keep a run busy. */
  readonly bounds?: string;
  /** The account of agents that the run waits for: it settles when a call of the account may begin, also if that is earlier. */
  readonly account?: string;
};
/** Settles with a number (`clock`: milliseconds since the epoch; `random`: 0 ≤ x < 1) or a text (`uuid`). */
export type SampleRequest = RequestHeader & { readonly kind: 'clock' | 'uuid' | 'random' };
/** A question to a person. */
export type AskRequest = RequestHeader & {
  readonly kind: 'ask';
  readonly name: string;
  readonly question: string;
  readonly choices: readonly string[] | null;
  readonly default: string | null;
  readonly show?: ShownValues;
  /** Milliseconds since the epoch, for people: a separate timer ends the question. */
  readonly deadlineMs: number | null;
};
/** Waits for a signal of another program or a person. */
export type SignalRequest = RequestHeader & {
  readonly kind: 'signal';
  readonly name: string;
  /** For people: a separate timer ends the waiting. */
  readonly timeoutMs: number | null;
  /** Milliseconds since the epoch. */
  readonly until: number | null;
};

/** Everything that a run can request; `kind` says which. A performed request has an `Outcome`. */
export type EffectRequest =
  | ShellRequest
  | ArgvRequest
  | FunctionRequest
  | AgentRequest
  | ToolRequest
  | TimerRequest
  | SampleRequest
  | WorktreeRequest
  | SchemaRequest
  | AskRequest
  | SignalRequest;
