/**
 * The compiled program: plain JSON with a version and no unresolved name. A run stores its own Machine, so
 * resuming needs no parser. States hold flat instructions; patterns are already expanded into them.
 */
import type { Expr, Json, ShellTemplate, SlotRef, Template } from './expression.js';
import type { Retry, RetryOn } from './option-values.js';
import type { Plan } from './plan.js';
import type { StepInstruction } from './step.js';

export const MACHINE_VERSION = 1;

export interface Machine {
  readonly version: typeof MACHINE_VERSION;
  readonly name: string;
  /** File names that origins refer to. */
  readonly files: readonly string[];
  readonly inputs: readonly Input[];
  /** Names of tracked variables; their index is their slot. */
  readonly tracked: readonly string[];
  readonly states: readonly State[];
  readonly initial: number;
  /** The state that failures go to, or null: then a failure ends the run where it happens. */
  readonly error: number | null;
  readonly limits: Limits;
  /** It was a workflow file, which has no states, in one of its two dialects. */
  readonly workflow?: 'current' | 'older';
  /** Plans by the name under which instructions and calls of plans know them. */
  readonly plans?: { readonly [name: string]: Plan };
}

/** An input that a program declares with INPUT, or a workflow file under `inputs`. */
export interface Input {
  readonly name: string;
  /** The default; an input without one has to be given, unless it is `optional`. */
  readonly value?: Json;
  /** JSON of a default with a number that JavaScript prints differently, such as `1.10`. */
  readonly printed?: string;
  /** Of a plan: the input may be missing. */
  readonly optional?: true;
  readonly type?: 'string' | 'number' | 'boolean' | 'list' | 'object';
  readonly choices?: readonly string[];
  /** The value never appears in a record or message. */
  readonly secret?: true;
}

/** Limits of a run, as LIMIT declares them. A member that is left out is not limited, or has the default of the manual. */
export interface Limits {
  /** State changes; default 100,000. */
  readonly transitions?: number;
  /** Milliseconds of the whole run. */
  readonly timeMs?: number;
  /** US dollars that agents may cost. */
  readonly cost?: number;
  /** Tokens that agents may use. */
  readonly tokens?: number;
  /** Bytes of the journal; default 1 GiB. */
  readonly journal?: number;
  /** Bytes that commands and agents print; default 256 MiB. */
  readonly output?: number;
}

/** What a limit is of, as the program and the record call it. */
export type LimitScope = 'transitions' | 'time' | 'cost' | 'tokens' | 'journal' | 'output';

export interface State {
  readonly name: string;
  /** Names of local slots. Hidden ones (loop counters, pattern arguments) start with `$`. */
  readonly locals: readonly string[];
  /** Names of entry slots: everything some GOTO passes here, and for ERROR the error contract. */
  readonly entry: readonly string[];
  readonly code: readonly Instruction[];
  readonly handlers: readonly Handler[];
  /** The ERROR state that the engine supplies where GOTO ERROR has no declared target. */
  readonly builtin?: true;
}

/** Where an instruction came from: index into `files`, one-based line. */
export interface Origin {
  readonly file: number;
  readonly line: number;
}

/** `ON ERROR`: a failure at `from <= pc < to` continues at `pc`. The first that fits in the list wins. */
export interface Handler {
  readonly from: number;
  readonly to: number;
  /** `timeout`, `tool_failure`, …, or null for every kind. */
  readonly kind: string | null;
  readonly pc: number;
  /** Local slots that receive the error contract, by name. */
  readonly names: Readonly<Record<string, number>>;
  /** Local slots of what a FAIL may pass; absent: no FAIL of the state passes anything. */
  readonly passed?: Readonly<Record<string, number>>;
  /** How many steps and scopes of steps are open where it stands; absent: none. */
  readonly frames?: number;
  /** The failure is that of an attempt of a step: its place is not an ON ERROR, and one may be in it. */
  readonly step?: true;
  /** The failure is that of one turn of a loop that keeps going; `pc` is the head of the loop. Local slots. */
  readonly keep?: {
    readonly items: number;
    readonly index: number;
    /** The list of what failed. */
    readonly failures: number;
    /** Whether an ON ERROR had begun around the loop. */
    readonly handling: number;
    /** What a turn binds, which is null after one that failed. */
    readonly clear: readonly number[];
  };
}

/**
 * What ends a script early. `script`: the first command that fails, members of pipes included, as with `errexit` and `pipefail`. `pipes`:
 * nothing does, and a member that failed makes its pipe fail, as with `pipefail`. Absent: neither.
 */
