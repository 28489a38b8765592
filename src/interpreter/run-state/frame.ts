/**
 * What a thread has open while steps run: the steps themselves and the scopes that the names of steps stand in. All of
 * it is plain data, so that a run can be put away in the middle of an attempt and taken up again.
 */

/** What a gate said of an attempt. */
export interface GateFinding {
  readonly pass: boolean;
  /** What a validator has to say. */
  readonly comments?: string;
  /** What a failed command printed to standard error, else the end of its output, or why the gate did not pass. */
  readonly error?: string;
  /** All that a failed command printed; absent where `error` says it all. */
  readonly said?: string;
}

/** Overrides of RETRY that hold from some attempt on. */
export interface Overrides {
  readonly agent?: string;
  /** Index of the entry whose prompt is used. */
  readonly prompt?: number;
  readonly session?: 'new';
  readonly worktree?: 'reset';
}

/** What the agent calls of a step used, over all its attempts. */
export interface Tally {
  /** US dollars that were told. */
  readonly cost: number;
  /** A call did not tell its cost. */
  readonly unknown: boolean;
  readonly calls: number;
  readonly turns: number | null;
  readonly tokens: {
    readonly in: number;
    readonly out: number;
    readonly cache_read: number;
    readonly cache_write: number;
  } | null;
}

export const NOTHING_USED: Tally = { cost: 0, unknown: false, calls: 0, turns: null, tokens: null };

/** A step between its first attempt and its last. */
export interface StepFrame {
  readonly kind: 'step';
  readonly path: string;
  /** Milliseconds since the epoch. */
  readonly startedMs: number;
  attempt: number;
  /** What is judged: the work is done, or gates run, or a retry is being decided. */
  phase: 'work' | 'gates' | 'retry';
  /** Commits before the first attempt and before this one; null without a worktree. */
  base: string | null;
  before: string | null;
  overrides: Overrides;
  /** Who does this attempt, and who did the one before. */
  agent: string | null;
  agentBefore: string | null;
  /** The session that this attempt goes on in, and after it the one that it was. */
  session: string | null;
  sessionBefore: string | null;
  /** What was wrong with the answer, where the agent is asked once more for it; null as long as it was not. */
  correction: string | null;
  /** Answer, change and verdict of this attempt. */
  output: string;
  diff: string;
  files: readonly string[];
  comments: string | null;
  verdict: boolean | null;
  /** Why the work of this attempt failed; null where it did not. */
  failure: string | null;
  /** A limit stopped the agent: the worktree goes back to `before`. */
  guarded: boolean;
  gates: Record<string, GateFinding>;
  /** What the validator said that was asked last. */
  asked: GateFinding | null;
  /** Of the last failed attempt. */
  errorBefore: string;
  diffBefore: string;
  gatesBefore: Record<string, GateFinding>;
  tally: Tally;
  /** Money kept free for the call that runs: US dollars. */
  reserved: number;
}

/** Names of steps inside are below `prefix`. */
export interface ScopeFrame {
  readonly kind: 'scope';
  readonly prefix: string;
  /** Where its own worktree is: the path of a parallel task. */
  readonly task?: ParallelTask;
  /** It is a workflow with a budget of its own; what it used is in the run, by its prefix. */
  readonly budget?: WorkflowBudget;
  /** Nothing that its steps write is kept behind it: they only answer a question. */
  readonly passing?: boolean;
}

interface WorkflowBudget {
  readonly name: string;
  readonly cost?: number;
  readonly tokens?: number;
  readonly timeMs?: number;
  /** When it began, milliseconds since the epoch. */
  readonly sinceMs: number;
}

/** What a workflow used, and what its calls that run now may still use: US dollars, tokens. */
export interface UsedBudget {
  readonly cost: number;
  readonly tokens: number;
  readonly reserved: number;
}

/** Where a parallel task works, and what it began from. */
export interface ParallelTask {
  readonly path: string;
  readonly base: string;
  /** Where the thread worked before. */
  readonly outer: ThreadWorktree;
}

/** The directory and the commit of the worktree that a thread is in. */
export interface ThreadWorktree {
  readonly task: string | null;
  /** Absolute; null is the run's own. */
  readonly directory: string | null;
  readonly commit: string | null;
}

export type Frame = StepFrame | ScopeFrame;
