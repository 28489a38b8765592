/** The options of `run`, with numbers and durations already checked and parsed. */
export interface RunFlags {
  /** What to call the run. */
  readonly name?: string;
  readonly input?: readonly string[];
  readonly inputFile?: string;
  readonly machine?: string;
  readonly start?: string;
  readonly json?: boolean;
  readonly log?: boolean;
  readonly events?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly dryRun?: boolean;
  /** Starts the run whatever `confirm_above` says. */
  readonly yes?: boolean;
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
  /** The names of other agents, by the names they replace. */
  readonly agent?: Readonly<Record<string, string>>;
  /** Nothing is taken from the memo. */
  readonly fresh?: boolean;
  /** Milliseconds. */
  readonly memoMaxAge?: number;
  /** The state or step that alone is executed. */
  readonly only?: string;
  readonly mock?: string;
  /** With a mock: waits take their time. */
  readonly realTime?: boolean;
  /** The cassette to write. */
  readonly record?: string;
  /** Replaces an existing cassette. */
  readonly overwrite?: boolean;
  /** The cassette that gives the outcomes. */
  readonly cassette?: string;
  readonly cassetteMatch?: 'path' | 'fingerprint';
  readonly cassetteDrift?: 'fail' | 'warn';
  /** Runs with the same key are executed one at a time. */
  readonly key?: string;
  readonly onBusy?: 'wait' | 'skip' | 'cancel';
  readonly keyWhile?: 'running';
  readonly detach?: boolean;
  readonly autoEvents?: boolean;
  /** Milliseconds. */
  readonly suspendAfter?: number | 'never';
  /** Resumes the latest unfinished run of this program. */
  readonly resume?: boolean;
  /** Compares the latest run of this program with the program as it is now. */
  readonly replay?: boolean;
  readonly from?: string;
  readonly again?: boolean;
  readonly inDoubt?: 'retry' | 'skip' | 'fail';
  /** The tools file of a plan. */
  readonly tools?: string;
  /** A JSON file with the initial state of a plan. */
  readonly state?: string;
  /** Allows the program to use any file. */
  readonly allowOutside?: boolean;
  /** The hash that `plan approve` printed: no other plan runs. */
  readonly approved?: string;
  /** The address of the engine that executes the run. */
  readonly on?: string;
  readonly namespace?: string;
  /** With an engine: the name of the workers that execute the run. */
  readonly home?: string;
  /** The flags that were typed, as attributes. */
  readonly typed?: readonly string[];
}
