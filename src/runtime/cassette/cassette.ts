/** A cassette: what the world gave to one run, in a file, so that the run can be repeated without the world. */
import type { EffectKind, Outcome, Output } from '../../interpreter/events/event.js';
import type { Json } from '../../machine/expression.js';

/** The version of the format. */
export const CASSETTE_VERSION = 1;

/** Texts and values above this size are files in the folder next to the cassette. Bytes. */
export const LARGE_BYTES = 64 * 1024;

/** What a request asks for, without anything that differs from run to run: secrets, ids and directories are replaced. */
export interface Asked {
  readonly kind: EffectKind;
  /** The instruction as written, or what takes its place. */
  readonly text: string;
  readonly args: readonly Json[];
  readonly prompt: string | null;
}

/** An outcome as the cassette has it: directories and ids of the run are replaced. */
export type RecordedOutcome =
  | Outcome
  /** The run stopped it, because its result was no longer needed. */
  | { readonly kind: 'stopped' }
  /** The answer of a person. */
  | { readonly kind: 'answered'; readonly value: Json; readonly printed?: string; readonly by: string };

export interface CassetteRecord extends Asked {
  /** The effect in its run: thread and number. Null: a signal, for which nothing asks. */
  readonly at: string | null;
  readonly attempt: number;
  /** How often the attempt was backed off. */
  readonly waits: number;
  readonly state: string | null;
  readonly line: number | null;
  readonly outcome: RecordedOutcome;
  /** When it ended, in milliseconds since the start of the run. */
  readonly endedMs: number;
  /** SHA-256 of what was asked for. */
  readonly fingerprint: string;
  /** The line of the cassette; 0: it is not from a file. */
  readonly fileLine: number;
}

export interface CassetteHeader {
  /** The name of the machine. */
  readonly program: string;
  /** The id of the recorded run; absent: tests have changed what it holds. */
  readonly run?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly startedMs: number;
  readonly inputs: Readonly<Record<string, Json>>;
  /** The JSON text of inputs with a number that was written differently, such as `1.10`. */
  readonly printedInputs?: Readonly<Record<string, string>> | undefined;
  /** The commit from which the worktree of the run started; null: it had none. */
  readonly worktree: string | null;
  /** False: the run was interrupted or its process died. */
  readonly isComplete: boolean;
  /** Whether the run was suspended at its end: what it waited for then had not come. */
  readonly isSuspended: boolean;
}

export interface Cassette extends CassetteHeader {
  /** As messages call it. */
  readonly file: string;
  /** In the order in which they ended. */
  readonly records: readonly CassetteRecord[];
  /** Reads a file of the folder next to the cassette. */
  readonly large: (name: string) => Buffer;
}

/** Kinds whose records a run may lack or leave unused: the clock and chance need no world. */
const FREE: ReadonlySet<EffectKind> = new Set(['clock', 'timer', 'uuid', 'random', 'signal', 'approval']);

/** Whether the record of such a request must exist and be used. */
export const isStrict = (kind: EffectKind): boolean => !FREE.has(kind);

/** The file of an output whose content is in the folder next to the cassette; null: the content is inline. */
export function largeFileOf(output: Output): string | null {
  const { file } = output as Output & { readonly file?: unknown };
  return typeof file === 'string' ? file : null;
}
