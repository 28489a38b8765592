/** What is stored of a run in addition to its events: its header (`run.json`), its options, and its line in the index. */
import type { Waiting } from '../../interpreter/events/event.js';
import type { StoredLimits } from '../../interpreter/events/stored-limits.js';
import type { Json } from '../../machine/expression.js';
import type { Machine } from '../../machine/machine.js';
import { omitUndefined } from '../../prelude/omit-undefined.js';

/** A source text of the program. */
export interface ProgramText {
  readonly name: string;
  readonly text: string;
}

/** Facts about a run before its first event. */
export interface RunFacts {
  readonly runId: string;
  /** SHA-256 of the machine, in hexadecimal. */
  readonly digest: string;
  /** The inputs, with secrets already replaced. */
  readonly inputs: Readonly<Record<string, Json>>;
  /** The time of the start, in ISO 8601. */
  readonly startedAt: string;
  /** The working directory of commands, absolute. */
  readonly cwd: string;
  /** The version of statedsl. */
  readonly version: string;
}

/** What is fixed before the first event of a run. */
export interface RunHeader extends RunFacts {
  readonly machine: Machine;
  readonly sources: readonly ProgramText[];
  /** The options that decide which events the run produces. */
  readonly options: FixedOptions;
  /** Labels that the caller attached to the run. */
  readonly settings: Readonly<Record<string, Json>>;
  readonly key?: RunKey | undefined;
}

/** What a run does about another one that has its key. */
export type OnBusy = 'wait' | 'skip' | 'cancel';

/** What a run shares with others that must not be executed at the same time. */
export interface RunKey {
  readonly name: string;
  /** Only an execution holds the key; absent: the run holds it until it ends. */
  readonly while?: 'running';
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
  /** The branch with its work, if it had a worktree. */
  readonly branch?: string;
  /** A user ended it for good. */
  readonly cancelled?: true;
  /** What a person calls it. */
  readonly title?: string;
  /** The run that it was copied from. */
  readonly replay_of?: string;
  /** Why it failed, in one line. */
  readonly error?: string;
  /** What it returned, in one line. */
  readonly result?: string;
  /** What it waits for, if it is suspended: at most ten. */
  readonly waiting?: readonly Waiting[];
  readonly key?: string;
  /** The end of its record. */
  readonly head?: RecordHead;
}

/** What lists tell runs of one program apart by. */
export type RunLabels = Pick<IndexEntry, 'title' | 'replay_of'>;

export function labelsOf({ options: { title }, settings }: Labelled): RunLabels {
  const { replay_of: copied } = settings;
  return omitUndefined({ title, replay_of: typeof copied === 'string' ? copied : undefined });
}

interface Labelled extends Pick<RunHeader, 'settings'> {
  readonly options: Pick<FixedOptions, 'title'>;
}

/** How far a record had come, for verifying it later. */
export interface RecordHead {
  /** The number of its last event. */
  readonly seq: number;
  /** The hash that the next line of the journal has, or would have. */
  readonly hash: string;
}

/** The options that decide which events a run produces. Stored in `run.json`. */
export interface FixedOptions {
  readonly jobs: number;
  /** How many members run at once if all of them call agents; null: the default. */
  readonly agent_jobs: number | null;
  readonly limits: StoredLimits;
  readonly effect_timeout_ms: number | null;
  readonly auto_events: boolean;
  readonly start: {
    readonly state: string;
    readonly with: Readonly<Record<string, Json>>;
    /** The JSON of entry values with numbers that were written differently. */
    readonly printed?: Readonly<Record<string, string>>;
  } | null;
  /** The commit from which the worktree of the run started, if it has one. */
  readonly worktree?: { readonly base: string };
  /** What a person calls it; absent: nothing sets it apart from others of its program. */
  readonly title?: string;
  /** Who started it. */
  readonly started_by?: string;
  /** The inputs as JSON, with numbers as they were written. */
  readonly printed_inputs?: Readonly<Record<string, string>>;
  /** The folder of the program's file, absolute. */
  readonly program_dir: string;
  /** How many US dollars a call of an agent may cost, by the agent's name in the program. */
  readonly agent_max_cost?: Readonly<Record<string, number>>;
}