export type Strictness = 'script' | 'pipes';

/** A variable that an instruction writes. */
export type Target = Extract<SlotRef, { in: 'local' } | { in: 'tracked' }>;

export interface EntryArgument {
  readonly name: string;
  readonly value: Expr;
}

/** What a DO or CHECK does with the outcome. */
export interface Binding {
  readonly slot: number;
  /** Local slot of `exit_code(x)`, where the program asks for it. */
  readonly exitSlot?: number;
}

/**
 * How output becomes a value. `do`: a JSON object or list, else the text without its final newline.
 * `check`: JSON, and for a named CHECK (`check-named`) also one line of text; `capture`: any text.
 * `text`: the text as it is, also where it is JSON or nothing. `none`: output is only kept for `DO: |`.
 */
export type Decoding = 'none' | 'do' | 'check' | 'check-named' | 'capture' | 'text';

interface EffectOptions {
  /** Accepted exit codes; CHECK accepts all. A template makes the text of a list such as `0,2`. */
  readonly ok: readonly number[] | 'any' | { readonly template: Template };
  readonly timeout?: Template;
  /** A template makes a text such as `2/5s`. */
  readonly retry?: Retry | { readonly template: Template };
  /** Failures that are tried again; absent: all. A template makes a text such as `timeout,exit:75`. */
  readonly retryOn?: readonly RetryOn[] | { readonly template: Template };
  readonly once?: true;
  readonly cwd?: Template;
  readonly env?: readonly { readonly name: string; readonly value: Template }[];
  /** stdin is the stdout of the last DO or CHECK of this activation. */
  readonly piped?: true;
  readonly reading: Decoding;
  readonly bind?: Binding;
  /** Instruction text as written, one line, for people. */
  readonly text: string;
}

