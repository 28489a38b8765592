/**
 * What the interpreter asks of the world. Everything is evaluated: an effect handler needs no expression and
 * no name. The same request is also told as the event `effect_requested`.
 */
import type { Json, ShellText } from '../machine/expression.js';
import type { Strictness } from '../machine/machine.js';
import type { ToolProgram } from '../machine/plan.js';
import type { EffectKind, Output } from './events/event.js';
import type { PlanCheck } from './plan/engine/plan-check.js';

/** What all requests have. */
export interface RequestHeader {
  /** Stable across crash and resume, as in `effect_requested`. */
  readonly effect: string;
  readonly kind: EffectKind;
  readonly attempt: number;
  /** Wait this long before the start (a pause between tries). */
  readonly delayMs: number;
}

/** A value for shell text: the printed text of a scalar, compact JSON of the rest. */
export type ShellValue =
  | { readonly text: string; readonly json?: string; readonly file?: true }
  /** The elements of `{list*}`. */
  | { readonly list: readonly string[] };

/** What requests for commands, functions, agents and tools have in common. */
export interface CommandRequest extends RequestHeader {
  readonly tool: string | null;
  /** As written, one line, for people. */
  readonly text: string;
  readonly state: string;
  readonly line: number;
  /** Path of the branch this runs in, `''` for the run itself. */
  readonly branch: string;
  readonly timeoutMs: number | null;
  readonly once: boolean;
  readonly cwd: string | null;
  readonly env: Readonly<Record<string, string>>;
  /** stdin; null is empty. */
  readonly stdin: Output | null;
  /** Exit codes that are no failure; absent: 0. After any other, what the command left running is stopped. */
  readonly ok?: readonly number[] | 'any';
  /** Output is bound to a value, so its text is needed (up to 16 MiB). */
  readonly needsText: boolean;
  /** The directory that this branch of the run works in, absolute; absent: that of the run. */
  readonly directory?: string;
  /** The attempt of the step that this is part of, which programs are told instead of the try. */
  readonly stepAttempt?: number;
}

/** A command for the shell: DO or CHECK with a line of shell text. */
export type ShellRequest = CommandRequest & {
  readonly kind: 'shell';
  readonly shell: 'bash' | 'sh' | 'default';
  /** What ends the script early; absent: nothing, as for runs of earlier versions. */
  readonly strict?: Strictness;
  readonly template: ShellText;
  /** One for each hole of the template, in order. */
  readonly values: readonly ShellValue[];
};
/** A program with its arguments, without a shell. */
export type ArgvRequest = CommandRequest & {
  readonly kind: 'argv';
  readonly argv: readonly string[];
  /** It prints the file that its last word names, which has to be one of the project. */
  readonly reads?: true;
};
/** A JavaScript function that stands for a command. */
export type FunctionRequest = CommandRequest & {
  readonly kind: 'function';
  readonly name: string;
  readonly args: readonly string[];
};
/** One call of an agent: its prompt, the session it continues, and what limits it. */
export type AgentRequest = CommandRequest & {
  readonly kind: 'agent';
  readonly agent: string;
  /** Complete: the `with` values are appended by the interpreter. */
  readonly prompt: string;
  readonly args: Readonly<Record<string, Json>>;
  /** File for the output, relative to the run's directory. */
  readonly output: string | null;
  /** How often this try was put off already; absent: never. */
  readonly waits?: number;
  /** The session of an earlier call to go on in; absent: a new one. */
  readonly session?: string;
  /** The adapter that made it, where that is known. */
  readonly sessionAdapter?: string;
  /** What the call is for, as agents are told it; absent: the state it is in. */
  readonly step?: string;
  /** Absent: none but those of the configuration. */
  readonly guards?: AgentGuards;
  /** A file that the agent may leave in its folder, whose text then is its answer: `plan.json`. */
  readonly answerFile?: string;
  /** A folder in its working directory where it may leave that file too, and whatever it leaves there is no change. */
  readonly answerFolder?: string;
  /** The call of a plan that the agent stands behind. */
  readonly call?: ToolCall;
};

/**
 * What a run wants of its worktree, or of that of a parallel task. Every one can be asked for again after a crash and
 * gives the same. Commits are named by their hash.
 */
export type WorktreeAction =
  /** Commits what is there; settles as `changed` with the difference from `from`. */
  | { readonly do: 'snapshot'; readonly onto: string; readonly from: string; readonly label: string }
  /** Goes back to a commit; settles with null. */
  | { readonly do: 'reset'; readonly to: string }
  /** A worktree for a parallel task; settles with `{directory}`. */
  | { readonly do: 'fork'; readonly base: string }
  /** Brings tasks together in their order, after what is in the run's worktree; settles with `{commit}` or fails. */
  | { readonly do: 'merge'; readonly onto: string; readonly tasks: readonly MergedTask[] };

/** A parallel task whose commits are merged: those after `base`, up to `tip`. */
export interface MergedTask {
  readonly task: string;
  readonly base: string;
  readonly tip: string;
}

/** Work on a git worktree. */
export type WorktreeRequest = RequestHeader & {
  readonly kind: 'worktree';
  /** Path of the parallel task whose worktree is meant; null: the run's own. */
  readonly task: string | null;
  readonly action: WorktreeAction;
};

/** Whether a text is what a JSON Schema asks for; settles with null, or with what is wrong as a text. */
export type SchemaRequest = RequestHeader & {
  readonly kind: 'schema';
  /** A file, relative to `directory`. */
  readonly path: string;
  readonly text: string;
  readonly directory?: string;
};
/** A call of a tool: everything but agents, which are asked like any agent, and plans, which the interpreter runs. */
export type ToolRequest = CommandRequest & {
  readonly kind: 'tool';
  readonly calls: ToolProgram | PlanCheck;
  readonly call: ToolCall;
};

/** What a tool is told about its call. */
export interface ToolCall {
  /** As the file of tools calls it. */
  readonly name: string;
  readonly parameters: { readonly [name: string]: Json };
  /** The paths that its result may go to: lists of those that are written together. */
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
  /** It may change no file. */
  readonly noWrite?: boolean;
}

/**
 * Settles with the time it is at `until` (milliseconds since the epoch) or later. The interpreter reads the clock
 * before it asks for a timer, so `until` is always set and survives a restart; `ms` is the length as it was asked.
 */
export type TimerRequest = RequestHeader & {
  readonly kind: 'timer';
  readonly ms: number | null;
  readonly until: number | null;
  /** This timer only bounds the question or signal with that effect id: alone it does not keep a run busy. */
  readonly bounds?: string;
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
  /** Milliseconds since the epoch, for people: a timer request of its own ends the question. */
  readonly deadlineMs: number | null;
};
/** A signal that another program or a person sends. */
export type SignalRequest = RequestHeader & {
  readonly kind: 'signal';
  readonly name: string;
  /** For people: a timer request of its own ends the waiting. */
  readonly timeoutMs: number | null;
  /** Milliseconds since the epoch. */
  readonly until: number | null;
};

/** Everything that a run requests of the world; `kind` says which. Performed requests have an `Outcome`. */
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
