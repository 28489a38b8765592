/** What the operations that execute runs take: programs, and their options. */
import type { Through } from '../interpreter/events/event.js';
import type { Json } from '../machine/expression.js';
import type { MemoOptions } from '../runtime/memo.js';
import type { GoingBack } from '../runtime/run/again/refuse-resume.js';
import type { InDoubt } from '../runtime/run/in-doubt.js';
import type { RunWhereabouts } from '../runtime/run/run-whereabouts.js';
import type { Delivery } from '../runtime/store/inbox.js';
import type { ExecutionOptions, RunOptions } from './library/run-machine.js';
import type { Prepared, PrepareOptions } from './programs.js';
import type { PreparedProgram, ProgramSource } from './project/preparation.js';
import { type Refused, type Result, refuse, resultWith } from './result.js';

/** What `start` executes: a program that `prepare` prepared; or a file by its path or a text, which are prepared first. */
export type Startable = ProgramSource | Prepared;

/** Options of `start`. The configuration supplies those that are absent. A prepared program has the ones of `prepare`. */
export interface StartOptions
  extends PrepareOptions,
    Pick<RunOptions, 'name' | 'by' | 'runId' | 'jobs' | 'autoEvents' | 'effectTimeoutMs' | 'start' | 'settings'>,
    Omit<ExecutionOptions, 'agents' | 'commands' | 'mcp' | 'readable' | 'secrets' | 'cwd' | 'env'> {
  /**
   * Runs with the same key are executed one at a time; default: the KEY of the program. A run holds its key until it ends, also
   * while it is suspended; with `keyWhile: 'running'` only while a process executes it.
   */
  readonly key?: string;
  /** What happens if another run has the key: this one waits (the default), is skipped, or cancels the other one. */
  readonly onBusy?: 'wait' | 'skip' | 'cancel';
  readonly keyWhile?: 'running';
  /** How the memo of the store is used. */
  readonly memo?: MemoOptions;
}

/**
 * The point of a run where `replay` begins: the number of an event, or the `entry`-th entry of a state (for a step, its
 * attempt). `failed` repeats the failed members of a PARALLEL or FOR EACH.
 */
export type ReplayFrom = number | { readonly state: string; readonly entry: number } | 'failed';

/** Options of `replay`. What is left out is as it was when the run began, or comes from the configuration. */
export interface ReplayRunOptions extends Omit<ExecutionOptions, 'commands' | 'env'> {
  /** Secret inputs, which must be passed again because they are not stored. */
  readonly inputs?: Readonly<Record<string, Json>>;
  /** An edited program, in which the run continues. */
  readonly program?: ProgramSource;
  /** A file with answers, instead of the one that the run began with. */
  readonly mock?: string;
  /** For `replay`: the id of the new run, a UUID of version 7 that no run of the store has; a new one by default. */
  readonly runId?: string;
}

/** Options of `resume`. What is left out is as it was when the run began, or comes from the configuration. */
export interface ResumeRunOptions extends Omit<ReplayRunOptions, 'runId'> {
  /** What happens with an effect that may have run; default `fail`. */
  readonly inDoubt?: InDoubt;
  /**
   * Whether the run may go back to the point before a failure that ON ERROR or ERROR handled: true, or a function that
   * decides. Without it such a run is refused.
   */
  readonly again?: boolean | ((back: GoingBack) => boolean | Promise<boolean>);
  /** Performs the UNDO commands of a run that failed or was cancelled, newest first, instead of resuming it. */
  readonly rollback?: true;
  /** Answers and signals, delivered before the run continues. */
  readonly deliveries?: readonly Delivery[];
}

/** Options of `follow`. With `ask`, a person can answer what the run asks. */
export interface FollowOptions extends Pick<ExecutionOptions, 'onEvent' | 'onStart' | 'ask' | 'person'> {
  /** The door through which `ask` gets answers, for the record; default `library`. */
  readonly through?: Through;
  /** Ends the following. The run is left alone. */
  readonly signal?: AbortSignal;
  /** The number of the first event for `onEvent`; default 1. */
  readonly from?: number;
  /**
   * Of a run on an engine: called now and then while nothing comes, with what executes the run; null: nothing has come at
   * all.
   */
  readonly onSilence?: (where: RunWhereabouts | null) => void;
}

/** Options of `compare`: the program with which the run is compared, default its own; and its secret inputs. */
export type CompareOptions = Pick<ReplayRunOptions, 'inputs' | 'program'>;

const PREPARING = [
  'machine',
  'tools',
  'state',
  'inputs',
  'cwd',
  'printedInputs',
  'approved',
  'worktree',
  'mock',
] as const satisfies readonly (keyof PrepareOptions)[];

/** The options that prepare a program, and those that run it. */
export function splitOptions(options: StartOptions): {
  readonly preparing: PrepareOptions;
  readonly running: Omit<StartOptions, keyof PrepareOptions>;
} {
  const isPreparing = ([name]: [string, unknown]): boolean => (PREPARING as readonly string[]).includes(name);
  const all = Object.entries(options);
  return {
    preparing: Object.fromEntries(all.filter((one) => isPreparing(one) && one[1] !== undefined)),
    running: Object.fromEntries(all.filter((one) => !isPreparing(one))),
  };
}

/** Callers without types may give anything. `known`: the member of an object that was made from a program before. */
export function wrongForm(program: unknown, known?: 'machine' | 'machines'): Refused | null {
  if (typeof program === 'string') return null;
  if (typeof program === 'object' && program !== null) {
    const { text, name } = program as { text?: unknown; name?: unknown };
    if (typeof text === 'string' && (name === undefined || typeof name === 'string')) return null;
    if (known !== undefined && known in program) return null;
  }
  const help = 'give the path of a file as a text, or `{ text: "RETURN: 1", name: "flow.dsl" }`';
  return refuse('wrong-use', 'the program is neither a path nor an object with a `text`', help);
}

/** A program that was prepared, or is now. */
export async function preparedBy(
  program: Startable,
  options: PrepareOptions,
  prepare: (source: ProgramSource) => Promise<Result<PreparedProgram>>,
): Promise<Result<PreparedProgram>> {
  const wrong = wrongForm(program, 'machine');
  if (wrong !== null) return wrong;
  if (typeof program === 'string' || !('machine' in program)) return prepare(program);
  const [name] = Object.keys(options);
  if (name !== undefined)
    return refuse('wrong-use', `\`${name}\` is an option of \`prepare\`, and this program is prepared`);
  return resultWith(program as Prepared & PreparedProgram);
}
