/**
 * The frames of a thread while steps run: open steps, and the scopes of the names of steps. All of it is plain data, so
 * that a run can be stored and restored in the middle of an attempt.
 */
import type { DeniedCall, FailureCause } from '../events/facts.js';

/** The result of a gate for an attempt. */
export interface GateFinding {
  readonly pass: boolean;
  /** The text of a validator. */
  readonly comments?: string;
  /** The standard error of a failed command, or else the end of its output, or why the gate did not pass. */
  readonly error?: string;
  /** The whole output of a failed command; absent if `error` has all of it. */
  readonly said?: string;
}

/** Overrides of RETRY that apply from a certain attempt. */
export interface Overrides {
  readonly agent?: string;
  /** The index of the entry whose prompt is used. */
  readonly prompt?: number;
  readonly session?: 'new';
  readonly worktree?: 'reset';
  /** The earlier step with which the attempt begins. */
  readonly restart?: string;
  /** The agent that divides the step into tasks. */
  readonly replan?: string;
}

/** What the agent calls of a step used, over all its attempts. */
export interface Tally {
  /** The reported cost in US dollars. */
  readonly cost: number;
  /** Whether a call did not report its cost. */
  readonly unknown: boolean;
  readonly turns: number | null;
  readonly tokens: {
    readonly in: number;
    readonly out: number;
    readonly cache_read: number;
    readonly cache_write: number;
  } | null;
}

export const NOTHING_USED: Tally = { cost: 0, unknown: false, turns: null, tokens: null };

/** A step from its first attempt to its last. */
export interface StepFrame {
  readonly kind: 'step';
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly startedMs: number;
  attempt: number;
  /** The phase of the attempt: the agent works, gates run, or a retry is being decided. */
  phase: 'work' | 'gates' | 'retry';
  /** Commits before the first attempt and before this one; null without a worktree. */
  base: string | null;
  before: string | null;
  overrides: Overrides;
  /** The agent of this attempt and of the previous one. */
  agent: string | null;
  agentBefore: string | null;
  /** The session that this attempt continues; after the attempt, its own session. */
  session: string | null;
  sessionBefore: string | null;
  /** The session is that of another step, so that the next call branches off from it; absent: it does not. */
  fork?: boolean;
  /** The agent was unavailable in the middle of its work, and continues in its session. */
  continues?: boolean;
  /** The files were put back after the attempt before this one. */
  undone?: boolean;
  /** The later step that did not pass and starts again from this one. */
  startedBy?: string;
  /** The step has just been entered again: by a retry of a later step, or by its own after an earlier step. */
  entered?: 'for-another' | 'for-itself';
  /** Calls of tools in this attempt that the program of the agent did not allow. */
  denied?: readonly DeniedCall[];
  /** The problem in the answer if the agent is asked again for it; null until then. */
  correction: string | null;
  /** Answer, changes and result of this attempt. */
  output: string;
  diff: string;
  files: readonly string[];
  comments: string | null;
  verdict: boolean | null;
  /** Why the work of this attempt failed; null if it did not. */
  failure: string | null;
  /** The same, if it was the worktree and not the work: its kind, and where the run is resumed. */
  outside?: { readonly kind: string; readonly causes: readonly FailureCause[] };
  /** Whether a limit stopped the agent: the worktree is then reset to `before`. */
  guarded: boolean;
  gates: Record<string, GateFinding>;
  /** The answer of the last validator. */
  asked: GateFinding | null;
  /** The results of the last failed attempt. */
  errorBefore: string;
  diffBefore: string;
  gatesBefore: Record<string, GateFinding>;
  tally: Tally;
  /** The budget that the running call has reserved, in US dollars. */
  reserved: number;
}

/** The prefix of the names of inner steps. */
export interface ScopeFrame {
  readonly kind: 'scope';
  readonly prefix: string;
  /** The path of the parallel task whose worktree it has. */
  readonly task?: ParallelTask;
  /** Whether it is a workflow with its own budget. The run has what it used, by its prefix. */
  readonly budget?: WorkflowBudget;
  /** Whether the keys of its steps are dropped at its end, because they only answer a question. */
  readonly passing?: boolean;
}

interface WorkflowBudget {
  readonly name: string;
  readonly cost?: number;
  readonly tokens?: number;
  readonly timeMs?: number;
  /** When it started, in milliseconds since the epoch. */
  readonly sinceMs: number;
}

/** What a workflow used, and what its running calls have reserved: US dollars, tokens. */
export interface UsedBudget {
  readonly cost: number;
  readonly tokens: number;
  readonly reserved: number;
}

/** The working directory of a parallel task, and the commit from which it started. */
export interface ParallelTask {
  readonly path: string;
  readonly base: string;
  /** The previous working directory of the thread. */
  readonly outer: ThreadWorktree;
}

/** The directory and the commit of the worktree in which a thread works. */
export interface ThreadWorktree {
  readonly task: string | null;
  /** Absolute; null is the run's own worktree. */
  readonly directory: string | null;
  readonly commit: string | null;
}

/** Steps that a retry of a later step executes again. */
export interface Restarts {
  /** The steps that did not pass and have not been entered again, by path. */
  readonly left: Readonly<Record<string, StepFrame>>;
  /** The commits before the steps from which later ones may start again, by path. */
  readonly bases: Readonly<Record<string, string>>;
  /** The path of the step that is entered next, and of the one that starts it again. */
  readonly to?: string;
  readonly by?: string;
}

export type Frame = StepFrame | ScopeFrame;
