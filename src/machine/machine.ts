/**
 * The compiled program: plain JSON with a version and no unresolved name. A run stores its own Machine, so
 * resuming needs no parser. States hold flat instructions; patterns are already expanded into them.
 */
import type { Expr, Json, ShellTemplate, SlotRef, Template } from './expression.js';
import type { Retry, RetryOn } from './option-values.js';
import type { Plan } from './plan.js';
import type { StepInstruction } from './step.js';

/**
 * The format of all that a run stores: its machine, events, images and files. A change that makes older records unreadable
 * increases it; a record of another format is refused.
 */
export const RUN_FORMAT = 1;

export interface Machine {
  readonly version: typeof RUN_FORMAT;
  readonly name: string;
  /** File names that origins refer to. */
  readonly files: readonly string[];
  readonly inputs: readonly Input[];
  /** What a person calls a run: texts, and the inputs between them. Absent: the program does not say. */
  readonly title?: readonly InputText[];
  /** Names of tracked variables; their index is their slot. */
  readonly tracked: readonly string[];
  readonly states: readonly State[];
  readonly initial: number;
  /** The state that handles failures. If null, a failure ends the run. */
  readonly error: number | null;
  readonly limits: Limits;
  /** Runs with the same key are not executed at the same time. */
  readonly key?: readonly InputText[];
  /** Set if the program was a workflow file, which has no states: its dialect. */
  readonly workflow?: 'current' | 'older';
  /** Plans by the names that instructions and calls of plans use. */
  readonly plans?: { readonly [name: string]: Plan };
}

/** What an instruction performs, at once or, if it is an UNDO, when it is undone. */
export function performedBy(instruction: Instruction): Instruction {
  return instruction.op === 'undo' ? instruction.by : instruction;
}

/** Whether the program has an instruction, or a tool of a plan, that calls an agent. */
export function callsAgents({ states, plans = {} }: Machine): boolean {
  const calls = ({ op }: Instruction): boolean => op === 'agent' || op === 'step-agent';
  return (
    states.some(({ code }) => code.some((one) => calls(performedBy(one)))) ||
    Object.values(plans).some(({ tools }) => Object.values(tools).some(({ calls }) => calls.kind === 'agent'))
  );
}

/** The agents that tools are, by the names of the tools; without a name that means another tool in another plan. */
export function agentTools({ plans = {} }: Machine): ReadonlyMap<string, string> {
  const found = new Map<string, string | null>();
  for (const { tools } of Object.values(plans))
    for (const [name, { calls }] of Object.entries(tools)) {
      const agent = calls.kind === 'agent' ? calls.agent : null;
      found.set(name, (found.get(name) ?? agent) === agent ? agent : null);
    }
  return new Map([...found].flatMap(([name, agent]) => (agent === null ? [] : [[name, agent] as const])));
}

/** What no run of a program with its inputs exceeds. */
export interface RunBounds {
  /** Calls of agents; null: no number bounds them, or it was not computed in time. */
  readonly calls: number | null;
  /** What they reserve in US dollars; null: no number, because calls or costs have no limit, or not computed. */
  readonly cost: number | null;
  /** Only `LIMIT: cost` bounds it, which counts what calls report. */
  readonly only_by_limit?: true;
  readonly agents: readonly {
    readonly agent: string;
    /** Null: `formula` says it, or it is unbounded because of `because`. */
    readonly at_most: number | null;
    readonly formula?: string;
    readonly because?: string;
  }[];
  /** Absent: they were computed. */
  readonly problem?: 'not computed';
}

/** A part of a title or a key, which are known before the run begins: a text, or an input, or a member of it. */
export type InputText = string | { readonly input: string; readonly members: readonly (string | number)[] };

/** An input that a program declares with INPUT, or a workflow file under `inputs`. */
export interface Input {
  readonly name: string;
  /** The default. An input without a default is required, unless it is `optional`. */
  readonly value?: Json;
  /** The JSON text of a default with a number that JavaScript would print differently, such as `1.10`. */
  readonly printed?: string;
  /** For a plan: whether the input may be missing. */
  readonly optional?: true;
  readonly type?: 'string' | 'number' | 'boolean' | 'list' | 'object';
  readonly choices?: readonly string[];
  /** The value never appears in a record or message. */
  readonly secret?: true;
}

/** The declared type, or that of a default that is neither a text nor null: any value of another type is refused. */
export function typeOfInput({ type, value }: Pick<Input, 'type' | 'value'>): Input['type'] {
  if (type !== undefined || value === undefined || value === null || typeof value === 'string') return type;
  return Array.isArray(value) ? 'list' : (typeof value as 'number' | 'boolean' | 'object');
}

/** Limits of a run, as LIMIT declares them. An absent member means no limit, or the default of the manual. */
export interface Limits {
  /** The maximum number of state changes; default 100,000. */
  readonly transitions?: number;
  /** The time of the whole run in milliseconds. */
  readonly timeMs?: number;
  /** The cost of agents in US dollars. */
  readonly cost?: number;
  /** The tokens of agents. */
  readonly tokens?: number;
  /** The size of the journal in bytes; default 1 GiB. */
  readonly journal?: number;
  /** The output of commands and agents in bytes; default 256 MiB. */
  readonly output?: number;
}

