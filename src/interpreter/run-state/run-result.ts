/** Options, results and the status of steps: plain data that a run and its readers share. */
import type { Json } from '../../machine/expression.js';
import type { Limits } from '../../machine/machine.js';
import type { RunError } from '../events/event.js';
import type { Host } from '../values/functions.js';

export interface InterpreterOptions extends Host {
  readonly inputs: Readonly<Record<string, Json>>;
  /** The JSON of inputs with numbers as they were written, which JavaScript prints differently. */
  readonly printedInputs?: Readonly<Record<string, string>>;
  /** The folder of the program's file at the start of the run, absolute. */
  readonly programDir?: string;
  /** How many members of a PARALLEL run at once if it has no `max`. */
  readonly jobs: number;
  /** The same for members that are all agent calls; 8 if absent. */
  readonly agentJobs?: number;
  /** Whether events are made. Without them a pure loop allocates nothing. */
  readonly record: boolean;
  /** Whether STATE_ENTRY and PHASE_TRANSITION are emitted. */
  readonly autoEvents: boolean;
  /** The limits of the program and the command line, merged. */
  readonly limits: Limits;
  readonly effectTimeoutMs: number | null;
  readonly start?: { readonly state: number; readonly with: Readonly<Record<string, Json>> };
  /** Matches a regular expression in bounded time; null if it took too long. */
  readonly matches: (regex: RegExp, text: string) => boolean | null;
  readonly digest: string;
  readonly version: string;
  /** The commit from which the run's worktree starts, if it has one. */
  readonly worktree?: { readonly base: string };
  /** Who started the run. */
  readonly by?: string;
  /** The most that a call of these agents may cost, in US dollars. */
  readonly agentMaxCost?: Readonly<Record<string, number>>;
}

/** The status of a step. */
export interface StepRecord {
  readonly path: string;
  readonly status: 'running' | 'pass' | 'fail' | 'fatal';
  readonly agent: string | null;
  readonly attempt: number;
  /** US dollars; null is unknown. */
  readonly cost: number | null;
  /** The answer of a validation. */
  readonly verdict: boolean | null;
}

export interface RunResult {
  readonly status: 'returned' | 'failed' | 'skipped';
  readonly value: Json;
  /** The JSON text of the value, if a number in it was written differently, such as `1.10`. */
  readonly printed?: string;
  readonly error: RunError | null;
  /** The state the run ended in. */
  readonly state: string;
  /** Of a skipped run: the run that had its key. */
  readonly heldBy?: string;
}