export type Instruction = { readonly origin: Origin } & (
  | { readonly op: 'set'; readonly to: Target; readonly name: string; readonly value: Expr }
  /** Creates a tracked variable on first execution. */
  | { readonly op: 'track'; readonly slot: number; readonly value: Expr }
  | { readonly op: 'increment'; readonly to: Target; readonly name: string; readonly by: Expr }
  | {
      readonly op: 'emit';
      readonly event: string | null;
      readonly fields: readonly { readonly name: string; readonly value: Template; readonly optional: boolean }[];
      readonly message: Template | null;
    }
  | { readonly op: 'jump'; readonly to: number }
  /** Continues at `to` when the condition is false; anything but a boolean is `bad_value`. */
  | { readonly op: 'unless'; readonly condition: Expr; readonly to: number; readonly text: string }
  | { readonly op: 'goto'; readonly state: number; readonly args: readonly EntryArgument[] }
  /** `GOTO {param}` where the parameter is not a constant: the value names a state. */
  | { readonly op: 'goto-dynamic'; readonly target: Expr; readonly args: readonly EntryArgument[] }
  | { readonly op: 'return'; readonly value: Expr | null; readonly failed: boolean }
  /** Puts on the register how the instruction above it is taken back: `by`, with the values of this moment. */
  | { readonly op: 'undo'; readonly by: Instruction }
  /** Performs what is on the register, newest first, and binds what came of it. */
  | { readonly op: 'rollback'; readonly bind: number }
  /** The failure `failed`, which the program asks for. */
  | { readonly op: 'fail'; readonly message: Template; readonly args: readonly EntryArgument[] }
  /** The end of a state's code, or of a handler's: the failure `fell_off`. */
  | { readonly op: 'fell-off' }
  | ({
      readonly op: 'shell';
      readonly template: ShellTemplate;
      readonly shell: 'bash' | 'sh' | 'default';
      /** Where the values of the template stand in `text`, as offsets: of as many as it shows. */
      readonly holes?: readonly (readonly [number, number])[];
      readonly strict?: Strictness;
      /** Base name of the program that is run; null if only the value determines it. */
      readonly tool: string | null;
    } & EffectOptions)
  | ({
      readonly op: 'argv';
      readonly list: Expr;
      /** It prints the file that its last word names, which has to be one of the project. */
      readonly reads?: true;
    } & EffectOptions)
  /** A JavaScript function bound as a command. */
  | ({ readonly op: 'function'; readonly name: string; readonly args: readonly FunctionArgument[] } & EffectOptions)
  | ({
      readonly op: 'agent';
      readonly agent: string;
      readonly prompt: Template | null;
      readonly args: readonly EntryArgument[];
      /** File that receives the output, relative to the run's directory. */
      readonly output?: Template;
    } & EffectOptions)
  | {
      readonly op: 'plan';
      /** One of the machine's plans. */
      readonly plan: string;
      readonly args: readonly EntryArgument[];
      /** The run is this plan: it takes the run's inputs, and its data is the run's. Others have data of their own. */
      readonly main?: true;
      /** It is a CALL: a plan of one call, which reads and writes the data that the program sees. */
      readonly call?: Pick<EffectOptions, 'timeout' | 'retry' | 'retryOn' | 'once'>;
      readonly bind?: Binding;
      readonly text: string;
    }
  /** `now()`, `uuid()`, `random()`: taken before the instruction that uses it, and recorded. */
  | { readonly op: 'sample'; readonly source: 'now' | 'uuid' | 'random'; readonly slot: number }
  | { readonly op: 'sleep'; readonly duration: Template }
  /** Starts a polling WAIT: the deadline goes to a slot, `timed_out` becomes false. */
  | { readonly op: 'wait-start'; readonly timeout: Template; readonly deadline: number; readonly timedOut: number }
  /**
   * The condition was false: past the deadline `timed_out` becomes true and execution continues at `exit`; else
   * sleeps (never past the deadline, so that the condition is read once more there) and continues at `again`.
   */
  | {
      readonly op: 'wait-turn';
      readonly every: Template;
      readonly deadline: number;
      readonly timedOut: number;
      readonly again: number;
      readonly exit: number;
      /** Local slots of the number of turns and of the last chance, where the pause may double. */
      readonly backOff?: { readonly turns: number; readonly chance: number };
    }
  | {
      readonly op: 'signal';
      readonly name: string;
      readonly timeout: Template | null;
      readonly bind: number;
      readonly timedOut: number;
    }
  | {
      readonly op: 'ask';
      readonly name: string;
      readonly question: Template;
      readonly choices: readonly Template[];
      readonly value: Template | null;
      readonly deadline: Template | null;
      readonly bind: number;
    }
  /** A sequential FOR EACH begins: the list goes to `items`, 0 to `index`. */
  | {
      readonly op: 'each';
      readonly list: Expr;
      readonly items: number;
      readonly index: number;
      /** Turns that fail are kept in a list: local slots of that list and of whether an ON ERROR has begun. */
      readonly keep?: { readonly failures: number; readonly handling: number };
    }
  /** Loop head: binds the next element or leaves to `exit`, where the variable is unbound again. */
  | {
      readonly op: 'next';
      readonly items: number;
      readonly index: number;
      readonly variable: number;
      readonly exit: number;
    }
  | ({
      readonly op: 'fork';
      readonly branches: readonly Branch[];
      /** What a failure calls the members: the name that one binds, else its line. */
      readonly names?: readonly string[];
    } & Join)
  | ({
      readonly op: 'fork-each';
      readonly list: Expr;
      readonly variable: number;
      readonly body: number;
      /** Local slots bound in the body: after the join each is a list by branch, null where a branch skipped it. */
      readonly collect: readonly number[];
      /** A failure of the join names the elements that failed. */
      readonly named?: true;
    } & Join)
  /** The end of a branch's code. */
  | { readonly op: 'branch-end' }
  /**
   * Ends the members of the `detached` fork above: those still running are stopped (no failure), values are
   * collected, and failures that happened by now are handled here as at any join.
   */
  | { readonly op: 'join-detached' }
  | StepInstruction
);

/** An argument word of a function command; `list` spreads `{xs*}`. */
export type FunctionArgument = { readonly template: Template; readonly list?: true };

export interface Branch {
  readonly pc: number;
  /** Local slots of the branch that the parent receives after the join. */
  readonly collect: readonly number[];
}

interface Join {
  readonly join: number;
  /** Failed members fail nothing: the local slot of the list of them. */
  readonly keep?: number;
  /** At once; null: the run's `jobs`, or 8 when all effects of the branches are agent calls (`agents`). */
  readonly max: Expr | null;
  readonly agents: boolean;
  /** Succeeded members that are enough; the others are then stopped. */
  readonly quorum: Expr | null;
  /** The next instruction is a WAIT for the members: it is the join, and may time out. */
  readonly wait: { readonly timeout: Template | null; readonly timedOut: number } | null;
  /**
   * A WAIT for a condition or a duration follows: the thread goes on at `join` at once, while the members run,
   * until it reaches `join-detached`. Leaving the state before that stops the members.
   */
  readonly detached?: true;
}
