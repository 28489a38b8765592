/**
 * Steps in a Machine: what is known of a step before it runs. Its work, its gates and its retries are instructions
 * around it, so that a step is no engine of its own.
 */
import type { Expr, ShellTemplate, StepKey, Template } from './expression.js';

export type StepType = 'code' | 'split' | 'validate' | 'artifact' | 'none';

export interface StepLayout {
  /** The last part of its path. */
  readonly name: string;
  readonly type: StepType;
  readonly gates: readonly GateLayout[];
  /** Null: the first failed gate ends it. */
  readonly retry: RetryLayout | null;
  /** The last `validate` step of a validator: that it says no is its answer, and no failure. */
  readonly verdict?: true;
  /** Who does the work: an agent, instructions, other steps (a workflow or a group), or nobody: only its gates. */
  readonly work: 'agent' | 'body' | 'steps' | 'none';
  /** In the older dialect the output of a validation is all of its answer. */
  readonly older?: true;
}

export interface GateLayout {
  /** Behind `gate.`: unique in its step. */
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
  /** Attempts that may run. */
  readonly exit: number;
}

/** An entry of RETRY but for EXIT. Its index among the written entries is its place in the list. */
export interface RetryEntryLayout {
  readonly when:
    | { readonly kind: 'attempt'; readonly number: number }
    | { readonly kind: 'not'; readonly gate: string }
    /** The local slot that holds what the validator said. */
    | { readonly kind: 'validate'; readonly slot: number }
    | { readonly kind: 'exit' };
  readonly agent?: Template;
  readonly prompt?: Template;
  readonly session?: 'new';
  readonly worktree?: 'reset';
}

/** Which session an attempt begins in. */
export type SessionLayout = { readonly kind: 'new' } | { readonly kind: 'from'; readonly key: StepKey };

/** Limits of an agent call that were written at the step. */
export interface GuardLayout {
  readonly maxTurns?: number;
  /** US dollars. */
  readonly maxCost?: number;
  readonly maxTimeMs?: number;
  readonly noWrite?: boolean;
}

/** A part of what an agent gets in addition to its prompt: the local slot that holds it, under a heading. */
export interface ContextLayout {
  readonly title: Template;
  readonly slot: number;
  /** Left out where the value is empty. */
  readonly optional?: true;
}

/** A gate that needs no process. */
export type CheckLayout =
  | { readonly kind: 'touched' | 'untouched'; readonly globs: readonly Template[] }
  /** The files that the task at hand names. */
  | { readonly kind: 'files'; readonly slot?: number }
  /** The project has nothing to ask: it passes, and says so. */
  | { readonly kind: 'skipped'; readonly why: string }
  /** Nobody knows what to ask: it does not pass. */
  | { readonly kind: 'unknown'; readonly why: string }
  /** What the step printed has the shape that its type asks for. */
  | { readonly kind: 'shape' }
  | { readonly kind: 'expr'; readonly condition: Expr; readonly text: string };

/** The instructions around the work of a step. Each finds the step it belongs to on top of what its thread has open. */
export type StepInstruction =
  /** Opens the step and reads the clock. */
  | { readonly op: 'step-begin'; readonly plan: StepLayout }
  /** An attempt begins: who does it, in which session, after going back to where the step began if the program says so. */
  | {
      readonly op: 'step-attempt';
      readonly plan: StepLayout;
      readonly agent: Template | null;
      readonly session: SessionLayout | null;
    }
  /** Calls the agent. That it fails is a failure of the attempt, and does not leave the step. */
  | {
      readonly op: 'step-agent';
      readonly plan: StepLayout;
      readonly prompt: Template | null;
      readonly context: readonly ContextLayout[];
      readonly guards: GuardLayout;
      /** A folder of the working directory in which the prompts of the file ask agents to answer. */
      readonly answerFolder?: string;
      /** The schema of a gate, where the answer itself is what the gate looks at. */
      readonly answerSchemaFile?: string;
    }
  /** The work is done or failed: what changed is kept, and the keys of the step are written. `otherwise`: behind the gates. */
  | { readonly op: 'step-collect'; readonly plan: StepLayout; readonly otherwise: number }
  | {
      readonly op: 'gate-command';
      readonly gate: GateLayout;
      readonly template: ShellTemplate;
      readonly shell: 'bash' | 'sh' | 'default';
      readonly strict?: 'script' | 'pipes';
      readonly timeoutMs: number;
      readonly text: string;
      /** Where the values stand in `text`. */
      readonly holes?: readonly (readonly [number, number])[];
      /** Per cent that have to be covered. */
      readonly least?: number;
    }
  | { readonly op: 'gate-schema'; readonly gate: GateLayout; readonly path: Template }
  | { readonly op: 'gate-check'; readonly gate: GateLayout; readonly check: CheckLayout }
  /** What the validator that was just left said becomes the result of the gate. */
  | { readonly op: 'gate-verdict'; readonly gate: GateLayout }
  /** Judges the attempt. Goes to `done` when it passed; a step without RETRY that did not ends here. */
  | { readonly op: 'step-verdict'; readonly plan: StepLayout; readonly done: number }
  /** The next attempt, with what the entries that apply change, at `again`. */
  | { readonly op: 'step-retry'; readonly plan: StepLayout; readonly again: number }
  /** Names that are written from here on stand below the step (`state.`), a gate of it, or nowhere (a retry condition). */
  | {
      readonly op: 'workflow-enter';
      readonly name: string;
      readonly at: 'run' | 'gate' | 'context' | 'retry';
      readonly gate?: string;
      readonly limits: WorkflowLimits;
    }
  /** Leaves it. `slot` gets the answer of the step that judges (`verdict`), or the output of a context. */
  | {
      readonly op: 'workflow-leave';
      readonly verdict: StepKey | null;
      readonly output: StepKey | null;
      readonly slot: number | null;
      /** It did not get to its end. */
      readonly failed?: true;
    }
  /** A scope of steps below the step at hand. */
  | { readonly op: 'group-enter' }
  | { readonly op: 'group-leave' }
  /** The tasks of a split, as a list. */
  | { readonly op: 'tasks'; readonly of: StepKey; readonly slot: number }
  /** The steps of one task begin: they are below `parent/<name of the task>`. */
  | {
      readonly op: 'task-enter';
      readonly parent: StepKey;
      /** The slot of the task. */
      readonly slot: number | null;
      /** Instead of a task: a step of a parallel group, whose name is no part of the paths inside. */
      readonly name?: string;
      readonly parallel: boolean;
    }
  | { readonly op: 'task-leave'; readonly parallel: boolean; readonly slot: number | null }
  /** What parallel tasks changed comes together in their order; `slot` has where each of them ended. */
  | { readonly op: 'tasks-merge'; readonly slot: number };

/** Of one workflow, within those of the run. */
export interface WorkflowLimits {
  /** US dollars. */
  readonly cost?: number;
  readonly tokens?: number;
  readonly timeMs?: number;
}
