/**
 * The error for a disk that cannot be read or written. It is the only error that the runtime throws, because any write
 * may fail, and a run must stop before an effect that cannot be recorded. `drive` turns it into a failed report.
 */

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EBUSY: 'it is in use, as a folder is where something is mounted',
  EDQUOT: 'the disk quota is used up',
  EEXIST: 'a file of this name is in the way',
  EFBIG: 'the file would be too large',
  EIO: 'the disk reports an error',
  EISDIR: 'it is a directory',
  ELOOP: 'it is a symbolic link',
  EMFILE: 'too many open files',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'no such file or directory',
  ENOSPC: 'no space left on device',
  ENOTEMPTY: 'a program keeps writing files into it',
  ENOTDIR: 'a part of the path is not a directory',
  EPERM: 'operation not permitted',
  EROFS: 'the file system is read-only',
};

export class StoreError extends Error {
  override readonly name = 'StoreError';
}

/** The journal of a run is damaged: event `seq`, which begins at byte `byte`, has changed or is missing. */
export class JournalDamage extends StoreError {
  constructor(
    message: string,
    readonly seq: number,
    readonly byte: number,
  ) {
    super(message);
  }
}

/** A system error in words: `cannot write \`/x/journal.ndjson\`: no space left on device`. */
export function storeError(verb: string, path: string, cause: unknown): StoreError {
  return new StoreError(`cannot ${verb} \`${path}\`: ${reasonOf(cause)}`, { cause });
}

/** The reason in a system error, in words where the code is a common one. */
export function reasonOf(cause: unknown): string {
  const code = errorCode(cause);
  return reasons[code] ?? (cause instanceof Error ? cause.message : String(cause));
}

/** `ENOENT`, `EACCES`, …, or an empty text. */
export function errorCode(cause: unknown): string {
  const code = (cause as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : '';
}

/** Why a run cannot be used as requested. The message is a clause with names in backticks. */
export class RunRefused extends Error {
  override readonly name = 'RunRefused';

  constructor(
    /**
     * `held`: a process executes it. `over`: it has ended. `unusable`: the files cannot be understood. `foreign`: another
     * user may have made the store. `conflict`: somebody else did it first. `not-allowed`: others may do it.
     */
    readonly kind: 'unknown' | 'held' | 'over' | 'unusable' | 'foreign' | 'wrong-use' | 'conflict' | 'not-allowed',
    message: string,
    /** What to do next. */
    readonly help: string | null = null,
  ) {
    super(message);
  }
}
