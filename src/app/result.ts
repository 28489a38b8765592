/**
 * How operations on runs answer: with a value, or with a refusal. A refusal is a value too, with a code for programs, and
 * a message and a next step for people, so that a command, a service and a page all say the same.
 */
import { errorCode, JournalDamage, RunRefused, StoreError } from '../runtime/store/store-error.js';
import type { Findings } from './library/diagnostics.js';

/**
 * Why an operation was refused. `unknown`: there is no such run, file or name. `wrong-use`: the request does not fit the
 * run. `invalid-program`: the program has errors or no approval. `held`: a process executes the run. `over`: the run has
 * ended. `conflict`: another process did it first. `not-allowed`: the person is not one of those who may do it. `unfinished`: the run has not returned. `not-applied`: its changes
 * cannot be merged. `unusable`: its files cannot be used. `damaged`: a part of its record has changed. `foreign`: another
 * user may have made the store. `store`: the disk cannot be read or written. `unreachable`: the engine or its workers do not
 * answer. `unavailable`: the service cannot do it now, and can later.
 */
export type RefusalCode =
  | 'unknown'
  | 'wrong-use'
  | 'invalid-program'
  | 'held'
  | 'over'
  | 'conflict'
  | 'not-allowed'
  | 'unfinished'
  | 'not-applied'
  | 'unusable'
  | 'damaged'
  | 'foreign'
  | 'store'
  | 'unreachable'
  | 'unavailable';

/** Where the record of a run is damaged. */
export interface DamagePosition {
  /** The number of the event that has changed or is missing. The events before it can be used. */
  readonly seq: number;
  /** Where it begins in the journal, in bytes. */
  readonly byte: number;
}

/** Why an operation was not done. */
export interface Refusal {
  readonly code: RefusalCode;
  /** A clause with names in backticks. */
  readonly message: string;
  /** One next step; null if there is none to recommend. */
  readonly help: string | null;
  /** For the code `damaged`. */
  readonly damage?: DamagePosition;
  /** For the code `invalid-program`: all that is wrong with it, for `formatDiagnostics` and `diagnosticsToJson`. */
  readonly findings?: Findings;
  /** What `--json` prints about it, if that is more than its code. */
  readonly facts?: object;
}

/** The result of an operation that was done. */
export interface Done<T> {
  readonly ok: true;
  readonly value: T;
}

/** The result of an operation that was not done. */
export interface Refused {
  readonly ok: false;
  readonly refusal: Refusal;
}

/** What every operation on runs resolves with. Operations reject only with what functions of the caller throw. */
export type Result<T> = Done<T> | Refused;

export function resultWith<T>(value: T): Done<T> {
  return { ok: true, value };
}

export function refuse(code: RefusalCode, message: string, help: string | null = null): Refused {
  return { ok: false, refusal: { code, message, help } };
}

/** What is wrong with a program or the configuration. */
export function invalidProgram(findings: Findings): Refused {
  const message =
    findings.diagnostics.find(({ severity }) => severity === 'error')?.message ?? 'there is nothing to run';
  return { ok: false, refusal: { code: 'invalid-program', message, help: null, findings } };
}

/** On its way to a refusal: a program that was found to be wrong inside of an operation. */
export class InvalidProgram extends Error {
  readonly refusal: Refusal;

  constructor(findings: Findings) {
    const { refusal } = invalidProgram(findings);
    super(refusal.message);
    this.refusal = refusal;
  }
}

/** Thrown for a refusal by `unwrap`. Its message is that of the refusal. */
export class OperationRefused extends Error {
  override readonly name = 'OperationRefused';

  constructor(readonly refusal: Refusal) {
    super(refusal.message);
    // Node prints the members of an uncaught exception. Without this it would print the whole text of a program.
    Object.defineProperty(this, 'refusal', { value: refusal, enumerable: false });
  }
}

/** The value of an operation that was done. Throws an `OperationRefused`. */
export function unwrap<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new OperationRefused(result.refusal);
}

/** Turns what an operation throws about a run, a program or a disk into a refusal. Anything else is a bug and is thrown. */
export async function resultOf<T>(action: () => Promise<T> | T): Promise<Result<T>> {
  try {
    return resultWith(await action());
  } catch (cause) {
    return { ok: false, refusal: refusalOf(cause) };
  }
}

function storeHelp({ cause }: StoreError): string | null {
  const isFull = ['ENOSPC', 'EDQUOT'].includes(errorCode(cause));
  return isFull ? 'free space on the disk, for example with `statedsl gc`, and try again' : null;
}

/** The refusal that an error means. Throws an error that means none. */
export function refusalOf(cause: unknown): Refusal {
  if (cause instanceof RunRefused) return { code: cause.kind, message: cause.message, help: cause.help };
  if (cause instanceof InvalidProgram) return cause.refusal;
  if (cause instanceof JournalDamage) {
    const { message, seq, byte } = cause;
    return { code: 'damaged', message, help: null, damage: { seq, byte } };
  }
  if (cause instanceof StoreError) return { code: 'store', message: cause.message, help: storeHelp(cause) };
  throw cause;
}
