/** Exit codes of the process, which are the same for all commands that run something. */
export const EXIT = {
  returned: 0,
  /** Another run had the key of the run. */
  skipped: 0,
  failed: 1,
  /** Wrong usage, or a program with errors: nothing was started. */
  usage: 2,
  /** `verify` could not decide everything. */
  undecided: 3,
  /** A bug in statedsl. */
  bug: 70,
  suspended: 75,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