/** The scope of a limit, by its name in the program and the record. */
export type LimitScope = 'transitions' | 'time' | 'cost' | 'tokens' | 'journal' | 'output';

/** What a run can exceed. `image`: what an engine must remember to continue it, which no program limits. */
export type ExceededScope = LimitScope | 'image';

export interface State {
  readonly name: string;
  /** Names of local slots. Hidden ones (loop counters, pattern arguments) start with `$`. */
  readonly locals: readonly string[];
  /** The names of entry slots: everything that GOTOs pass to this state, and for ERROR the error contract. */
  readonly entry: readonly string[];
  readonly code: readonly Instruction[];
  readonly handlers: readonly Handler[];
  /** Set for the built-in ERROR state, which exists if a GOTO names ERROR and the program does not declare it. */
  readonly builtin?: true;
}

/** The origin of an instruction: an index of `files`, and a line from 1. */
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
  /** Local slots of the values that a FAIL may pass; absent if no FAIL of the state passes values. */
  readonly passed?: Readonly<Record<string, number>>;
  /** The number of open steps and scopes of steps at its position; absent if there are none. */
  readonly frames?: number;
  /** The handler of a step's attempt. It is not an ON ERROR, and may contain one. */
  readonly step?: true;
  /**
   * The handler of one turn of a loop that continues after failures; `pc` is the head of the loop. The members are
   * local slots.
   */
  readonly keep?: {
    readonly items: number;
    readonly index: number;
    /** The list of failures. */
    readonly failures: number;
    /** Whether an enclosing ON ERROR had begun before the loop. */
    readonly handling: number;
    /** The names that a turn binds, which are null after a failed turn. */
    readonly clear: readonly number[];
  };
}

/**
 * The strictness of a script. `script`: the first failing command ends it, including members of pipes, as with
 * `errexit` and `pipefail`. `pipes`: a failing member makes its pipe fail, as with `pipefail`, but nothing ends the
 * script. Absent: neither.
 */
export type Strictness = 'script' | 'pipes';

/** A variable that an instruction writes. */
export type Target = Extract<SlotRef, { in: 'local' } | { in: 'tracked' }>;

export interface EntryArgument {
  readonly name: string;
  readonly value: Expr;
}

/** How a DO or CHECK uses its outcome. */
export interface Binding {
  readonly slot: number;
  /** The local slot of `exit_code(x)`, if the program reads it. */
  readonly exitSlot?: number;
}

/**
 * How output becomes a value. `do`: a JSON object or list, else the text without its final newline. `check`: JSON, and
 * for a named CHECK (`check-named`) also one line of text; `capture`: any text. `text`: the exact text, even if it is
 * JSON or empty. `both`: a text with what is on standard error, marked. `none`: output is only kept for `DO: |`.
 */
export type Decoding = 'none' | 'do' | 'check' | 'check-named' | 'capture' | 'text' | 'both';

interface EffectOptions {
  /** Accepted exit codes; CHECK accepts all. A template gives the text of a list, such as `0,2`. */
  readonly ok: readonly number[] | 'any' | { readonly template: Template };
  readonly timeout?: Template;
  /** How long it may be silent. */
  readonly idle?: Template;
  /** A template gives a text such as `2/5s`. */
  readonly retry?: Retry | { readonly template: Template };
  /** The failures that are retried; absent for all. A template gives a text such as `timeout,exit:75`. */
  readonly retryOn?: readonly RetryOn[] | { readonly template: Template };
  readonly once?: true;
  /** The outcome of the same request is taken from the memo of the store: the patterns of files that count for it. */
  readonly memo?: readonly Template[];
  readonly cwd?: Template;
  readonly env?: readonly { readonly name: string; readonly value: Template }[];
  /** Standard input is the output of the last DO or CHECK of this activation. */
  readonly piped?: true;
  readonly reading: Decoding;
  readonly bind?: Binding;
  /** Instruction text as written, one line, for people. */
  readonly text: string;
}

