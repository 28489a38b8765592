/**
 * Steps in a Machine: the facts about a step that are known before it runs. Its work, gates and retries are ordinary
 * instructions, so steps need no separate engine.
 */
import type { Expr, ShellTemplate, StepKey, Template } from './expression.js';

export type StepType = 'code' | 'split' | 'validate' | 'artifact' | 'none';

export interface StepLayout {
  /** The last part of its path. */
  readonly name: string;
  readonly type: StepType;
  readonly gates: readonly GateLayout[];
  /** Null if the first failed attempt ends the step. */
  readonly retry: RetryLayout | null;
  /** Set for the last `validate` step of a validator: a negative verdict is its answer and not a failure. */
  readonly verdict?: true;
  /** The kind of work: an agent, instructions, other steps (a workflow or a group), or none, only gates. */
  readonly work: 'agent' | 'body' | 'steps' | 'none';
  /** In the older dialect the output of a validation is its whole answer. */
  readonly older?: true;
  /** A later step may start again from it. */
  readonly restarts?: true;
  /** What the agent answered and changed is taken from the memo of the store: the patterns of files that count for it. */
  readonly memo?: readonly Template[];
}

export interface GateLayout {
  /** The name after `gate.`, unique in its step. */
  readonly name: string;
  readonly kind: GateKind;
}

export type GateKind =
  | 'compile'
  | 'test'
  | 'lint'
  | 'tests_found'
  | 'coverage'
  | 'schema'
  | 'touched'
  | 'untouched'
  | 'files'
  | 'bash'
  | 'expr'
  | 'validate'
  | 'command';

export interface RetryLayout {
  readonly entries: readonly RetryEntryLayout[];
  /** The maximum number of attempts. */
  readonly exit: number;
}

/** An entry of RETRY, except for EXIT. Its position in the list is its index among the written entries. */
export interface RetryEntryLayout {
  readonly when:
    | { readonly kind: 'attempt'; readonly number: number }
    | { readonly kind: 'not'; readonly gate: string }
    /** The local slot with the verdict of the validator. */
    | { readonly kind: 'validate'; readonly slot: number }
    | { readonly kind: 'exit' };
  readonly agent?: Template;
  readonly prompt?: Template;
  readonly session?: 'new';
  readonly worktree?: 'reset';
  /** The earlier step with which the retry begins. */
  readonly restart?: string;
  /** The agent that divides the step into tasks, which the retry executes instead. */
  readonly replan?: Template;
}

/** The session in which an attempt begins. */
export type SessionLayout = { readonly kind: 'new' } | { readonly kind: 'from'; readonly key: StepKey };

/** The limits of an agent call that the step declares. */
export interface GuardLayout {
  readonly maxTurns?: number;
  /** US dollars. */
  readonly maxCost?: number;
  readonly maxTimeMs?: number;
  /** How long the agent may be silent. */
  readonly idleMs?: number;
  readonly noWrite?: boolean;
}

/** A part of the context, which an agent receives in addition to its prompt: its local slot and its heading. */
export interface ContextLayout {
  readonly title: Template;
  readonly slot: number;
  /** Left out if the value is empty. */
  readonly optional?: true;
}

/** A gate that needs no process. */
export type CheckLayout =
  | { readonly kind: 'touched' | 'untouched'; readonly globs: readonly Template[] }
  /** The files that the current task names. */
  | { readonly kind: 'files'; readonly slot?: number }
  /** The project has no command for it: the gate passes with a note. */
  | { readonly kind: 'skipped'; readonly why: string }
  /** The command is unknown: the gate does not pass. */
  | { readonly kind: 'unknown'; readonly why: string }
  /** The output of the step must have the form of its type. */
  | { readonly kind: 'shape' }
  | { readonly kind: 'expr'; readonly condition: Expr; readonly text: string };

export type StepInstructionOf<Op extends StepInstruction['op']> = Extract<StepInstruction, { op: Op }>;

