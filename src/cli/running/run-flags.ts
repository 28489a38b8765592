/** What `run` takes, as the command line gives it: numbers and durations are already checked and read. */
export interface RunFlags {
  readonly input?: readonly string[];
  readonly inputFile?: string;
  readonly machine?: string;
  readonly start?: string;
  readonly json?: boolean;
  readonly events?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly dryRun?: boolean;
  readonly dir?: string;
  readonly cwd?: string;
  readonly jobs?: number;
  readonly worktree?: boolean;
  readonly maxTransitions?: number;
  /** Milliseconds. */
  readonly timeout?: number;
  /** Milliseconds. */
  readonly effectTimeout?: number;
  /** US dollars. */
  readonly maxCost?: number;
  readonly maxTokens?: number;
  /** Bytes. */
  readonly maxJournal?: number;
  /** Bytes. */
  readonly maxOutput?: number;
  /** The name of another agent by the name it replaces. */
  readonly agent?: Readonly<Record<string, string>>;
  readonly mock?: string;
  readonly detach?: boolean;
  readonly autoEvents?: boolean;
  /** Milliseconds. */
  readonly suspendAfter?: number | 'never';
  /** Goes on with the latest unfinished run of this program. */
  readonly resume?: boolean;
  /** Feeds the latest run's record of this program to the program as it is now. */
  readonly replay?: boolean;
  readonly from?: string;
  readonly again?: boolean;
  readonly inDoubt?: 'retry' | 'skip' | 'fail';
  /** The file of tools of a plan. */
  readonly tools?: string;
  /** A file of JSON: the state that a plan begins with. */
  readonly state?: string;
  /** The program may name any file. */
  readonly allowOutside?: boolean;
  /** The hash that `plan approve` printed: no other plan is run. */
  readonly approved?: string;
}
