/**
 * Steps in a Machine: what is known of a step before it runs. Its work, its gates and its retries are instructions
 * around it, so that a step is no engine of its own.
 */
import type { Expr, Template } from './expression.js';

export type StepType = 'code' | 'split' | 'validate' | 'artifact' | 'none';

export interface StepPlan {
  /** The last part of its path. */
  readonly name: string;
  readonly type: StepType;
  readonly gates: readonly GatePlan[];
  /** Null: the first failed gate ends it. */
  readonly retry: RetryPlan | null;
  /** The last `validate` step of a validator: that it says no is its answer, and no failure. */
  readonly verdict?: true;
  /** Its work is an agent's, so files it changes are its output. */
  readonly agent: boolean;
}

export interface GatePlan {
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

export interface RetryPlan {
  readonly entries: readonly RetryEntryPlan[];
  /** Attempts that may run. */
  readonly exit: number;
}

/** An entry of RETRY but for EXIT. Its index among the written entries is its place in the list. */
export interface RetryEntryPlan {
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
export type SessionPlan = { readonly kind: 'new' } | { readonly kind: 'from'; readonly key: StepKey };

/**
 * A key of the run's flat state. `level` counts the scopes from the outside: 0 is the machine, and every EACH, group
 * and workflow that is entered has one more. Absent: `path` is absolute.
 */
export interface StepKey {
  readonly level?: number;
  readonly path: string;
  readonly field: string;
}

/** Limits of an agent call that were written at the step. */
export interface GuardPlan {
  readonly maxTurns?: number;
  /** US dollars. */
  readonly maxCost?: number;
  readonly maxTimeMs?: number;
  readonly noWrite?: boolean;
}

/** A part of what an agent is told beside its prompt: the local slot that holds it, under a heading. */
export interface ContextPlan {
  readonly title: Template;
  readonly slot: number;
}

/** A gate that needs no process. */
export type CheckPlan =
  | { readonly kind: 'touched' | 'untouched'; readonly globs: readonly Template[] }
  /** The files that the task at hand names. */
  | { readonly kind: 'files' }
  /** What the step printed has the shape that its type asks for. */
  | { readonly kind: 'shape' }
  | { readonly kind: 'expr'; readonly condition: Expr; readonly text: string };