export type InstructionOf<Op extends Instruction['op']> = Extract<Instruction, { op: Op }>;
/** What a program, a function or an agent performs. */
export type WorkInstruction = InstructionOf<'shell' | 'argv' | 'function' | 'agent'>;
export type ForkInstruction = InstructionOf<'fork' | 'fork-each'>;

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
  /** Continues at `to` if the condition is false. Anything but a boolean is `bad_value`. */
  | { readonly op: 'unless'; readonly condition: Expr; readonly to: number; readonly text: string }
  | { readonly op: 'goto'; readonly state: number; readonly args: readonly EntryArgument[] }
  /** `GOTO {param}` where the parameter is not a constant: the value names a state. */
  | { readonly op: 'goto-dynamic'; readonly target: Expr; readonly args: readonly EntryArgument[] }
  | { readonly op: 'return'; readonly value: Expr | null; readonly failed: boolean }
  /** Registers how to undo the instruction above it: `by`, with the current values. */
  | { readonly op: 'undo'; readonly by: Instruction }
  /** Performs the registered UNDOs, newest first, and binds the result. In a turn of a loop: those after its `mark`. */
  | { readonly op: 'rollback'; readonly bind: number; readonly mark?: number }
  /** Discards the registered UNDOs. In a turn of a loop: those after its `mark`. */
  | { readonly op: 'keep'; readonly mark?: number }
  /** FAIL: the failure `failed`, which the program causes. */
  | { readonly op: 'fail'; readonly message: Template; readonly args: readonly EntryArgument[] }
  /** The end of a state's code, or of a handler's: the failure `fell_off`. */
  | { readonly op: 'fell-off' }
  | ({
      readonly op: 'shell';
      readonly template: ShellTemplate;
      readonly shell: 'bash' | 'sh' | 'default';
      /** The offsets of the template's values in `text`, as far as `text` shows them. */
      readonly holes?: readonly (readonly [number, number])[];
      readonly strict?: Strictness;
      /** The base name of the program; null if only a value determines it. */
      readonly tool: string | null;
    } & EffectOptions)
  | ({
      readonly op: 'argv';
      readonly list: Expr;
      /** It prints the file that its last word names, which must be a file of the project. */
      readonly reads?: true;
    } & EffectOptions)
  /** A JavaScript function bound as a command. */
  | ({ readonly op: 'function'; readonly name: string; readonly args: readonly FunctionArgument[] } & EffectOptions)
  | ({
      readonly op: 'agent';
      readonly agent: string;
      readonly prompt: Template | null;
      readonly args: readonly EntryArgument[];
      /** The file that receives the output, relative to the run's directory. */
      readonly output?: Template;
    } & EffectOptions)
  | {
      readonly op: 'plan';
      /** One of the machine's plans. */
      readonly plan: string;
      readonly args: readonly EntryArgument[];
      /** The run consists of this plan, which uses the run's inputs and data. Other plans have their own data. */
      readonly main?: true;
      /** It is a CALL: a plan of one call, which reads and writes the data of the program. */
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
   * The condition was false: past the deadline `timed_out` becomes true and execution continues at `exit`; else sleeps
   * (never past the deadline, so that the condition is tested again there) and continues at `again`.
   */
  | {
      readonly op: 'wait-turn';
      readonly every: Template;
      readonly deadline: number;
      readonly timedOut: number;
      readonly again: number;
      readonly exit: number;
      /** If the pause may double: the local slots of the number of turns and of the last random number. */
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
      /** Values that are shown next to the question, with what the program calls them. */
      readonly show?: readonly { readonly name: string; readonly value: Template }[];
      readonly bind: number;
    }
  /** A sequential FOR EACH begins: the list goes to `items`, 0 to `index`. */
  | {
      readonly op: 'each';
      readonly list: Expr;
      readonly items: number;
      readonly index: number;
      /**
       * If failed turns do not fail the loop: the local slots of the list of failures, and of whether an ON ERROR has
       * begun.
       */
      readonly keep?: { readonly failures: number; readonly handling: number };
    }
  /** The head of the loop: binds the next element, or continues at `exit`, where the variable is unbound again. */
  | {
      readonly op: 'next';
      readonly items: number;
      readonly index: number;
      readonly variable: number;
      readonly exit: number;
      /** The local slot for how many UNDOs were registered when the turn began. */
      readonly mark?: number;
    }
  | ({
      readonly op: 'fork';
      readonly branches: readonly Branch[];
      /** The names of the members in failures: the name that a member binds, or else its line. */
      readonly names?: readonly string[];
    } & Join)
  | ({
      readonly op: 'fork-each';
      readonly list: Expr;
      readonly variable: number;
      readonly body: number;
      /**
       * Local slots that the body binds. After the join each is a list with an entry per branch, null if the branch did
       * not bind it.
       */
      readonly collect: readonly number[];
      /** A failure of the join names the failed elements. */
      readonly named?: true;
    } & Join)
  /** The end of a branch's code. */
  | { readonly op: 'branch-end' }
  /**
   * Ends the members of the `detached` fork above: running ones are stopped without a failure, values are collected,
   * and earlier failures are handled as at any join.
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
  /** What a branch collects has no value in it until the branch binds it; reads see the value of the parent until then. */
  readonly own?: true;
  /** If failed members do not fail the join: the local slot of the list of failures. */
  readonly keep?: number;
  /**
   * The number of members at the same time. If null, the run's `jobs`, or 8 if all effects of the branches are agent
   * calls (`agents`).
   */
  readonly max: Expr | null;
  readonly agents: boolean;
  /** The number of successful members that is enough. The others are then stopped. */
  readonly quorum: Expr | null;
  /** The join is a WAIT for the members, which may time out. */
  readonly wait: { readonly timeout: Template | null; readonly timedOut: number } | null;
  /**
   * A WAIT for a condition or a duration follows: the thread continues at `join` at once, while the members run, until
   * it reaches `join-detached`. Leaving the state earlier stops the members.
   */
  readonly detached?: true;
}
