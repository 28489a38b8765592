/** What a run is given, what it comes to, and how its steps stand: plain data that the run and its readers share. */
import type { Json } from '../../machine/expression.js';
import type { Limits } from '../../machine/machine.js';
import type { RunError } from '../events/event.js';
import type { Host } from '../values/functions.js';

export interface RunOptions extends Host {
  readonly inputs: Readonly<Record<string, Json>>;
  /** JSON of inputs with numbers as they were written, which JavaScript prints in another way. */
  readonly printedInputs?: Readonly<Record<string, string>>;
  /** Folder of the program's file when the run began, absolute. */
  readonly programDir?: string;
  /** Members of PARALLEL at once where the program names no `max`. */
  readonly jobs: number;
  /** The same for members that are all agent calls; 8 when absent. */
  readonly agentJobs?: number;
  /** Whether events are made. Without them a pure loop allocates nothing. */
  readonly record: boolean;
  /** Emit STATE_ENTRY and PHASE_TRANSITION. */
  readonly autoEvents: boolean;
  /** Merged from the program and the command line. */
  readonly limits: Limits;
  readonly effectTimeoutMs: number | null;
  readonly start?: { readonly state: number; readonly with: Readonly<Record<string, Json>> };
  /** Tries a regular expression in bounded time; null when it took too long. */
  readonly matches: (regex: RegExp, text: string) => boolean | null;
  readonly digest: string;
  readonly version: string;
  /** The run works in a git worktree that begins at this commit. */
  readonly worktree?: { readonly base: string };
  /** US dollars that a call of these agents may cost at most. */
  readonly agentMaxCost?: Readonly<Record<string, number>>;
}

/** How a step stands. */
export interface StepRecord {
  readonly path: string;
  readonly status: 'running' | 'pass' | 'fail' | 'fatal';
  readonly agent: string | null;
  readonly attempt: number;
  /** US dollars; null is unknown. */
  readonly cost: number | null;
  /** What a validation said. */
  readonly verdict: boolean | null;
}

export interface RunResult {
  readonly status: 'returned' | 'failed';
  readonly value: Json;
  readonly error: RunError | null;
  /** The state the run ended in. */
  readonly state: string;
}
