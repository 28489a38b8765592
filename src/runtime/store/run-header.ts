/** What is written about a run beside its events: its header (`run.json`), its options, and its line in the index. */

import type { StoredLimits } from '../../interpreter/events/stored-limits.js';
import type { Json } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';

/** A text that the program was made of. */
export interface ProgramText {
  readonly name: string;
  readonly text: string;
}

/** What is known of a run before its first event. */
export interface RunHeader {
  readonly runId: string;
  readonly machine: Machine;
  readonly digest: string;
  /** Secrets already replaced. */
  readonly inputs: Readonly<Record<string, Json>>;
  /** ISO 8601. */
  readonly startedAt: string;
  /** Where commands run. */
  readonly cwd: string;
  readonly version: string;
  readonly sources: readonly ProgramText[];
  /** What decides which events the run makes. */
  readonly options: FixedOptions;
  /** What whoever started the run wants to find again. */
  readonly settings: Readonly<Record<string, Json>>;
}

/** One line of `runs/index.ndjson`; the last line of a run counts. */
export interface IndexEntry {
  readonly run_id: string;
  readonly machine: string;
  readonly status: string;
  readonly state: string | null;
  readonly started_at: string;
  readonly ended_at: string;
  readonly duration_ms: number;
  readonly cost: number | null;
  readonly effects: number;
  /** What it did is on this branch, where it had a worktree. */
  readonly branch?: string;
  /** A person ended it for good. */
  readonly cancelled?: true;
  /** What it failed by, in one line; absent in entries of earlier versions. */
  readonly error?: string;
}

/** The part of the options that decides which events a run makes. Kept in `run.json`. */
export interface FixedOptions {
  readonly jobs: number;
  /** Members at once that are all agent calls; null: the engine's own number. */
  readonly agent_jobs: number | null;
  readonly limits: StoredLimits;
  readonly effect_timeout_ms: number | null;
  readonly auto_events: boolean;
  readonly start: { readonly state: string; readonly with: Readonly<Record<string, Json>> } | null;
  /** The run has a worktree, which began at this commit. */
  readonly worktree?: { readonly base: string };
  /** JSON of inputs with numbers as they were written. */
  readonly printed_inputs?: Readonly<Record<string, string>>;
  /** Folder of the program's file, absolute; absent in runs of earlier versions. */
  readonly program_dir?: string;
  /** US dollars a call of an agent may cost, by its name in the program. */
  readonly agent_max_cost?: Readonly<Record<string, number>>;
}