/** The instructions around the work of a step. Their step is the innermost open one of the thread. */
export type StepInstruction =
  /** Opens the step and reads the clock. */
  | { readonly op: 'step-begin'; readonly plan: StepLayout }
  /** Begins an attempt: selects its agent and session, and first resets the worktree if the program says so. */
  | {
      readonly op: 'step-attempt';
      readonly plan: StepLayout;
      readonly agent: Template | null;
      readonly session: SessionLayout | null;
      /** The local slots of the agent that divides the step into tasks, null if none does, and of the one that does them. */
      readonly replan?: { readonly planner: number; readonly worker: number };
    }
  /** Calls the agent. A failed call fails the attempt and does not leave the step. */
  | {
      readonly op: 'step-agent';
      readonly plan: StepLayout;
      readonly prompt: Template | null;
      readonly context: readonly ContextLayout[];
      readonly guards: GuardLayout;
      /** A folder of the working directory in which the prompts of the file ask agents to answer. */
      readonly answerFolder?: string;
      /** The schema of a gate that checks the answer itself. */
      readonly answerSchemaFile?: string;
      /** If this local slot has a value, the step is divided into tasks instead, at `to`. */
      readonly replan?: number;
      readonly to?: number;
    }
  /**
   * Ends the work, successfully or not: records the changes and writes the keys of the step. `otherwise` is the pc
   * after the gates.
   */
  | { readonly op: 'step-collect'; readonly plan: StepLayout; readonly otherwise: number }
  | {
      readonly op: 'gate-command';
      readonly gate: GateLayout;
      readonly template: ShellTemplate;
      readonly shell: 'bash' | 'sh' | 'default';
      readonly strict?: 'script' | 'pipes';
      readonly timeoutMs: number;
      readonly idleMs?: number;
      readonly text: string;
      /** The offsets of the values in `text`. */
      readonly holes?: readonly (readonly [number, number])[];
      /** The required coverage in per cent. */
      readonly least?: number;
    }
  | { readonly op: 'gate-schema'; readonly gate: GateLayout; readonly path: Template }
  | { readonly op: 'gate-check'; readonly gate: GateLayout; readonly check: CheckLayout }
  /** The verdict of the preceding validator becomes the result of the gate. */
  | { readonly op: 'gate-verdict'; readonly gate: GateLayout }
  /** Judges the attempt. If it passed, continues at `done`. Otherwise a step without RETRY ends here. */
  | { readonly op: 'step-verdict'; readonly plan: StepLayout; readonly done: number }
  /**
   * Starts the next attempt at `again`, with the changes of the entries that apply, or from one of the earlier steps in
   * `restarts`.
   */
  | {
      readonly op: 'step-retry';
      readonly plan: StepLayout;
      readonly again: number;
      readonly restarts?: readonly { readonly step: string; readonly to: number }[];
    }
  /**
   * Keys written from here on are below the step (`state.`), below one of its gates, or discarded (for a retry
   * condition).
   */
  | {
      readonly op: 'workflow-enter';
      readonly name: string;
      readonly at: 'run' | 'gate' | 'context' | 'retry';
      readonly gate?: string;
      readonly limits: WorkflowLimits;
    }
  /** Leaves the workflow. `slot` receives the answer of the judging step (`verdict`), or the output of a context. */
  | {
      readonly op: 'workflow-leave';
      readonly verdict: StepKey | null;
      readonly output: StepKey | null;
      readonly slot: number | null;
      /** The workflow did not reach its end. */
      readonly failed?: true;
    }
  /** A scope of steps below the current step. */
  | { readonly op: 'group-enter' }
  | { readonly op: 'group-leave' }
  /** The tasks of a split, as a list. */
  | { readonly op: 'tasks'; readonly of: StepKey; readonly slot: number }
  /** Begins the steps of one task, which are below `parent/<name of the task>`. */
  | {
      readonly op: 'task-enter';
      readonly parent: StepKey;
      /** The slot of the task. */
      readonly slot: number | null;
      /** Instead of a task: a step of a parallel group. Its name is not part of the paths inside. */
      readonly name?: string;
      readonly parallel: boolean;
    }
  | { readonly op: 'task-leave'; readonly parallel: boolean; readonly slot: number | null }
  /** Merges the changes of parallel tasks in their order; `slot` contains the commit of each. */
  | { readonly op: 'tasks-merge'; readonly slot: number };

/** The limits of one workflow, within those of the run. */
export interface WorkflowLimits {
  /** US dollars. */
  readonly cost?: number;
  readonly tokens?: number;
  readonly timeMs?: number;
}
